// A list that takes reading the whole file: at once, or when the visitor asks.
import { useEffect, useState } from 'preact/hooks';
import type { Care } from '../client';
import { reasonOf } from '../format';
import { useJob, type Job } from '../tools/cancel';

export interface Listing<T> {
  readonly found: T | undefined;
  /** Why there is no list, or an empty string. */
  readonly error: string;
  readonly job: Job;
  readonly list: () => void;
}

export function useListing<T>(ask: (care: Required<Care>) => Promise<T>, atOnce: boolean, of: readonly unknown[]): Listing<T> {
  const job = useJob();
  const [found, setFound] = useState<T>();
  const [error, setError] = useState('');
  const list = (): void =>
    void job.run(async (care) => {
      setError('');
      try {
        setFound(await ask(care));
      } catch (error) {
        if (!care.signal.aborted) setError(reasonOf(error));
      }
    });
  useEffect(() => {
    if (atOnce) list();
  }, of);
  return { found, error, job, list };
}
