// Aborts waiting.

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
