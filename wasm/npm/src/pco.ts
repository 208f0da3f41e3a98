// Pco: columns of numbers.
import { checkWhole } from './check-numbers.js';
import { refuse, UnspoolError } from './error.js';
import { salvaged } from './salvage.js';
import { HalfFloats, toDoubles } from './half.js';
import { moduleFor } from './instance.js';
import { join } from './join.js';
import { defaultNumbers, type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, kindOf } from './bytes.js';
import { fillBytes } from './fill.js';

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

/** Numbers of one type. Checking `dtype` narrows the type of `data`. */
export type PcoArray<D extends PcoDtype = PcoDtype> = {
  [K in D]: {
    /** Type of the numbers. */
    readonly dtype: K;
    /** The numbers. */
    readonly data: PcoArrays[K];
  };
}[D];

/** Options for reading Pco. */
export interface PcoOptions {
  /** Limits for this call. */
  limits?: Limits | undefined;
}

/** Options of {@link decodePco}. */
export interface PcoDecodeOptions extends PcoOptions {
  /**
   * `float64` converts numbers of any type, and joins those of a file that mixes types. Rounds
   * 64-bit integers to the nearest number.
   */
  as?: 'float64' | undefined;
}

/** A typed array's constructor. */
type ArrayOf = { new (buffer: ArrayBuffer): PcoData; readonly name: string; readonly BYTES_PER_ELEMENT: number };

/** The type byte in files, the name and the typed array of each type, in the order of the bytes. */
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

const typeOf = (byte = 0) => TYPES[byte - 1];

/** A type byte that no file has, for arrays that cannot hold numbers. */
const OTHER = 255;

/** Receives views of the numbers in the module, with their type bytes. */
interface Runs {
  push(byte: number, numbers: Uint8Array): void;
}

/** An array for each run. */
class Arrays implements Runs {
  readonly all: PcoArray[] = [];

  push(byte: number, numbers: Uint8Array): void {
    const type = typeOf(byte);
    if (type === undefined) throw new Error(`unknown number type ${byte}: the wasm module does not match its JavaScript`);
    this.all.push({ dtype: type[1], data: new type[2](new Uint8Array(numbers).buffer) } as PcoArray);
  }
}

/** @internal Decodes all numbers: one array for each run of chunks of the same type. */
export function decodePcoArrays(bytes: Uint8Array, limits: Float64Array): PcoArray[] {
  const arrays = new Arrays();
  decodeTo(arrays, bytes, limits);
  return arrays.all;
}

/**
 * Passes on the numbers. Returns the length of the file. If it is broken, throws after the numbers
 * before the error. Refuses numbers of another type than `only` and more bytes than `room`.
 */
function decodeTo(runs: Runs, bytes: Uint8Array, limits: Float64Array, only = 0, room = Infinity): number {
  // Copying the defaults to the module would take 2 to 4 % of a short call.
  const given = limits === defaultNumbers ? undefined : limits;
  return work(bytes, limits, () => call((wasm) => wasm.pco_decode(bytes, given, only, room, runs)));
}

/** Decodes a standalone file to numbers of type `float64`. */
export function decodePco(bytes: Bytes, options: PcoDecodeOptions & { as: 'float64' }): PcoArray<'float64'>;
/**
 * Decodes a standalone file to a typed array of its type, such as `BigInt64Array` for signed 64-bit
 * integers or `Float32Array` for 32-bit floats. A file without numbers that names no type becomes
 * an empty `Float64Array`. A file that mixes types is refused with `WrongType`; use `decode` for
 * it, or `as`.
 */
export function decodePco(bytes: Bytes, options?: PcoDecodeOptions): PcoArray;
export function decodePco(bytes: Bytes, options: PcoDecodeOptions = {}): PcoArray {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true, as: true })];
  if (options.as !== undefined && options.as !== 'float64') throw new TypeError("as must be 'float64'");
  const arrays = decodePcoArrays(view, limits);
  const [first] = arrays;
  if (first === undefined) return { dtype: 'float64', data: new Float64Array() };
  if (options.as !== undefined) return { dtype: 'float64', data: joinDoubles(arrays) };
  if (arrays.length > 1) throw refuse('WrongType', 0, 0, `the file mixes ${[...new Set(arrays.map(({ dtype }) => dtype))].join(', ')}`);
  return first;
}

