// What the worker answers, for as long as the question stands.
import { useEffect, useState } from 'preact/hooks';

export interface Answered<T> {
  /** The last answer. It stays while the next one is on its way. */
  readonly value: T | undefined;
  /** Why there is none; empty if there is. */
  readonly error: string;
}

/** Asks whenever one of `inputs` changes. An answer to the question before, or one that comes after the view is gone, is for nobody. */
export function useAnswer<T>(ask: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Answered<T> {
  const [answered, setAnswered] = useState<Answered<T>>({ value: undefined, error: '' });
  useEffect(() => {
    const gone = new AbortController();
    ask(gone.signal).then(
      (value) => {
        if (!gone.signal.aborted) setAnswered({ value, error: '' });
      },
      (error: Error) => {
        if (!gone.signal.aborted && error.name !== 'AbortError') setAnswered({ value: undefined, error: error.message });
      },
    );
    return () => gone.abort();
  }, inputs);
  return answered;
}

/** Waits, unless nobody waits any more. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('nobody waits', 'AbortError'));
    });
  });
}
