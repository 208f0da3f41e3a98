// Pieces of something long, loaded when they come into sight.
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { reasonOf } from '../format';

/** Maximum number of pieces kept. */
const KEPT = 64;
/** Delay while a scroll bar is dragged, in milliseconds. */
const REST = 30;

/** A piece, or the error that stays until it is loaded. */
export interface Piece<T> {
  readonly here?: T;
  readonly error?: string;
}

export interface Pieces<T> {
  /** Returns a piece; `undefined` while it is loading for the first time. */
  get(number: number): Piece<T> | undefined;
  /** Why pieces in sight are missing; empty if they are loaded or loading. */
  readonly error: string;
  /** Loads the failed pieces in sight again. */
  readonly again: () => void;
}

/**
 * Loads the pieces from `first` to `last`. When `of` changes, all are loaded again. A failed piece
 * is loaded again when other pieces come into sight: the cause may be gone.
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
