// Computes statistics of a column in pieces, and its curve.
import { UnspoolError, type RunningStatistics } from 'unspool';
import type { Tell } from '../tools/progress';
import type { Curve, Rows, Summed } from '../values';
import { piecesOf, type Column, type LeftOut } from './column';

export async function summedUp(column: Column, tell: Tell): Promise<Summed> {
  using running = await runningOver(column);
  let [leftOut, why] = [0, ''];
  let bounds: Summed['bounds'];
  const hear = (data: Rows['data']): void => {
    if (data instanceof BigInt64Array || data instanceof BigUint64Array) bounds = boundsOf(data, bounds);
  };
  const curve = await drawn(column, running, 0, column.rows, tell, (start, end, error) => {
    leftOut += end - start;
    why ||= error.message;
    if (leftOut === column.rows) throw error;
  }, hear);
  return { statistics: running.result(), bounds, curve, leftOut, why };
}

/** Values of a sample, and the stretches of rows that it is read in: a chunk decodes as a whole. */
const [SAMPLE, SAMPLED] = [2 ** 18, 16];

/** Sums up evenly spread rows of a long column. Leaves out rows that cannot be decoded. */
export async function sampledFrom(column: Column, tell: Tell): Promise<Summed> {
  using running = await runningOver(column);
  const { rows, dimension, read } = column;
  const length = Math.max(1, Math.floor(SAMPLE / SAMPLED / Math.max(1, dimension)));
  const curve = new Stretches(0, rows);
  let bounds: Summed['bounds'];
  let leftOut = 0;
  for (let at = 0; at < SAMPLED; at++) {
    const start = Math.floor((Math.max(0, rows - length) * at) / (SAMPLED - 1));
    try {
      const { data } = await read(start, Math.min(rows, start + length));
      const lengths = running.add(data);
      if (data instanceof BigInt64Array || data instanceof BigUint64Array) bounds = boundsOf(data, bounds);
      curve.push(start, dimension > 1 ? lengths : data);
    } catch (error) {
      if (!(error instanceof UnspoolError)) throw error;
      leftOut += length;
    }
    await tell({ done: at + 1, total: SAMPLED });
  }
  return { statistics: running.result(), bounds, curve: curve.curve(), leftOut, why: '' };
}

/** Extends bounds by the numbers of a piece. */
function boundsOf(numbers: BigInt64Array | BigUint64Array, before: Summed['bounds']): Summed['bounds'] {
  const [first] = numbers;
  if (first === undefined) return before;
  let [low, high] = before ?? [first, first];
  // A loop is twice as fast as an iterator, and there may be billions.
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? first;
    if (number < low) low = number;
    else if (number > high) high = number;
  }
  return [low, high];
}

/** Computes the curve of some rows: of numbers, or of the norms of vectors. */
export async function curveOf(column: Column, start: number, end: number, tell: Tell): Promise<Curve> {
  using running = await runningOver(column);
  return await drawn(column, running, start, end, tell, () => undefined);
}

async function runningOver({ dimension }: Column): Promise<RunningStatistics> {
  const { RunningStatistics } = await import('unspool/stats');
  return new RunningStatistics({ dimension: Math.max(1, dimension) });
}

async function drawn(column: Column, running: RunningStatistics, start: number, end: number, tell: Tell, leftOut: LeftOut, hear?: (data: Rows['data']) => void): Promise<Curve> {
  const curve = new Stretches(start, end);
  for await (const { start: first, data } of piecesOf(column, tell, start, end, leftOut)) {
    const lengths = running.add(data);
    hear?.(data);
    curve.push(first - start, column.dimension > 1 ? lengths : data);
  }
  return curve.curve();
}

/** Maximum number of intervals that fit on a screen. */
const STRETCHES = 800;

/** Minimum and maximum of numbers in each of a fixed number of intervals. */
class Stretches {
  readonly #low: Float64Array;
  readonly #high: Float64Array;

  constructor(readonly start: number, readonly end: number) {
    const count = Math.min(STRETCHES, end - start);
    [this.#low, this.#high] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  }

  /** Returns the curve for the page. */
  curve(): Curve {
    return { start: this.start, end: this.end, low: this.#low, high: this.#high };
  }

  /** Adds consecutive numbers, starting at this index. */
  push(first: number, numbers: ArrayLike<number | bigint>): void {
    const [low, high] = [this.#low, this.#high];
    const share = low.length / (this.end - this.start);
    for (let at = 0; at < numbers.length; at++) {
      const number = Number(numbers[at] ?? NaN);
      const stretch = Math.floor((first + at) * share);
      if (!Number.isFinite(number)) continue;
      if (!((low[stretch] ?? NaN) <= number)) low[stretch] = number;
      if (!((high[stretch] ?? NaN) >= number)) high[stretch] = number;
    }
  }
}
