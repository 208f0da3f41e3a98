// How far long work in the worker is, and whether anybody still wants it.

/** How much of all there is has been done, in whatever it is counted in. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Tells how far a job is, between two of its steps. It throws where nobody wants the job any more. */
export type Tell = (progress: Progress) => Promise<void>;

/** At most so often, in milliseconds, the page hears of it, and the worker hears of the page. */
const PAUSE = 50;

/** Posts what comes after a pause, and says whether it did. */
export function seldom(post: (progress: Progress) => void): (progress: Progress) => boolean {
  let told = performance.now();
  return (progress) => {
    const now = performance.now();
    if (now - told < PAUSE) return false;
    told = now;
    post(progress);
    return true;
  };
}

/** Tells the page now and then. Meanwhile the worker does what else it was asked; the job waits as long as it stands back for that. */
export function telling(post: (progress: Progress) => void, signal: AbortSignal, standsBack = (): boolean => false): Tell {
  const told = seldom(post);
  return async (progress) => {
    if (!told(progress)) return;
    do {
      await new Promise((resolve) => setTimeout(resolve, standsBack() ? PAUSE : 0));
      signal.throwIfAborted();
    } while (standsBack());
  };
}
