/**
 * Arrow IPC: results as a stream that apache-arrow, flechette, DuckDB-wasm and Perspective read,
 * and Zstandard for compressed IPC files.
 *
 * @module unspool/arrow
 */
import { checkOptions } from '../check.js';
import type { CvcVectors } from '../cvc.js';
import type { Decoded } from '../decode.js';
import { decodeZstd } from '../entries/zstd.js';
import { join } from '../join.js';
import type { OnPairStrings } from '../onpair.js';
import type { PcoArray } from '../pco.js';
import { flatbuffer, type FlatTable } from './flatbuffer.js';

/** Results that become a table: of `decode`, or of the function of a format. */
export type ArrowSource = Decoded | PcoArray | CvcVectors | OnPairStrings;

/** Options of {@link toArrowIPC}. */
export interface ArrowOptions {
  /** Name of a column that has none; `value` by default. */
  name?: string | undefined;
}

/**
 * Writes a result as an Arrow IPC stream of one record batch.
 *
 * - Pco: a column of its type. A file that mixes types is refused.
 * - CVC: a column of fixed-size lists for each column of vectors.
 * - OnPair: a column of `Utf8`, or `Binary` if a row is not valid UTF-8; `LargeUtf8` and
 *   `LargeBinary` above 2 GiB.
 *
 * Bytes and files are no columns, and are refused with a `TypeError`.
 */
export function toArrowIPC(source: ArrowSource, options: ArrowOptions = {}): Uint8Array<ArrayBuffer> {
  checkOptions(options, { name: true });
  const columns = columnsOf(source, options.name ?? 'value');
  const rows = columns[0]?.rows ?? 0;
  const schema: FlatTable = [undefined, { tables: columns.map(fieldOf) }];
  const nodes = columns.flatMap(({ rows, dimension }): [number, number][] => (dimension === undefined ? [[rows, 0]] : [[rows, 0], [rows * dimension, 0]]));
  const buffers: [number, number][] = [];
  const body: Uint8Array[] = [];
  let end = 0;
  for (const { buffers: parts } of columns) {
    for (const part of parts) {
      buffers.push([end, part.length]);
      body.push(part);
      end += padded(part.length);
    }
  }
  const batch: FlatTable = [{ i64: rows }, { pairs: nodes }, { pairs: buffers }];
  return joinBytes([message(SCHEMA, schema, 0), message(RECORD_BATCH, batch, end), ...body.flatMap((part) => [part, new Uint8Array(padded(part.length) - part.length)]), END]);
}

/** A codec, as the registries of apache-arrow and flechette take it. */
export interface ZstdCodec {
  /** Decodes a buffer. */
  readonly decode: (bytes: Uint8Array) => Uint8Array<ArrayBuffer>;
}

/** Zstandard for the codec registries of apache-arrow and flechette: they read compressed IPC. */
export const zstdCodec: ZstdCodec = { decode: (bytes) => decodeZstd(bytes) };

/** A column, with its buffers in the order of the format. */
interface ArrowColumn {
  readonly name: string;
  readonly type: readonly [id: number, table: FlatTable];
  readonly rows: number;
  /** Values per row of a fixed-size list, and the type of the list. */
  readonly dimension?: number;
  readonly buffers: readonly Uint8Array[];
}

// Numbers of the types in Arrow's schema, and of messages.
const [INT, FLOAT, BINARY, UTF8, FIXED_SIZE_LIST, LARGE_BINARY, LARGE_UTF8] = [2, 3, 4, 5, 16, 19, 20];
const [SCHEMA, RECORD_BATCH] = [1, 3];
const VERSION_5 = 4;

/** A buffer that is left out: no value is null. */
const NO_NULLS = new Uint8Array();
/** Marks the start of a message, and the end of the stream. */
const CONTINUATION = Uint8Array.of(255, 255, 255, 255);
const END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

const padded = (length: number): number => 8 * Math.ceil(length / 8);

const bytesUnder = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array => new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);

