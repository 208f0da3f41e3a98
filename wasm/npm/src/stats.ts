/**
 * Statistics of numbers.
 *
 * @module unspool/stats
 */
import { isDetached } from './bytes.js';
import { checkOptions } from './check.js';
import { type HalfFloats, toDoubles } from './half.js';

/** A typed array of numbers of any type. */
export type Numbers =
  | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array | Float64Array
  | BigUint64Array | BigInt64Array | HalfFloats<ArrayBufferLike>;

/** Numbers with the name of their type, as the decoders return them. */
export interface TypedNumbers {
  /** Type of the numbers. A `Uint16Array` of `float16` holds bits. */
  readonly dtype: string;
  /** The numbers. */
  readonly data: Numbers;
}

/** Bounds, mean and deviation; NaN if undefined. Mean and deviation ignore infinities. */
export interface Summary {
  /** Number of values that are not NaN. */
  readonly count: number;
  /** Number of NaN values. */
  readonly nans: number;
  /** Number of infinite values. */
  readonly infinite: number;
  /** Smallest value. */
  readonly min: number;
  /** Largest value. */
  readonly max: number;
  /** Mean of the finite values. */
  readonly mean: number;
  /** Standard deviation of the finite values. */
  readonly deviation: number;
}

/** A bin of a histogram. */
export interface Bin {
  /** Lower bound, included. */
  readonly low: number;
  /** Upper bound, excluded. */
  readonly high: number;
  /** Number of values in the bin. */
  readonly count: number;
}

/** Statistics of numbers. */
export interface Statistics extends Summary {
  /** At most 64 bins of equal width, with bounds that are round in binary. */
  readonly histogram: readonly Bin[];
  /**
   * Zeros, negative numbers, and a histogram of the base-2 logarithms of nonzero absolute values.
   */
  readonly magnitudes: {
    /** Number of zeros. */
    readonly zeros: number;
    /** Number of negative numbers. */
    readonly negative: number;
    /** Histogram of the base-2 logarithms. */
    readonly bins: readonly Bin[];
  };
  /** Summary of the norms of vectors; `undefined` for plain numbers. */
  readonly norms: Summary | undefined;
}

/** Statistics of one array. */
export interface ArrayStatistics extends Statistics {
  /** Summary of the norms of vectors, and each norm. */
  readonly norms:
    | (Summary & {
        /** The norm of each vector. */
        readonly each: Float64Array;
      })
    | undefined;
}

/** Options of {@link statistics} and {@link RunningStatistics}. */
export interface StatisticsOptions {
  /** Values per row, 1 by default. With more, each row is a vector with a norm. */
  dimension?: number | undefined;
}

/** Computes statistics of an array. 64-bit integers are rounded to the nearest `number`. */
export function statistics(values: Numbers | TypedNumbers, options: StatisticsOptions = {}): ArrayStatistics {
  const running = new RunningStatistics(options);
  const each = running.add(values);
  const { norms, ...found } = running.result();
  return { ...found, norms: norms && { ...norms, each } };
}

/** Values summed up at a time. Results are merged. */
const AT_ONCE = 1 << 16;

/**
 * Computes statistics over several arrays, in constant memory:
 *
 * ```ts
 * const running = new RunningStatistics();
 * for (const array of arrays) running.add(array);
 * console.log(running.result().mean);
 * ```
 */
export class RunningStatistics {
  /** Values per row. */
  readonly dimension: number;
  #sum: Statistics;

  /** Starts without numbers. */
  constructor(options: StatisticsOptions = {}) {
    checkOptions(options, { dimension: true });
    const { dimension = 1 } = options;
    if (!Number.isSafeInteger(dimension) || dimension < 1) throw new TypeError('dimension must be a whole number, 1 or more');
    this.dimension = dimension;
    const none = new Float64Array();
    this.#sum = statisticsOf(none, dimension > 1 ? none : undefined);
  }

