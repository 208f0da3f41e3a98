// Sums of pieces of a column. Workers sum up pieces, and the sums are merged in order: the result
// does not depend on the number of workers.
import { RunningStatistics, type Statistics } from 'unspool/stats';
import type { Curve, Rows, Summed } from '../values';

/** Statistics of a piece, and its part of a curve. */
export interface Sum {
  readonly statistics: Statistics;
  readonly bounds: Summed['bounds'];
  /** The first interval of the curve with rows of the piece, and the bounds of each interval. */
  readonly first: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** A piece, and the rows of the curve that it is part of. */
export interface SumWanted {
  readonly piece: Rows;
  readonly start: number;
  readonly end: number;
}

/** Sums up a piece. */
export function sumOf({ piece, start, end }: SumWanted): Sum {
  const { data, dimension } = piece;
  const running = runningOver(dimension);
  const norms = running.add(data);
  const bounds = data instanceof BigInt64Array || data instanceof BigUint64Array ? boundsOf(data) : undefined;
  return { statistics: running.result(), bounds, ...drawn(piece.start - start, dimension > 1 ? norms : data, end - start) };
}

/** Starts statistics of rows, which may be without values. */
export const runningOver = (dimension: number): RunningStatistics => new RunningStatistics({ dimension: Math.max(1, dimension) });

function boundsOf(numbers: BigInt64Array | BigUint64Array): Summed['bounds'] {
  const [first] = numbers;
  if (first === undefined) return undefined;
  let [low, high] = [first, first];
  // A loop is twice as fast as an iterator, and there may be billions.
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? first;
    if (number < low) low = number;
    else if (number > high) high = number;
  }
  return [low, high];
}

/** Maximum number of intervals that fit on a screen. */
const INTERVALS = 800;

/** Returns minimum and maximum of consecutive numbers in each interval of a curve. */
export function drawn(first: number, numbers: ArrayLike<number | bigint>, total: number): Pick<Sum, 'first' | 'low' | 'high'> {
  const share = Math.min(INTERVALS, total) / total;
  const from = Math.floor(first * share);
  const count = numbers.length === 0 ? 0 : Math.floor((first + numbers.length - 1) * share) - from + 1;
  const [low, high] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  for (let at = 0; at < numbers.length; at++) {
    const number = Number(numbers[at] ?? NaN);
    const interval = Math.floor((first + at) * share) - from;
    if (!Number.isFinite(number)) continue;
    if (!((low[interval] ?? NaN) <= number)) low[interval] = number;
    if (!((high[interval] ?? NaN) >= number)) high[interval] = number;
  }
  return { first: from, low, high };
}

/** Merges sums of pieces of the rows from `start` to `end`. */
export class Sums {
  readonly #running: RunningStatistics;
  #bounds: Summed['bounds'];
  readonly #low: Float64Array;
  readonly #high: Float64Array;

  constructor(readonly start: number, readonly end: number, dimension: number) {
    this.#running = runningOver(dimension);
    const count = Math.min(INTERVALS, end - start);
    [this.#low, this.#high] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  }

  add({ statistics, bounds, ...curve }: Sum): void {
    this.#running.merge(statistics);
    if (bounds !== undefined) {
      const [low, high] = this.#bounds ?? bounds;
      this.#bounds = [bounds[0] < low ? bounds[0] : low, bounds[1] > high ? bounds[1] : high];
    }
    this.draw(curve);
  }

  /** Adds a part of the curve. */
  draw({ first, low, high }: Pick<Sum, 'first' | 'low' | 'high'>): void {
    for (let at = 0; at < low.length; at++) {
      const [least, most] = [low[at] ?? NaN, high[at] ?? NaN];
      if (Number.isNaN(least)) continue;
      if (!((this.#low[first + at] ?? NaN) <= least)) this.#low[first + at] = least;
      if (!((this.#high[first + at] ?? NaN) >= most)) this.#high[first + at] = most;
    }
  }

  curve(): Curve {
    return { start: this.start, end: this.end, low: this.#low, high: this.#high };
  }

  /** Returns the statistics of everything that was added. */
  result(): Pick<Summed, 'statistics' | 'bounds' | 'curve'> {
    return { statistics: this.#running.result(), bounds: this.#bounds, curve: this.curve() };
  }
}