function columnsOf(source: ArrowSource, name: string): ArrowColumn[] {
  if (typeof source !== 'object' || source === null) throw new TypeError('toArrowIPC expects a result of decode, decodePco, decodeCvc or decodeOnPair');
  if ('arrays' in source) {
    const [first, ...others] = source.arrays;
    if (others.length > 0) throw new TypeError('the file mixes types of numbers; write each array by itself');
    return [numbers(name, first ?? { dtype: 'float64', data: new Float64Array() })];
  }
  if ('columns' in source) return source.columns.map((column) => vectors(column, name));
  if ('shape' in source) return [vectors(source, name)];
  if ('dtype' in source) return [numbers(name, source)];
  if ('offsets' in source) return [strings(name, source)];
  throw new TypeError(`${'format' in source ? source.format : 'this result'} has no columns`);
}

/** Returns the Arrow type of numbers. */
function typeOf(dtype: string): [id: number, table: FlatTable] {
  const [, kind, bits] = /^(u?int|float)(\d+)$/.exec(dtype) ?? [];
  if (kind === undefined) throw new TypeError(`unknown type ${dtype}`);
  if (kind === 'float') return [FLOAT, [{ i16: ['16', '32', '64'].indexOf(bits ?? '') }]];
  return [INT, [{ i32: Number(bits) }, { i8: kind === 'int' ? 1 : 0 }]];
}

function numbers(name: string, { dtype, data }: { readonly dtype: string; readonly data: ArrayBufferView & { readonly length: number } }): ArrowColumn {
  return { name, type: typeOf(dtype), rows: data.length, buffers: [NO_NULLS, bytesUnder(data)] };
}

function vectors({ column, dtype, shape: [rows, dimension], data }: CvcVectors, name: string): ArrowColumn {
  return { name: column || name, type: typeOf(dtype), rows, dimension, buffers: [NO_NULLS, NO_NULLS, bytesUnder(data)] };
}

function strings(name: string, { offsets, bytes }: OnPairStrings): ArrowColumn {
  const isLarge = bytes.length >= 2 ** 31;
  const isText = isUtf8(offsets, bytes);
  const places = isLarge ? BigInt64Array.from(offsets, BigInt) : offsets;
  const type = isText ? (isLarge ? LARGE_UTF8 : UTF8) : isLarge ? LARGE_BINARY : BINARY;
  return { name, type: [type, []], rows: offsets.length - 1, buffers: [NO_NULLS, bytesUnder(places), bytes] };
}

/** Returns `true` if every row is valid UTF-8: all together, and no row starts within a letter. */
function isUtf8(offsets: Uint32Array, bytes: Uint8Array): boolean {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    // In pieces, as a string has a maximum length.
    for (let at = 0; at < bytes.length; at += 2 ** 20) decoder.decode(bytes.subarray(at, at + 2 ** 20), { stream: true });
    decoder.decode();
  } catch {
    return false;
  }
  return offsets.every((start) => ((bytes[start] ?? 0) & 0xc0) !== 0x80);
}

/** Describes a column in the schema. */
function fieldOf({ name, type: [id, type], dimension }: ArrowColumn): FlatTable {
  if (dimension === undefined) return field(name, id, type, []);
  return field(name, FIXED_SIZE_LIST, [{ i32: dimension }], [field('item', id, type, [])]);
}

function field(name: string, id: number, type: FlatTable, children: readonly FlatTable[]): FlatTable {
  return [{ text: name }, { i8: 0 }, { i8: id }, { table: type }, undefined, { tables: children }];
}

/** Returns a message without its body. */
function message(kind: number, header: FlatTable, bodyLength: number): Uint8Array {
  const metadata = flatbuffer([{ i16: VERSION_5 }, { i8: kind }, { table: header }, { i64: bodyLength }]);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setInt32(0, metadata.length, true);
  return joinBytes([CONTINUATION, length, metadata]);
}

const joinBytes = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => join(parts, (length) => new Uint8Array(length));
