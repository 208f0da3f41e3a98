// A column of numbers, however long: only a piece of it is in memory while it is summed up or saved.
import { UnspoolError } from 'unspool';
import type { Tell } from '../tools/progress';
import type { Rows } from '../values';

export interface Column {
  readonly rows: number;
  readonly dimension: number;
  /** The rows behind which it may be cut so that nothing is decoded twice, ascending; it may be cut anywhere if there are none. */
  readonly ends?: readonly number[];
  read(start: number, end: number): Rows | Promise<Rows>;
}

/** So many values are a piece, or the few more that end with a row. */
const AT_ONCE = 1 << 18;

/** Hears of rows that cannot be decoded, and why. */
export type LeftOut = (start: number, end: number, why: UnspoolError) => void;

/** All rows, or those from `from` to `to`, a piece at a time; where there are none, one without rows, which tells their type. If somebody hears of those that cannot be decoded, the others come nevertheless. */
export async function* piecesOf({ rows, dimension, ends, read }: Column, tell: Tell, from = 0, to = rows, leftOut?: LeftOut): AsyncGenerator<Rows> {
  if (to <= from) yield await read(from, from);
  const step = Math.max(1, Math.floor(AT_ONCE / Math.max(1, dimension)));
  // Up to here nothing is decoded together: something in it is broken.
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
    // What can only be decoded at once may be many pieces.
    for (let first = start; first < end; first += step) {
      yield { start: first, dimension, data: piece.data.subarray((first - start) * dimension, (first - start + step) * dimension) };
      await tell({ done: Math.min(first + step, end) - from, total: to - from });
    }
    start = end;
  }
}
