/// <reference lib="esnext.disposable" preserve="true" />
// What numbers come to, in one pass.
import type { Stats as WasmStats } from '../wasm/unspool.js';
import { checkOptions } from './check.js';
import type { HalfFloats } from './half.js';
import { Held, room } from './instance.js';
import { isDetached } from './source.js';

const here = room('stats');

/** Numbers in one array: those that `decode` gives, or any others. */
export type Numbers =
  | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array | Float64Array
  | BigUint64Array | BigInt64Array | HalfFloats<ArrayBufferLike>;

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

/** What numbers come to. */
export interface Statistics extends Summary {
  /** At most 64 bins of equal width, whose edges are round in binary. */
  readonly histogram: readonly Bin[];
  /** The same of the base-2 logarithms of the sizes of those that are not zero. */
  readonly magnitudes: { readonly zeros: number; readonly negative: number; readonly bins: readonly Bin[] };
  /** Of vectors, what their lengths come to. */
  readonly norms: Summary | undefined;
}

/** What the numbers of one array come to. */
export interface ArrayStatistics extends Statistics {
  /** Of vectors, what their lengths come to, and each of them. */
  readonly norms: (Summary & { readonly each: Float64Array }) | undefined;
}

/** What the numbers are. */
export interface StatisticsOptions {
  /** Values in each row; with more than one, the rows are vectors that have norms. */
  dimension?: number | undefined;
}

/** Sums up the numbers of an array. Integers of 64 bits are rounded where a `number` cannot hold them. */
export function statistics(values: Numbers, options: StatisticsOptions = {}): ArrayStatistics {
  const running = new RunningStatistics(options);
  try {
    const each = running.add(values);
    const { norms, ...found } = running.result();
    return { ...found, norms: norms && { ...norms, each } };
  } finally {
    running.release();
  }
}

/** So many numbers cross over at a time. */
const AT_ONCE = 1 << 16;

/**
 * Sums up numbers that come piece by piece, in memory that does not grow with them:
 *
 * ```ts
 * using running = new RunningStatistics();
 * for await (const piece of pieces) running.add(piece);
 * running.result().mean;
 * ```
 */
export class RunningStatistics {
  /** Values in each row. */
  readonly dimension: number;
  #stats: Held<WasmStats>;

  constructor(options: StatisticsOptions = {}) {
    checkOptions(options, { dimension: true });
    const { dimension = 1 } = options;
    if (!Number.isSafeInteger(dimension) || dimension < 1) throw new TypeError('a dimension is a whole number from 1 on');
    this.dimension = dimension;
    this.#stats = new Held(here, (wasm) => new wasm.Stats(dimension));
  }

  /** Takes numbers; of vectors, whole rows. Gives the length of each vector, and none of plain numbers. */
  add(values: Numbers): Float64Array {
    if (!ArrayBuffer.isView(values) || values instanceof DataView) throw new TypeError('statistics are of a typed array');
    if (isDetached(values.buffer)) throw new TypeError('values: their memory was transferred away');
    const { dimension } = this;
    if (values.length % dimension !== 0) throw new TypeError(`${values.length} values are no whole rows of ${dimension}`);
    return this.#stats.call((stats) => {
      const step = Math.max(1, Math.floor(AT_ONCE / dimension)) * dimension;
      for (let at = 0; at < values.length; at += step) stats.push(floatsOf(values.subarray(at, at + step)));
      return stats.lengths();
    });
  }

  /** Takes all that another one took, which keeps it. */
  merge(other: RunningStatistics): void {
    if (!(other instanceof RunningStatistics) || other === this) throw new TypeError('statistics merge with other RunningStatistics');
    const { dimension } = this;
    if (other.dimension !== dimension) throw new TypeError(`rows of ${other.dimension} values do not merge with rows of ${dimension}`);
    this.#stats.call((mine) => other.#stats.call((theirs) => mine.merge(theirs)));
  }

  /** What all numbers so far come to. More may follow. */
  result(): Statistics {
    return this.#stats.call((stats) => {
      const [zeros = 0, negative = 0, ...magnitudes] = stats.magnitudes();
      return {
        ...summaryOf(stats.summary()),
        histogram: binsOf(stats.histogram()),
        magnitudes: { zeros, negative, bins: binsOf(magnitudes) },
        norms: this.dimension > 1 ? summaryOf(stats.norms()) : undefined,
      };
    });
  }

  /** Gives back what it takes in the wasm module, which is the end of it. */
  release(): void {
    this.#stats.free();
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.release();
  }
}

/** Numbers of any type as the one that is summed up. */
function floatsOf(values: Numbers): Float64Array {
  if (values instanceof Float64Array) return values;
  // By its numbers: an array of another realm is no instance of the class of this one.
  if (typeof values[0] !== 'bigint') return new Float64Array(values as ArrayLike<number>);
  const floats = new Float64Array(values.length);
  for (let at = 0; at < floats.length; at++) floats[at] = Number(values[at]);
  return floats;
}

function summaryOf([count = 0, nans = 0, infinite = 0, min = NaN, max = NaN, mean = NaN, deviation = NaN]: Iterable<number>): Summary {
  return { count, nans, infinite, min, max, mean, deviation };
}

function binsOf(numbers: ArrayLike<number>): Bin[] {
  return Array.from({ length: numbers.length / 3 }, (_, at) => ({
    low: numbers[3 * at] ?? 0, high: numbers[3 * at + 1] ?? 0, count: numbers[3 * at + 2] ?? 0,
  }));
}