/** Converts arrays of any type to one of doubles. */
function joinDoubles(arrays: readonly PcoArray[]): Float64Array<ArrayBuffer> {
  const parts = arrays.map(({ dtype, data }) => (dtype === 'float64' ? data : toDoubles(data, dtype)));
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  return join(parts, (length) => new Float64Array(length));
}

/** The header of a file, as its writer stated it. */
export interface PcoHeader {
  /** Type of the first chunk's numbers; `undefined` if the file has neither chunks nor type. */
  readonly dtype: PcoDtype | undefined;
  /** Count of the numbers; `undefined` if not stated. The chunks may hold more or fewer. */
  readonly count: number | undefined;
  /** Bytes of these numbers. */
  readonly size: number | undefined;
}

/** Maximum length of a header, and the type of the first chunk. */
const HEADER = 18;

/** Reads the header at the start of `bytes`; 18 bytes are enough. Decodes nothing. */
export function pcoHeader(bytes: Bytes): PcoHeader {
  const view = bytesOf(bytes).subarray(0, HEADER);
  const [byte, hint = 0, isEmpty] = call((wasm) => wasm.pco_header(view));
  const type = typeOf(byte);
  const count = isEmpty === 1 ? 0 : hint > 0 ? hint : undefined;
  return { dtype: type?.[1], count, size: count && type ? count * type[2].BYTES_PER_ELEMENT : count };
}

/** Result of {@link salvagePco}. */
export interface PcoSalvage {
  /** The numbers before the error, or all of them: one array for each run of one type. */
  readonly arrays: readonly PcoArray[];
  /** The error in the file, if any. */
  readonly error: UnspoolError | undefined;
  /** Length of the file, which more bytes may follow; `undefined` if it has an error. */
  readonly end: number | undefined;
}

/**
 * Decodes a standalone file that may be broken. Stops at the first error, to the nearest 256
 * numbers.
 */
export function salvagePco(bytes: Bytes, options: PcoOptions = {}): PcoSalvage {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  const arrays = new Arrays();
  const [end, error] = salvaged<number | undefined>(() => decodeTo(arrays, view, limits), () => undefined);
  return { arrays: arrays.all, error, end };
}

/**
 * Decodes a standalone file to the start of `to`. Returns the number of elements written.
 *
 * `to` is an array of the file's type, a `Uint16Array` for the bits of half floats, or a
 * `Uint8Array` for the bytes of any type. JavaScript allocates nothing for the numbers, and after
 * the first files the module's memory does not grow either.
 */
export function decodePcoInto(bytes: Bytes, to: PcoData<ArrayBufferLike>, options: PcoOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  // A Uint8Array takes the bytes of any type. Compared by name, as an array of another realm has
  // another class.
  const kind = kindOf(to);
  const type = kind === 'Uint8Array' ? 0 : (TYPES.find(([, , array]) => array.name === kind)?.[0] ?? OTHER);
  try {
    return fillBytes(to, (out) => {
      let written = 0;
      const push = (_: number, numbers: Uint8Array): void => {
        out.set(numbers, written);
        written += numbers.length;
      };
      decodeTo({ push }, view, limits, type, out.length);
      return written;
    });
  } catch (error) {
    if (!(error instanceof UnspoolError) || error.name !== 'WrongType' || kind === 'Uint8Array') throw error;
    const { offset } = error;
    // A chunk starts with its type.
    const is = typeOf(view[offset])?.[1] ?? 'of another type';
    throw refuse('WrongType', offset, 0, `the numbers are ${is}, the array is a ${kind}`);
  }
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

/** Decodes pages of a wrapped chunk, each on its own. A page decodes without the others. */
export function decodePcoPages<D extends PcoDtype>(wrapped: PcoWrapped<D>, options: PcoOptions = {}): PcoArray<D>[] {
  const type = TYPES.find(([, dtype]) => dtype === wrapped.dtype);
  if (type === undefined) throw new TypeError(`dtype must be a number type such as 'int32', not ${String(wrapped.dtype)}`);
  const [header, meta] = [bytesOf(wrapped.header, 'header'), bytesOf(wrapped.meta, 'meta')];
  const limits = limitsOf(options, { limits: true });
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
    return { dtype: wrapped.dtype, data: new type[2](decoded.buffer.slice(start, end) as ArrayBuffer) } as unknown as PcoArray<D>;
  });
}
