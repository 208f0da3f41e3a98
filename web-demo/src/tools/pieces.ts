// Pieces of something long, got as they come into sight.
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { reasonOf } from '../format';

/** So many are kept. */
const KEPT = 64;
/** Whoever drags a scroll bar wants what is there when it rests, in milliseconds. */
const REST = 30;

/** A piece, or why there is none, which stays until there is one. */
export interface Piece<T> {
  readonly here?: T;
  readonly error?: string;
}

export interface Pieces<T> {
  /** Nothing while it is on its way for the first time. */
  get(number: number): Piece<T> | undefined;
  /** Why pieces in sight are not here; empty if they are, or are on their way. */
  readonly error: string;
  /** Gets those in sight that could not be had once more. */
  readonly again: () => void;
}

/**
 * Gets the pieces from `first` to `last`, which are of `of`: when that changes, all of them are got anew. One that could not be had is got anew when others
 * come into sight: what stood in its way may be gone.
 */
export function usePieces<T>(get: (piece: number) => Promise<T>, first: number, last: number, of: readonly unknown[]): Pieces<T> {
  const kept = useMemo(() => new Map<number, Piece<T>>(), of);
  const coming = useMemo(() => new Set<number>(), of);
  const [, arrived] = useState(0);
  const [times, ask] = useState(0);
  const again = useCallback(() => ask((times) => times + 1), []);
  useEffect(() => {
    const arrive = (number: number, piece: Piece<T>): void => {
      kept.set(number, piece);
      coming.delete(number);
      arrived((count) => count + 1);
    };
    const getAll = (): void => {
      for (let number = first; number <= last; number++) {
        if (coming.has(number) || kept.get(number)?.here !== undefined) continue;
        coming.add(number);
        get(number).then(
          (here) => arrive(number, { here }),
          (error: unknown) => arrive(number, { error: reasonOf(error) }),
        );
      }
      for (const number of kept.keys()) {
        if (kept.size <= KEPT) break;
        if (number < first || number > last) kept.delete(number);
      }
    };
    const timer = setTimeout(getAll, kept.size === 0 ? 0 : REST);
    return () => clearTimeout(timer);
  }, [kept, first, last, times]);
  let error = '';
  for (let number = first; number <= last; number++) error ||= kept.get(number)?.error ?? '';
  return { get: (number) => kept.get(number), error, again };
}
