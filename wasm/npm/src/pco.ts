// Pco: columns of numbers.
import { checkWhole } from './check.js';
import { refuse, salvaged, type UnspoolError } from './error.js';
import { HalfFloats } from './half.js';
import { moduleFor } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, fillBytes, kindOf } from './source.js';

const { call, work } = moduleFor('pco');

/**
 * The typed array for each number type. Half floats are a `Float16Array`, or their bits as a
 * `Uint16Array` if the engine has none.
 */
export interface PcoArrays<B extends ArrayBufferLike = ArrayBuffer> {
  /** Unsigned 8-bit integers. */
  uint8: Uint8Array<B>;
  /** Signed 8-bit integers. */
  int8: Int8Array<B>;
  /** Unsigned 16-bit integers. */
  uint16: Uint16Array<B>;
  /** Signed 16-bit integers. */
  int16: Int16Array<B>;
  /** 16-bit floats. */
  float16: HalfFloats<B>;
  /** Unsigned 32-bit integers. */
  uint32: Uint32Array<B>;
  /** Signed 32-bit integers. */
  int32: Int32Array<B>;
  /** 32-bit floats. */
  float32: Float32Array<B>;
  /** Unsigned 64-bit integers. */
  uint64: BigUint64Array<B>;
  /** Signed 64-bit integers. */
  int64: BigInt64Array<B>;
  /** 64-bit floats. */
  float64: Float64Array<B>;
}

/** The type of numbers, with numpy's name. */
export type PcoDtype = keyof PcoArrays;

/** Numbers of any type. */
export type PcoData<B extends ArrayBufferLike = ArrayBuffer> = PcoArrays<B>[PcoDtype];

/** A run of numbers of one type. Checking `dtype` narrows the type of `data`. */
export type PcoArray = {
  [D in PcoDtype]: {
    /** Type of the numbers. */
    readonly dtype: D;
    /** The numbers. */
    readonly data: PcoArrays[D];
  };
}[PcoDtype];

/** Options for decoding Pco. */
export interface PcoDecodeOptions {
  /** Limits for this call. */
  limits?: Limits | undefined;
}

/** A typed array's constructor. */
type ArrayOf = { new (buffer: ArrayBuffer): PcoData; readonly name: string; readonly BYTES_PER_ELEMENT: number };

/** The type byte in files, the name and the typed array of each type. */
const TYPES: readonly (readonly [byte: number, dtype: PcoDtype, array: ArrayOf])[] = [
  [1, 'uint32', Uint32Array],
  [2, 'uint64', BigUint64Array],
  [3, 'int32', Int32Array],
  [4, 'int64', BigInt64Array],
  [5, 'float32', Float32Array],
  [6, 'float64', Float64Array],
  [7, 'uint16', Uint16Array],
  [8, 'int16', Int16Array],
  [9, 'float16', HalfFloats],
  [10, 'uint8', Uint8Array],
  [11, 'int8', Int8Array],
];

/** A type byte that no file has, for arrays that cannot hold numbers. */
const OTHER = 255;

/** @internal Decodes all numbers: one array for each run of chunks of the same type. */
export function decodePcoArrays(bytes: Uint8Array, limits: Float64Array): PcoArray[] {
  return work(bytes, limits, () => arraysOf(bytes, limits, false));
}

function arraysOf(bytes: Uint8Array, limits: Float64Array, salvage: boolean): PcoArray[] {
  const found = call((wasm) => wasm.pco_decode(bytes, limits, salvage)) as (number | Uint8Array)[];
  const arrays: PcoArray[] = [];
  for (let at = 0; at < found.length; at += 2) {
    const type = TYPES.find(([known]) => known === found[at]);
    if (type === undefined) throw new Error(`unknown number type ${String(found[at])}: the wasm module does not match its JavaScript`);
    arrays.push({ dtype: type[1], data: new type[2]((found[at + 1] as Uint8Array<ArrayBuffer>).buffer) } as PcoArray);
  }
  return arrays;
}

/**
 * Decodes a standalone file to a typed array of its type, such as `BigInt64Array` for signed 64-bit
 * integers or `Float32Array` for 32-bit floats. A file without numbers that names no type becomes
 * an empty `Float64Array`. A file that mixes types is refused with `WrongType`; use `decode` for
 * it.
 */
