// A long job of the worker's: how far it is, and the button that ends it.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Care } from '../client';
import { percent } from '../format';
import { Passing } from './passing';
import type { Progress } from './progress';

export interface Job {
  /** Whether it is going on. */
  readonly going: boolean;
  /** How far it is, if it has told. */
  readonly progress: Progress | undefined;
  /** Does it. What it throws when it is cancelled is nobody's concern. */
  run(work: (care: Required<Care>) => Promise<void>): Promise<void>;
  cancel(): void;
}

/** One job at a time; it ends with the view. */
export function useJob(): Job {
  const current = useRef<AbortController>();
  const [going, setGoing] = useState(false);
  const [progress, setProgress] = useState<Progress>();
  const cancel = useCallback(() => current.current?.abort(), []);
  useEffect(() => cancel, []);
  return {
    going,
    progress,
    async run(work) {
      const job = (current.current = new AbortController());
      setGoing(true);
      setProgress(undefined);
      try {
        await work({ signal: job.signal, tell: setProgress });
      } catch (error) {
        if (!job.signal.aborted) throw error;
      } finally {
        if (current.current === job) setGoing(false);
      }
    },
    cancel,
  };
}

/** How far a job is, in a bar and a number, and a way out. */
export function Cancel({ job: { going, progress, cancel }, what }: { readonly job: Job; readonly what: string }) {
  if (!going) return null;
  // Of all that was read much may still have to be decoded, and nobody knows how long that takes.
  const known = progress !== undefined && progress.done < progress.total;
  return (
    <span class="job">
      {progress !== undefined && (
        <>
          <progress aria-label={what} value={known ? progress.done / progress.total : undefined} />
          <span class="percent">{known && percent(progress.done, progress.total)}</span>
        </>
      )}
      <Passing aria-label={`Cancel ${what}`} onClick={cancel}>Cancel</Passing>
    </span>
  );
}
