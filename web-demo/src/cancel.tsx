// A long job of the worker's, and the button that ends it.
import { useEffect, useState } from 'preact/hooks';

export interface Job {
  /** Whether it is going on. */
  readonly going: boolean;
  /** Does it. What it throws when it is cancelled is nobody's concern. */
  run(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
  cancel(): void;
}

/** One job at a time; it ends with the view. */
export function useJob(): Job {
  const [going, setGoing] = useState<AbortController>();
  useEffect(() => () => going?.abort(), [going]);
  return {
    going: going !== undefined,
    async run(work) {
      const job = new AbortController();
      setGoing(job);
      try {
        await work(job.signal);
      } catch (error) {
        if (!job.signal.aborted) throw error;
      } finally {
        setGoing((current) => (current === job ? undefined : current));
      }
    },
    cancel: () => going?.abort(),
  };
}

export function Cancel({ job, what }: { readonly job: Job; readonly what: string }) {
  return job.going ? <button type="button" aria-label={`Cancel ${what}`} onClick={job.cancel}>Cancel</button> : null;
}