export function decodePco(bytes: Bytes, options: PcoDecodeOptions = {}): PcoData {
  const [first, ...others] = decodePcoArrays(bytesOf(bytes), limitsOf(options, {}));
  if (others.length > 0) throw refuse('WrongType');
  return first?.data ?? new Float64Array();
}

/** Result of {@link salvagePco}. */
export interface PcoSalvage {
  /** The numbers before the error, or all of them: one array for each run of one type. */
  readonly arrays: readonly PcoArray[];
  /** The error in the file, if any. */
  readonly error: UnspoolError | undefined;
}

/**
 * Decodes a standalone file that may be broken. Stops at the first error, to the nearest 256
 * numbers.
 */
export function salvagePco(bytes: Bytes, options: PcoDecodeOptions = {}): PcoSalvage {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  const start = (): PcoArray[] => work(view, limits, () => arraysOf(view, limits, true));
  const [arrays, error] = salvaged(() => decodePcoArrays(view, limits), start);
  return { arrays, error };
}

/**
 * Decodes a standalone file to the start of `to`. Returns the number of elements written.
 *
 * `to` is an array of the file's type, a `Uint16Array` for the bits of half floats, or a
 * `Uint8Array` for the bytes of any type. JavaScript allocates nothing for the numbers, and after
 * the first files the module's memory does not grow either.
 */
export function decodePcoInto(bytes: Bytes, to: PcoData<ArrayBufferLike>, options: PcoDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  // A Uint8Array takes the bytes of any type. Compared by name, as an array of another realm has
  // another class.
  const kind = kindOf(to);
  const type = kind === 'Uint8Array' ? 0 : (TYPES.find(([, , array]) => array.name === kind)?.[0] ?? OTHER);
  return fillBytes(to, (out) => work(view, limits, () => call((wasm) => wasm.pco_decode_into(view, out, type, limits))));
}

/** A page of a wrapped chunk. */
export interface PcoPage {
  /** The bytes of the page. */
  readonly bytes: Bytes;
  /** Number of values in the page, as stored in the outer format. */
  readonly count: number;
}

/** A chunk stored in another format, as in Vortex or Zarr: each part has a slice of its own. */
export interface PcoWrapped<D extends PcoDtype = PcoDtype> {
  /** The file header: the format version, one or two bytes. */
  readonly header: Bytes;
  /** The chunk metadata. */
  readonly meta: Bytes;
  /** Pages to decode, in any selection. */
  readonly pages: readonly PcoPage[];
  /** Type of the numbers. */
  readonly dtype: D;
}

/** Decodes pages of a wrapped chunk, each to a typed array. A page decodes without the others. */
export function decodePcoPages<D extends PcoDtype>(wrapped: PcoWrapped<D>, options: PcoDecodeOptions = {}): PcoArrays[D][] {
  const type = TYPES.find(([, dtype]) => dtype === wrapped.dtype);
  if (type === undefined) throw new TypeError(`dtype must be a number type such as 'int32', not ${String(wrapped.dtype)}`);
  const [header, meta] = [bytesOf(wrapped.header, 'header'), bytesOf(wrapped.meta, 'meta')];
  const limits = limitsOf(options, {});
  if (!Array.isArray(wrapped.pages)) throw new TypeError('pages must be an array of { bytes, count }');
  const counts = Float64Array.from(wrapped.pages, ({ count }) => {
    checkWhole('count', count);
    return count;
  });
  const pages = wrapped.pages.map(({ bytes }) => bytesOf(bytes));
  const ends = new Float64Array(pages.length);
  pages.reduce((end, { length }, index) => (ends[index] = end + length), 0);
  const all = new Uint8Array(ends.at(-1) ?? 0);
  pages.forEach((page, index) => all.set(page, ends[index]! - page.length));
  const decoded = work(meta, limits, () => call((wasm) => wasm.pco_decode_pages(header, meta, all, ends, counts, type[0], limits)));
  let end = 0;
  return Array.from(counts, (count) => {
    const start = end;
    end += count * type[2].BYTES_PER_ELEMENT;
    return new type[2](decoded.buffer.slice(start, end) as ArrayBuffer) as PcoArrays[D];
  });
}
