// What numbers come to, in one pass.
import { room } from './instance.js';

const { call } = room('stats');

/** Numbers in one array: those that `decode` gives, or any others. */
export type Numbers =
  | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array | Float64Array
  | BigUint64Array | BigInt64Array;

/** Bounds, mean and deviation; NaN where there is nothing to have them of. Infinities have no part in the last two. */
export interface Summary {
  /** How many numbers there are, without those that are none. */
  readonly count: number;
  readonly nans: number;
  readonly infinite: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly deviation: number;
}

/** How many numbers lie from `low` on and below `high`. */
export interface Bin {
  readonly low: number;
  readonly high: number;
  readonly count: number;
}

export interface Statistics extends Summary {
  /** At most 64 bins of equal width, whose edges are round in binary. */
  readonly histogram: readonly Bin[];
  /** The same of the base-2 logarithms of the sizes of those that are not zero. */
  readonly magnitudes: { readonly zeros: number; readonly negative: number; readonly bins: readonly Bin[] };
  /** Of vectors, what their lengths come to, and each of them. */
  readonly norms: (Summary & { readonly each: Float64Array }) | undefined;
}

export interface StatisticsOptions {
  /** Values in each row; with more than one, the rows are vectors that have norms. */
  dimension?: number;
}

/** So many numbers cross over at a time. */
const AT_ONCE = 1 << 16;

/** Sums up numbers. Integers of 64 bits are rounded where a `number` cannot hold them. */
export function statistics(values: Numbers, { dimension = 1 }: StatisticsOptions = {}): Statistics {
  if (!ArrayBuffer.isView(values) || values instanceof DataView) throw new TypeError('statistics are of a typed array');
  if (!Number.isSafeInteger(dimension) || dimension < 1) throw new TypeError('a dimension is a whole number from 1 on');
  return call((wasm) => {
    const stats = new wasm.Stats(dimension);
    const step = Math.max(1, Math.floor(AT_ONCE / dimension)) * dimension;
    for (let at = 0; at < values.length; at += step) {
      const part = values.subarray(at, at + step);
      stats.push(part instanceof Float64Array ? part : Float64Array.from(part as ArrayLike<unknown> as ArrayLike<number>, Number));
    }
    const [zeros = 0, negative = 0, ...magnitudes] = stats.magnitudes();
    const found: Statistics = {
      ...summaryOf(stats.summary()),
      histogram: binsOf(stats.histogram()),
      magnitudes: { zeros, negative, bins: binsOf(magnitudes) },
      norms: dimension > 1 ? { ...summaryOf(stats.norms()), each: stats.lengths() } : undefined,
    };
    stats.free();
    return found;
  });
}

function summaryOf([count = 0, nans = 0, infinite = 0, min = NaN, max = NaN, mean = NaN, deviation = NaN]: Iterable<number>): Summary {
  return { count, nans, infinite, min, max, mean, deviation };
}

function binsOf(numbers: ArrayLike<number>): Bin[] {
  return Array.from({ length: numbers.length / 3 }, (_, at) => ({
    low: numbers[3 * at] ?? 0, high: numbers[3 * at + 1] ?? 0, count: numbers[3 * at + 2] ?? 0,
  }));
}
