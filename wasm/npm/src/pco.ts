// Pco: columns of numbers.
import { checkWhole } from './check.js';
import { refuse, salvaged, type UnspoolError } from './error.js';
import { HalfFloats } from './half.js';
import { room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, filled, kindOf } from './source.js';

const { call, work } = room('pco');

/** What holds the numbers of each type. Half floats are a `Float16Array` where the engine has one, else their bits. */
export interface PcoArrays<B extends ArrayBufferLike = ArrayBuffer> {
  uint8: Uint8Array<B>;
  int8: Int8Array<B>;
  uint16: Uint16Array<B>;
  int16: Int16Array<B>;
  float16: HalfFloats<B>;
  uint32: Uint32Array<B>;
  int32: Int32Array<B>;
  float32: Float32Array<B>;
  uint64: BigUint64Array<B>;
  int64: BigInt64Array<B>;
  float64: Float64Array<B>;
}

/** The type of numbers, by numpy's names. */
export type PcoDtype = keyof PcoArrays;

/** Numbers of any type. */
export type PcoData<B extends ArrayBufferLike = ArrayBuffer> = PcoArrays<B>[PcoDtype];

/** Numbers of one type that lie behind each other in a file. Whoever asks for its `dtype` knows the type of its `data`. */
export type PcoArray = { [D in PcoDtype]: { readonly dtype: D; readonly data: PcoArrays[D] } }[PcoDtype];

/** How Pco is decoded. */
export interface PcoDecodeOptions {
  limits?: Limits | undefined;
}

type ArrayOf = { new (buffer: ArrayBuffer): PcoData; readonly name: string; readonly BYTES_PER_ELEMENT: number };

/** The byte that stands for each type in files, what it is called here, and what holds it. */
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

/** A type that no file has, for arrays that none is decoded to. */
const OTHER = 255;

/** @internal Decodes all numbers: an array for each stretch of chunks of one type. */
export function decodePcoArrays(bytes: Uint8Array, limits: Float64Array): PcoArray[] {
  return work(bytes, limits, () => arraysOf(bytes, limits, false));
}

function arraysOf(bytes: Uint8Array, limits: Float64Array, salvage: boolean): PcoArray[] {
  const found = call((wasm) => wasm.pco_decode(bytes, limits, salvage)) as (number | Uint8Array)[];
  const arrays: PcoArray[] = [];
  for (let at = 0; at < found.length; at += 2) {
    const type = TYPES.find(([known]) => known === found[at]);
    if (type === undefined) throw new Error(`the module knows a number type that this code does not: ${String(found[at])}`);
    arrays.push({ dtype: type[1], data: new type[2]((found[at + 1] as Uint8Array<ArrayBuffer>).buffer) } as PcoArray);
  }
  return arrays;
}

/**
 * Decodes a standalone file to a typed array of its own type: `BigInt64Array` for signed integers of 64 bits, `Float32Array`
 * for floats of 32, and so on. A file without numbers that names no type gives an empty `Float64Array`. The few files that
 * mix types are refused with `WrongType`; `decode` gives an array for each.
 */
export function decodePco(bytes: Bytes, options: PcoDecodeOptions = {}): PcoData {
  const [first, ...others] = decodePcoArrays(bytesOf(bytes), limitsOf(options, {}));
  if (others.length > 0) throw refuse('WrongType');
  return first?.data ?? new Float64Array();
}

/** What a file holds, whole or broken. */
export interface PcoSalvage {
  /** The numbers in front of the place where the file breaks, or all of them: an array for each stretch of one type. */
  readonly arrays: readonly PcoArray[];
  /** What is wrong with the file, if anything is. */
  readonly error: UnspoolError | undefined;
}

/** Decodes a standalone file that may be broken: all of it, or what comes before the break, in steps of 256 numbers. */
export function salvagePco(bytes: Bytes, options: PcoDecodeOptions = {}): PcoSalvage {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  const start = (): PcoArray[] => work(view, limits, () => arraysOf(view, limits, true));
  const [arrays, error] = salvaged(() => decodePcoArrays(view, limits), start);
  return { arrays, error };
}

/**
 * Decodes a standalone file to the start of `to`, and gives how many of its elements were written. `to` is an array of the
 * type of the numbers, a `Uint16Array` for the bits of half floats, or a `Uint8Array` for the bytes of any. Nothing is allocated for the numbers, and after the first files the
 * memory of the module does not grow, either.
 */
export function decodePcoInto(bytes: Bytes, to: PcoData<ArrayBufferLike>, options: PcoDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  // Bytes are bytes, whatever the type. By its name, because an array of another realm is an instance of no class of this one.
  const kind = kindOf(to);
  const type = kind === 'Uint8Array' ? 0 : (TYPES.find(([, , array]) => array.name === kind)?.[0] ?? OTHER);
  return filled(to, (out) => work(view, limits, () => call((wasm) => wasm.pco_decode_into(view, out, type, limits))));
}

/** A page of a wrapped chunk and how many numbers it holds, which only the format around it knows. */
export interface PcoPage {
  readonly bytes: Bytes;
  readonly count: number;
}

/** A chunk that lies in another format, as Vortex or Zarr hold them: each part in a slice of its own. */
export interface PcoWrapped<D extends PcoDtype = PcoDtype> {
  /** What the file starts with: the format version, one or two bytes. */
  readonly header: Bytes;
  /** How the numbers of the chunk were taken apart. */
  readonly meta: Bytes;
  readonly pages: readonly PcoPage[];
  readonly dtype: D;
}

/** Decodes the pages of a wrapped chunk, each to a typed array. A page can be decoded without the others. */
export function decodePcoPages<D extends PcoDtype>(wrapped: PcoWrapped<D>, options: PcoDecodeOptions = {}): PcoArrays[D][] {
  const type = TYPES.find(([, dtype]) => dtype === wrapped.dtype);
  if (type === undefined) throw new TypeError(`dtype: ${wrapped.dtype} is no type of numbers`);
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
