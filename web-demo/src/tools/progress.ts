// Progress of long work in the worker, and its cancellation.
import type { Format } from 'unspool';

/** Amount done and total, in any unit. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** The format of a file that is opened, once it is known. */
  readonly format?: Format | undefined;
}

/** Reports progress between two steps. Throws if the job was cancelled. */
export type Tell = (progress: Progress) => Promise<void>;

/** Minimum time between two reports, in milliseconds. */
const PAUSE = 50;

/** Posts progress after a pause. Returns `true` if it did. */
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

/**
 * Reports progress now and then, and lets the worker handle other requests. Waits while
 * `standsBack` returns `true`.
 */
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

/** Wraps a progress callback for a walk over thousands of headers. */
export function progressOf(post: (progress: Progress) => void): (done: number, total: number) => void {
  const tell = seldom(post);
  return (done, total) => void tell({ done, total });
}
