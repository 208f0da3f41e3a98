// Pieces of something long, got as they come into sight.
import { useEffect, useMemo, useState } from 'preact/hooks';

/** So many are kept. */
const KEPT = 64;
/** Whoever drags a scroll bar wants what is there when it rests, in milliseconds. */
const REST = 30;

/** A piece, or why there is none; neither while it is on its way. */
export interface Piece<T> {
  readonly here?: T;
  readonly error?: string;
}

/** Gets the pieces from `first` to `last`, which are of `of`: when that changes, all of them are got anew. */
export function usePieces<T>(get: (piece: number) => Promise<T>, first: number, last: number, of: readonly unknown[]): ReadonlyMap<number, Piece<T>> {
  const kept = useMemo(() => new Map<number, Piece<T>>(), of);
  const [, arrived] = useState(0);
  useEffect(() => {
    const arrive = (number: number, piece: Piece<T>): void => {
      kept.set(number, piece);
      arrived((count) => count + 1);
    };
    const getAll = (): void => {
      for (let number = first; number <= last; number++) {
        if (kept.has(number)) continue;
        kept.set(number, {});
        get(number).then(
          (here) => arrive(number, { here }),
          (error: Error) => arrive(number, { error: error.message }),
        );
      }
      for (const number of kept.keys()) {
        if (kept.size <= KEPT) break;
        if (number < first || number > last) kept.delete(number);
      }
    };
    const timer = setTimeout(getAll, kept.size === 0 ? 0 : REST);
    return () => clearTimeout(timer);
  }, [kept, first, last]);
  return kept;
}
