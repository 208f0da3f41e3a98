// Aborts waiting, and joins signals.

/** Waits for a promise, but no longer than until the signal aborts. */
export async function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { signal: over.signal });
  });
  try {
    // The race handles a late error of the other promise.
    return await Promise.race([aborted, promise]);
  } finally {
    over.abort();
  }
}

/** Joins two signals if the engine can, else returns the first. */
export const anySignal = <S extends AbortSignal | undefined>(one: AbortSignal | undefined, other: S): AbortSignal | S =>
  one === undefined ? other : other !== undefined && 'any' in AbortSignal ? AbortSignal.any([one, other]) : one;
