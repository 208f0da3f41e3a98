/// <reference lib="esnext.disposable" preserve="true" />
// Statistics of numbers in one pass.
import type { Stats as WasmStats } from '../wasm/stats/unspool.js';
import { checkOptions } from './check.js';
import { type HalfFloats, toDoubles } from './half.js';
import { Handle, moduleFor } from './instance.js';
import { isDetached } from './bytes.js';

const wasmModule = moduleFor('stats');

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
  try {
    const each = running.add(values);
    const { norms, ...found } = running.result();
    return { ...found, norms: norms && { ...norms, each } };
  } finally {
    running.release();
  }
}

/** Numbers copied to the module at a time. */
const AT_ONCE = 1 << 16;

/**
 * Computes statistics over several arrays, in constant memory:
 *
 * ```ts
 * const running = new RunningStatistics();
 * for (const array of arrays) running.add(array);
 * console.log(running.result().mean);
 * running.release();
 * ```
 */
export class RunningStatistics {
  /** Values per row. */
  readonly dimension: number;
  #stats: Handle<WasmStats>;

  /** Starts without numbers. */
  constructor(options: StatisticsOptions = {}) {
    checkOptions(options, { dimension: true });
    const { dimension = 1 } = options;
    if (!Number.isSafeInteger(dimension) || dimension < 1) throw new TypeError('dimension must be a whole number, 1 or more');
    this.dimension = dimension;
    this.#stats = new Handle(wasmModule, (wasm) => new wasm.Stats(dimension));
  }

  /**
   * Adds numbers; for vectors, whole rows. Returns the norm of each vector, or an empty array for
   * plain numbers.
   */
  add(numbers: Numbers | TypedNumbers): Float64Array {
    const isTyped = typeof numbers === 'object' && numbers !== null && 'dtype' in numbers;
    const values = isTyped ? numbers.data : numbers;
    const dtype = isTyped ? numbers.dtype : undefined;
    if (!ArrayBuffer.isView(values) || values instanceof DataView) throw new TypeError('values must be a typed array');
    if (isDetached(values.buffer)) throw new TypeError('values: the memory was transferred');
    const { dimension } = this;
    if (values.length % dimension !== 0) throw new TypeError(`values must be whole rows of ${dimension}, not ${values.length} values`);
    const doublesOf = (part: Numbers): Float64Array => (part instanceof Float64Array ? part : toDoubles(part, dtype));
    return this.#stats.call((stats) => {
      const step = Math.max(1, Math.floor(AT_ONCE / dimension)) * dimension;
      for (let at = 0; at < values.length; at += step) stats.push(doublesOf(values.subarray(at, at + step)));
      return stats.lengths();
    });
  }

  /** Adds everything that `other` has accumulated. `other` keeps it. */
  merge(other: RunningStatistics): void {
    if (!(other instanceof RunningStatistics) || other === this) throw new TypeError('merge expects another RunningStatistics');
    const { dimension } = this;
    if (other.dimension !== dimension) throw new TypeError(`cannot merge rows of ${other.dimension} values into rows of ${dimension}`);
    this.#stats.call((mine) => other.#stats.call((theirs) => mine.merge(theirs)));
  }

  /** Returns the statistics so far. More numbers may follow. */
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

  /** Frees the memory in the module. It cannot be used afterwards. */
  release(): void {
    this.#stats.free();
  }

  /** Calls {@link release}, for `using`. */
  [Symbol.dispose](): void {
    this.release();
  }
}

function summaryOf([count = 0, nans = 0, infinite = 0, min = NaN, max = NaN, mean = NaN, deviation = NaN]: Iterable<number>): Summary {
  return { count, nans, infinite, min, max, mean, deviation };
}

function binsOf(numbers: ArrayLike<number>): Bin[] {
  return Array.from({ length: numbers.length / 3 }, (_, at) => ({
    low: numbers[3 * at] ?? 0, high: numbers[3 * at + 1] ?? 0, count: numbers[3 * at + 2] ?? 0,
  }));
}
