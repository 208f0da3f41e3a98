// A long job of the worker: its progress, and a button that cancels it.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Care } from '../client';
import { percent } from '../format';
import { Passing } from './passing';
import type { Progress } from './progress';
import { jobs } from '../words';

export interface Job {
  /** True while it runs. */
  readonly going: boolean;
  /** Its progress, if reported. */
  readonly progress: Progress | undefined;
  /** Runs the job. Ignores the error of a cancelled one. */
  run(work: (care: Required<Care>) => Promise<void>): Promise<void>;
  cancel(): void;
}

/** Runs one job at a time. It ends with the view. */
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

/** Shows the progress as a bar and a number, with a Cancel button. */
export function Cancel({ job: { going, progress, cancel }, what }: { readonly job: Job; readonly what: string }) {
  if (!going) return null;
  // Once everything is read, decoding may still take an unknown time.
  const known = progress !== undefined && progress.done < progress.total;
  return (
    <span class="job">
      {progress !== undefined && (
        <>
          <progress aria-label={what} value={known ? progress.done / progress.total : undefined} />
          <span class="percent">{known && percent(progress.done, progress.total)}</span>
        </>
      )}
      <Passing aria-label={jobs.cancelOf(what)} onClick={cancel}>{jobs.cancel}</Passing>
    </span>
  );
}
