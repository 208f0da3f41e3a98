// The worker's answer to the current request.
import { reasonOf } from '../format';
import { useCallback, useEffect, useState } from 'preact/hooks';

export interface Answered<T> {
  /** The last answer. It stays while the next one is loading. */
  readonly value: T | undefined;
  /** Why there is no answer, or an empty string. */
  readonly error: string;
  /** Asks again. */
  readonly again: () => void;
}

/** Asks again when one of `inputs` changes. Late answers are discarded. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Answered<T> {
  const [answered, setAnswered] = useState<Omit<Answered<T>, 'again'>>({ value: undefined, error: '' });
  const [times, setTimes] = useState(0);
  const again = useCallback(() => setTimes((times) => times + 1), []);
  useEffect(() => {
    const gone = new AbortController();
    ask(gone.signal).then(
      (value) => {
        if (!gone.signal.aborted) setAnswered({ value, error: '' });
      },
      (error: Error) => {
        if (!gone.signal.aborted && error.name !== 'AbortError') setAnswered({ value: undefined, error: reasonOf(error) });
      },
    );
    return () => gone.abort();
  }, [...inputs, times]);
  return { ...answered, again };
}

/** Waits, or rejects if the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('nobody waits', 'AbortError'));
    });
  });
}
