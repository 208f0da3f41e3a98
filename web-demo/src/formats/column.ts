// A column of numbers of any length. Only one piece is in memory while it is summarised or saved.
import { UnspoolError } from 'unspool';
import type { Tell } from '../tools/progress';
import type { Rows } from '../values';

export interface Column {
  readonly rows: number;
  readonly dimension: number;
  /**
   * Row numbers, ascending, where it can be split without decoding anything twice; anywhere if
   * empty.
   */
  readonly ends?: readonly number[];
  read(start: number, end: number): Rows | Promise<Rows>;
}

/** Values per piece, rounded up to a whole row. */
const AT_ONCE = 1 << 18;

/** Called with rows that cannot be decoded, and the error. */
export type LeftOut = (start: number, end: number, why: UnspoolError) => void;

/**
 * Returns rows in pieces, all or those from `from` to `to`. An empty column yields one piece
 * without rows, for its type. With `leftOut`, rows that cannot be decoded are reported and skipped.
 */
export async function* piecesOf({ rows, dimension, ends, read }: Column, tell: Tell, from = 0, to = rows, leftOut?: LeftOut): AsyncGenerator<Rows> {
  if (to <= from) yield await read(from, from);
  const step = Math.max(1, Math.floor(AT_ONCE / Math.max(1, dimension)));
  // Up to here, decode chunk by chunk: one of them is broken.
  let alone = from;
  for (let [start, at] = [from, 0]; start < to; ) {
    const before = at;
    let end = Math.min(to, start < alone ? start + 1 : start + step);
    if (ends !== undefined) {
      while ((ends[at] ?? rows) < end) at++;
      end = Math.min(to, ends[at] ?? rows);
    }
    let piece: Rows;
    try {
      piece = await read(start, end);
    } catch (error) {
      if (leftOut === undefined || ends === undefined || !(error instanceof UnspoolError)) throw error;
      if (start < alone) {
        leftOut(start, end, error);
        start = end;
      } else {
        [alone, at] = [end, before];
      }
      continue;
    }
    // A chunk that decodes only as a whole may be several pieces.
    for (let first = start; first < end; first += step) {
      yield { start: first, dimension, data: piece.data.subarray((first - start) * dimension, (first - start + step) * dimension) };
      await tell({ done: Math.min(first + step, end) - from, total: to - from });
    }
    start = end;
  }
}
