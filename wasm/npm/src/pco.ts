// Pco: columns of numbers.
import { refuse } from './error.js';
import { call, enter, leave } from './instance.js';
import { type Limits, limitNumbers } from './limits.js';
import { type Bytes, bytesOf } from './source.js';

/** The type of numbers, by numpy's names. */
export type PcoDtype =
  | 'uint8' | 'int8' | 'uint16' | 'int16' | 'float16' | 'uint32' | 'int32' | 'float32' | 'uint64' | 'int64' | 'float64';

/** Numbers of any type. Half floats are a `Float16Array` where the engine has one, else their bits. */
export type PcoData =
  | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array
  | BigUint64Array | BigInt64Array | Float64Array;

/** Numbers of one type that lie behind each other in a file. */
export interface PcoArray {
  readonly dtype: PcoDtype;
  readonly data: PcoData;
}

export interface PcoDecodeOptions {
  limits?: Limits;
}

type ArrayOf = new (buffer: ArrayBuffer) => PcoData;

const half = (globalThis as { Float16Array?: new (buffer: ArrayBuffer) => Uint16Array }).Float16Array ?? Uint16Array;

/** What the core calls each type, what it is called here, and what holds it. */
const TYPES: Readonly<Record<string, readonly [PcoDtype, ArrayOf]>> = {
  u8: ['uint8', Uint8Array],
  i8: ['int8', Int8Array],
  u16: ['uint16', Uint16Array],
  i16: ['int16', Int16Array],
  f16: ['float16', half],
  u32: ['uint32', Uint32Array],
  i32: ['int32', Int32Array],
  f32: ['float32', Float32Array],
  u64: ['uint64', BigUint64Array],
  i64: ['int64', BigInt64Array],
  f64: ['float64', Float64Array],
};

/** @internal Decodes all numbers: an array for each stretch of chunks of one type. */
export function decodePcoArrays(bytes: Uint8Array, options: PcoDecodeOptions): PcoArray[] {
  const limits = limitNumbers(options.limits);
  enter();
  try {
    return call((wasm) => {
      const found = wasm.pco_decode(bytes, limits);
      const types = found.types();
      const names = types === '' ? [] : types.split('\n');
      const arrays = names.map((name, index) => {
        const type = TYPES[name];
        if (type === undefined) throw new Error(`the module knows a number type that this code does not: ${name}`);
        return { dtype: type[0], data: new type[1](found.run(index).buffer as ArrayBuffer) };
      });
      found.free();
      return arrays;
    });
  } finally {
    leave();
  }
}

/**
 * Decodes a standalone file to a typed array of its own type: `BigInt64Array` for signed integers of 64 bits, `Float32Array`
 * for floats of 32, and so on. A file without numbers that names no type gives an empty `Float64Array`. The few files that
 * mix types are refused with `WrongType`; `decode` gives an array for each.
 */
export function decodePco(bytes: Bytes, options: PcoDecodeOptions = {}): PcoData {
  const [first, ...others] = decodePcoArrays(bytesOf(bytes), options);
  if (others.length > 0) throw refuse('WrongType');
  return first?.data ?? new Float64Array();
}

/** A page of a wrapped chunk and how many numbers it holds, which only the format around it knows. */
export interface PcoPage {
  readonly bytes: Bytes;
  readonly count: number;
}

/** A chunk that lies in another format, as Vortex or Zarr hold them: each part in a slice of its own. */
export interface PcoWrapped {
  /** What the file starts with: the format version, one or two bytes. */
  readonly header: Bytes;
  /** How the numbers of the chunk were taken apart. */
  readonly meta: Bytes;
  readonly pages: readonly PcoPage[];
  readonly dtype: PcoDtype;
}

/** Decodes the pages of a wrapped chunk, each to a typed array. A page can be decoded without the others. */
export function decodePcoPages(wrapped: PcoWrapped, options: PcoDecodeOptions = {}): PcoData[] {
  const [name, type] = Object.entries(TYPES).find(([, [dtype]]) => dtype === wrapped.dtype) ?? [];
  if (name === undefined || type === undefined) throw new TypeError(`dtype: ${wrapped.dtype} is no type of numbers`);
  const [header, meta] = [bytesOf(wrapped.header), bytesOf(wrapped.meta)];
  const limits = limitNumbers(options.limits);
  const pages = wrapped.pages.map(({ bytes, count }) => {
    if (!Number.isSafeInteger(count) || count < 0) throw new TypeError('count: not a number of numbers');
    return { page: bytesOf(bytes), count };
  });
  enter();
  try {
    return call((wasm) =>
      pages.map(({ page, count }) => {
        const numbers = wasm.pco_decode_page(header, meta, page, count, name, limits);
        return new type[1](numbers.buffer as ArrayBuffer);
      }),
    );
  } finally {
    leave();
  }
}
