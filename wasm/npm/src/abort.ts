// Aborts waiting, and joins signals.

/** Waits for a promise, but no longer than until the signal aborts. */
export async function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: over.signal }));
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    over.abort();
  }
}

/** Joins two signals if the engine can, else returns the first. */
export const anySignal = <S extends AbortSignal | undefined>(one: AbortSignal | undefined, other: S): AbortSignal | S =>
  one === undefined ? other : other !== undefined && 'any' in AbortSignal ? AbortSignal.any([one, other]) : one;
