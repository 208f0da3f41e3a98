// Aborts waiting, and joins signals.

/** Waits for a promise, but no longer than until the signal aborts. */
export async function unlessAborted<T>(promise: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    // Removed by hand: Node loses the `signal` of listeners when it collects garbage.
    else signal.addEventListener('abort', stop);
  });
  try {
    // The race handles a late error of the other promise.
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Joins two signals if the engine can, else returns the first. */
export const anySignal = <S extends AbortSignal | undefined>(one: AbortSignal | undefined, other: S): AbortSignal | S =>
  one === undefined ? other : other !== undefined && 'any' in AbortSignal ? AbortSignal.any([one, other]) : one;
