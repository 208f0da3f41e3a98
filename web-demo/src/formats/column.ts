// A column of numbers, however long: only a piece of it is in memory while it is summed up or saved.
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

/** All rows, or those from `from` to `to`, a piece at a time. */
export async function* piecesOf({ rows, dimension, ends, read }: Column, tell: Tell, from = 0, to = rows): AsyncGenerator<Rows> {
  const step = Math.max(1, Math.floor(AT_ONCE / Math.max(1, dimension)));
  for (let [start, at] = [from, 0]; start < to; ) {
    let end = Math.min(to, start + step);
    if (ends !== undefined) {
      while ((ends[at] ?? rows) < end) at++;
      end = Math.min(to, ends[at] ?? rows);
    }
    // What can only be decoded at once may be many pieces.
    const { data } = await read(start, end);
    for (let first = start; first < end; first += step) {
      yield { start: first, dimension, data: data.subarray((first - start) * dimension, (first - start + step) * dimension) };
      await tell({ done: Math.min(first + step, end) - from, total: to - from });
    }
    start = end;
  }
}