  /**
   * Adds numbers; for vectors, whole rows. Returns the norm of each vector, or an empty array for
   * plain numbers.
   */
  add(numbers: Numbers | TypedNumbers): Float64Array {
    const { data: values, dtype } = ('dtype' in Object(numbers) ? numbers : { data: numbers }) as Partial<TypedNumbers>;
    if (!ArrayBuffer.isView(values) || values instanceof DataView) throw new TypeError('values must be a typed array');
    if (isDetached(values.buffer)) throw new TypeError('values: the memory was transferred');
    const { dimension } = this;
    if (values.length % dimension !== 0) throw new TypeError(`values must be whole rows of ${dimension}, not ${values.length} values`);
    const each = new Float64Array(dimension > 1 ? values.length / dimension : 0);
    const rows = Math.max(1, Math.floor(AT_ONCE / dimension));
    for (let row = 0; row * dimension < values.length; row += rows) {
      const part = values.subarray(row * dimension, (row + rows) * dimension);
      const doubles = part instanceof Float64Array ? part : toDoubles(part, dtype);
      const norms = dimension > 1 ? each.subarray(row, row + rows) : undefined;
      if (norms !== undefined) fillNorms(norms, doubles, dimension);
      this.#sum = merged(this.#sum, statisticsOf(doubles, norms));
    }
    return each;
  }

  /** Adds what `other` has accumulated, or statistics of numbers, such as those of a worker. */
  merge(other: RunningStatistics | Statistics): void {
    const found = other instanceof RunningStatistics ? other.#sum : other;
    if (!Array.isArray(found?.histogram)) throw new TypeError('merge expects statistics');
    // A result has no dimension.
    const { dimension } = other instanceof RunningStatistics ? other : this;
    if (dimension !== this.dimension || (found.norms === undefined) !== (dimension === 1)) throw new TypeError('cannot merge rows of another dimension');
    this.#sum = merged(this.#sum, found);
  }

  /** Returns the statistics so far. More numbers may follow. */
  result(): Statistics {
    return this.#sum;
  }
}

/** Returns the statistics of some numbers, and of the norms of their rows. */
function statisticsOf(numbers: Float64Array, norms: Float64Array | undefined): Statistics {
  const finite = finiteOf(numbers);
  const logarithms = new Float64Array(finite.length);
  let nonzero = 0;
  let negative = 0;
  for (let at = 0; at < finite.length; at++) {
    const number = finite[at]!;
    if (number !== 0) logarithms[nonzero++] = Math.log2(Math.abs(number));
    if (number < 0) negative++;
  }
  return {
    ...summaryOf(numbers, finite),
    histogram: binsOf(finite),
    magnitudes: { zeros: finite.length - nonzero, negative, bins: binsOf(logarithms.subarray(0, nonzero)) },
    norms: norms && summaryOf(norms, finiteOf(norms)),
  };
}

/** Merges the statistics of two groups of numbers. */
function merged(one: Statistics, other: Statistics): Statistics {
  const [a, b] = [one.magnitudes, other.magnitudes];
  return {
    ...mergedSummary(one, other),
    histogram: mergedBins(one.histogram, other.histogram),
    magnitudes: { zeros: a.zeros + b.zeros, negative: a.negative + b.negative, bins: mergedBins(a.bins, b.bins) },
    norms: one.norms && other.norms && mergedSummary(one.norms, other.norms),
  };
}

/** Copies the finite numbers. A loop: `filter` takes several times as long. */
function finiteOf(numbers: Float64Array): Float64Array {
  const finite = new Float64Array(numbers.length);
  let count = 0;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    if (Number.isFinite(number)) finite[count++] = number;
  }
  return finite.subarray(0, count);
}

/** Returns the least and the largest number, not NaN; infinities if there are none. */
function boundsOf(numbers: Float64Array): [low: number, high: number] {
  let low = Infinity;
  let high = -Infinity;
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at]!;
    if (number < low) low = number;
    if (number > high) high = number;
  }
  return [low, high];
}

/** Returns a power of two that makes the largest number about 1. */
function scaleOf(low: number, high: number): number {
  return 2 ** -Math.max(-1023, Math.min(1024, Math.floor(Math.log2(Math.max(-low, high)))));
}

function summaryOf(numbers: Float64Array, finite: Float64Array): Summary {
  // No square overflows or vanishes.
  const scale = scaleOf(...boundsOf(finite));
  const mean = (sum: number): number => sum / finite.length;
  let sum = 0;
  for (let at = 0; at < finite.length; at++) sum += finite[at]! * scale;
  // The sum is rounded. The rest corrects it, and is exact for numbers close together.
  const near = mean(sum);
  let rest = 0;
  let squares = 0;
  for (let at = 0; at < finite.length; at++) {
    const distance = finite[at]! * scale - near;
    rest += distance;
    squares += distance * distance;
  }
  let nans = 0;
  for (let at = 0; at < numbers.length; at++) if (Number.isNaN(numbers[at]!)) nans++;
  const count = numbers.length - nans;
  const [min, max] = count === 0 ? [NaN, NaN] : boundsOf(numbers);
  return {
    count,
    nans,
    infinite: count - finite.length,
    min,
    max,
    mean: (near + mean(rest)) / scale,
    deviation: Math.sqrt(Math.max(0, mean(squares) - mean(rest) ** 2)) / scale,
  };
}

