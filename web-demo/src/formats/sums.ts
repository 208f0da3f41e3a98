// Sums of pieces of a column. Workers sum up pieces, and the sums are merged in order: the result
// does not depend on the number of workers.
import type { RunningStatistics, Statistics } from 'unspool';
import type { Bin, Summary } from 'unspool/stats';
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
export async function sumOf({ piece, start, end }: SumWanted): Promise<Sum> {
  const { data, dimension } = piece;
  using running = await runningOver(dimension);
  const norms = running.add(data);
  const bounds = data instanceof BigInt64Array || data instanceof BigUint64Array ? boundsOf(data) : undefined;
  return { statistics: running.result(), bounds, ...drawn(piece.start - start, dimension > 1 ? norms : data, end - start) };
}

export async function runningOver(dimension: number): Promise<RunningStatistics> {
  const { RunningStatistics } = await import('unspool/stats');
  return new RunningStatistics({ dimension: Math.max(1, dimension) });
}

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
  #statistics: Statistics | undefined;
  #bounds: Summed['bounds'];
  readonly #low: Float64Array;
  readonly #high: Float64Array;

  constructor(readonly start: number, readonly end: number) {
    const count = Math.min(INTERVALS, end - start);
    [this.#low, this.#high] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  }

  add({ statistics, bounds, ...curve }: Sum): void {
    this.#statistics = this.#statistics === undefined ? statistics : merged(this.#statistics, statistics);
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
  async result(dimension: number): Promise<Pick<Summed, 'statistics' | 'bounds' | 'curve'>> {
    if (this.#statistics === undefined) {
      using running = await runningOver(dimension);
      this.#statistics = running.result();
    }
    return { statistics: this.#statistics, bounds: this.#bounds, curve: this.curve() };
  }
}

/** Merges the statistics of two pieces. */
export function merged(one: Statistics, other: Statistics): Statistics {
  const [a, b] = [one.magnitudes, other.magnitudes];
  return {
    ...mergedSummary(one, other),
    histogram: mergedBins(one.histogram, other.histogram),
    magnitudes: { zeros: a.zeros + b.zeros, negative: a.negative + b.negative, bins: mergedBins(a.bins, b.bins) },
    norms: one.norms && other.norms && mergedSummary(one.norms, other.norms),
  };
}

/** Merges mean and deviation of two groups. Nothing overflows on the way. */
function mergedSummary(one: Summary, other: Summary): Summary {
  const [left, right] = [one.count - one.infinite, other.count - other.infinite];
  const [mine, theirs] = [left / (left + right), right / (left + right)];
  // The distance of two means may exceed the largest number.
  const unit = Number.isFinite(other.mean - one.mean) ? 1 : 2;
  const distance = other.mean / unit - one.mean / unit;
  const share = distance * theirs;
  const both = {
    mean: unit === 1 ? one.mean + share : one.mean + share + share,
    deviation: unit * Math.hypot((Math.sqrt(mine) * one.deviation) / unit, (Math.sqrt(theirs) * other.deviation) / unit, Math.sqrt(mine * theirs) * distance),
  };
  const { mean, deviation } = right === 0 ? one : left === 0 ? other : both;
  return {
    count: one.count + other.count,
    nans: one.nans + other.nans,
    infinite: one.infinite + other.infinite,
    // Without numbers there are no bounds.
    min: one.count === 0 ? other.min : other.count === 0 ? one.min : Math.min(one.min, other.min),
    max: one.count === 0 ? other.max : other.count === 0 ? one.max : Math.max(one.max, other.max),
    mean,
    deviation,
  };
}

/** Maximum number of bins, as in the core. */
const BINS = 64;

/**
 * Merges histograms. Their widths are powers of two and their edges multiples of them, so the
 * result is the histogram of all numbers.
 */
function mergedBins(one: readonly Bin[], other: readonly Bin[]): readonly Bin[] {
  if (one.length === 0 || other.length === 0) return one.length === 0 ? other : one;
  const all = [one, other].map((bins) => ({ bins, ...placesOf(bins) }));
  let width = Math.max(...all.map(({ width }) => width));
  // The ratio of the widths may be too small for a number. Bins below 0 stay there.
  const placeIn = (place: number, own: number): number => Math.min(place < 0 ? -1 : Infinity, Math.floor(place * (own / width)));
  const span = (): readonly [number, number] => [
    Math.min(...all.map(({ first, width }) => placeIn(first, width))), Math.max(...all.map(({ bins, first, width }) => placeIn(first + bins.length - 1, width))),
  ];
  let [low, high] = span();
  while (high - low >= BINS) {
    width *= 2;
    [low, high] = span();
  }
  const counts = new Float64Array(high - low + 1);
  for (const { bins, first, width: own } of all) {
    for (const [at, { count }] of bins.entries()) counts[placeIn(first + at, own) - low] = (counts[placeIn(first + at, own) - low] ?? 0) + count;
  }
  return Array.from(counts, (count, at) => ({ low: (low + at) * width, high: (low + at + 1) * width, count }));
}

/** Returns the width of bins, and the place of the first one. Outer edges may be infinite. */
function placesOf(bins: readonly Bin[]): { width: number; first: number } {
  const { low, high } = bins.find(({ low, high }) => Number.isFinite(high - low)) ?? bins[0] ?? { low: 0, high: 1 };
  // Half of the edge that exceeds the largest number.
  const edge = 2 ** 1023;
  const width = high === Infinity ? (edge - low / 2) * 2 : low === -Infinity ? (edge + high / 2) * 2 : high - low;
  const [first] = bins;
  return { width, first: first === undefined ? 0 : first.low === -Infinity ? first.high / width - 1 : first.low / width };
}