/** Merges mean and deviation of two groups. Nothing overflows on the way. */
function mergedSummary(one: Summary, other: Summary): Summary {
  const [left, right] = [one.count - one.infinite, other.count - other.infinite];
  const [mine, theirs] = [left / (left + right), right / (left + right)];
  // The distance of two means may exceed the largest number, half of it does not.
  const half = other.mean / 2 - one.mean / 2;
  const both = {
    mean: one.mean + half * theirs + half * theirs,
    deviation: Math.hypot(Math.sqrt(mine) * one.deviation, Math.sqrt(theirs) * other.deviation, 2 * (Math.sqrt(mine * theirs) * half)),
  };
  const { mean, deviation } = right === 0 ? one : left === 0 ? other : both;
  return {
    count: one.count + other.count,
    nans: one.nans + other.nans,
    infinite: one.infinite + other.infinite,
    // Without numbers, a bound is NaN.
    min: one.min <= other.min || other.count === 0 ? one.min : other.min,
    max: one.max >= other.max || other.count === 0 ? one.max : other.max,
    mean,
    deviation,
  };
}

/** Maximum number of bins, as in the core. */
const BINS = 64;

/** Returns the place of a number among bins. A tiny negative one is below the bin from 0. */
function placeOf(number: number, width: number): number {
  const place = Math.floor(number / width);
  return number < 0 && place === 0 ? -1 : place;
}

/**
 * Returns the narrowest bins whose width is a power of two, and their edges multiples of it. The
 * result does not depend on the order of the numbers.
 */
function binsOf(numbers: Float64Array, least = 0, weights?: Float64Array): Bin[] {
  if (numbers.length === 0) return [];
  const [low, high] = boundsOf(numbers);
  const size = Math.max(-low, high);
  // Starts with less than the width wanted, also after a rounded logarithm.
  let width = Math.max(least, 2 ** Math.max(-1074, Math.floor(Math.log2(size)) - 52));
  // Places below 2^51 are exact.
  while (!(size / width < 2 ** 51 && placeOf(high, width) - placeOf(low, width) < BINS)) width *= 2;
  const first = placeOf(low, width);
  const counts = new Float64Array(placeOf(high, width) - first + 1);
  for (let at = 0; at < numbers.length; at++) counts[placeOf(numbers[at]!, width) - first]! += weights?.[at] ?? 1;
  return Array.from(counts, (count, at) => ({ low: (first + at) * width, high: (first + at + 1) * width, count }));
}

/** Merges histograms. The result is the histogram of all numbers. */
function mergedBins(one: readonly Bin[], other: readonly Bin[]): readonly Bin[] {
  if (one.length === 0) return other;
  const bins = [...one, ...other];
  // An outer edge may exceed the largest number. A bin without neighbours then has the least width.
  const widths = bins.map(({ low, high }) => (Number.isFinite(high - low) ? high - low : 2 ** 973));
  return binsOf(Float64Array.from(bins, ({ low }) => Math.max(-Number.MAX_VALUE, low)), Math.max(...widths), Float64Array.from(bins, ({ count }) => count));
}

/** Fills in the Euclidean norms of rows. */
function fillNorms(norms: Float64Array, numbers: Float64Array, dimension: number): void {
  for (let row = 0, at = 0; row < norms.length; row++) {
    const start = at;
    let squares = 0;
    for (; at < start + dimension; at++) squares += numbers[at]! ** 2;
    norms[row] = squares < 1e-280 || squares === Infinity ? scaledNorm(numbers.subarray(start, at)) : Math.sqrt(squares);
  }
}

/** Returns the norm of a row whose squares overflow or vanish. */
function scaledNorm(row: Float64Array): number {
  const scale = scaleOf(...boundsOf(row));
  let squares = 0;
  for (let at = 0; at < row.length; at++) squares += (row[at]! * scale) ** 2;
  return Math.sqrt(squares) / scale;
}
