/// <reference lib="esnext.disposable" preserve="true" />
// OnPair: string columns with random access and search without decoding.
import type { OnPair as WasmOnPair } from '../wasm/onpair/unspool.js';
import { checkOptions } from './check.js';
import { checkRow, checkRows } from './check-numbers.js';
import { type UnspoolError } from './error.js';
import { salvaged } from './salvage.js';
import { type Exports, Handle, moduleFor } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, isArray, kindOf } from './bytes.js';
import { fillBytes } from './fill.js';
import { tablesOf } from './onpair-tables.js';
import type { ByteRange } from './source.js';

const wasmModule = moduleFor('onpair');
const { call, work } = wasmModule;

/** Rows in Arrow's string layout: all bytes concatenated, and the start of each row. */
export interface OnPairStrings {
  /** One entry more than rows: row `i` is `bytes.subarray(offsets[i], offsets[i + 1])`. */
  readonly offsets: Uint32Array<ArrayBuffer>;
  /** The bytes of all rows. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Options of {@link openOnPair}. */
export interface OnPairOpenOptions {
  /** Limits for this column. */
  limits?: Limits | undefined;
}

/** Options of {@link decodeOnPair}. */
export interface OnPairDecodeOptions extends OnPairOpenOptions {
  /** First row, and the row after the last one. All rows by default. */
  rows?: readonly [start: number, end: number] | undefined;
}

/** The buffers of a column without a container, as in Arrow or Vortex. */
export type OnPairParts = {
  /** The tokens, concatenated, with or without padding at the end. */
  readonly dictBytes: Bytes;
  /** The start of each token, and the end of the last one. */
  readonly dictOffsets: Uint32Array | Int32Array;
  /** The first code of each row, and the end of the last row. */
  readonly codeOffsets: Uint32Array | Int32Array | BigUint64Array | BigInt64Array;
} & (
  | {
      /** The codes, one per element. */
      readonly codes: Uint16Array;
      /** Absent. */
      readonly packedCodes?: never;
      /** Absent. */
      readonly bits?: never;
    }
  | {
      /** Absent. */
      readonly codes?: never;
      /** Codes of `bits` bits each, packed from the lowest bit. */
      readonly packedCodes: Bytes | BigUint64Array;
      /** Bits per code, 1 to 16. */
      readonly bits: number;
    }
);

/** A search: exactly one of the three. A string is encoded as UTF-8. */
export type OnPairQuery =
  | {
      /** The row equals this. */
      readonly equals: string | Uint8Array;
      /** Absent. */
      readonly startsWith?: never;
      /** Absent. */
      readonly contains?: never;
    }
  | {
      /** Absent. */
      readonly equals?: never;
      /** The row starts with this. */
      readonly startsWith: string | Uint8Array;
      /** Absent. */
      readonly contains?: never;
    }
  | {
      /** Absent. */
      readonly equals?: never;
      /** Absent. */
      readonly startsWith?: never;
      /** The row contains this. */
      readonly contains: string | Uint8Array;
    };

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * An open string column. It keeps a reference to the bytes it was opened with, which must not
 * change, and a copy in the module's memory, which {@link release} frees.
 */
export class OnPairColumn implements Disposable {
  /** Number of rows. */
  readonly rowCount: number;
  /** Number of tokens in the dictionary. */
  readonly tokenCount: number;
  /** Number of codes, including codes that belong to no row. */
  readonly codeCount: number;
  /** Bits per code. */
  readonly codeBits: number;
  /** True if the dictionary is sorted and has every single byte: search is faster then. */
  readonly isSorted: boolean;
  /** Length of the container, or 0 for bare buffers. Bytes after it are ignored. */
  readonly size: number;
  #open: (exports: Exports) => WasmOnPair;
  #column: Handle<WasmOnPair> | undefined;

  /** @internal Use {@link openOnPair}. Typed loosely so that generated types stay private. */
  constructor(open: (exports: never) => object) {
    this.#open = open as (exports: Exports) => WasmOnPair;
    const [rows = 0, tokens = 0, codes = 0, bits = 0, sorted = 0, size = 0] = this.#call((column) => column.facts());
    this.rowCount = rows;
    this.tokenCount = tokens;
    this.codeCount = codes;
    this.codeBits = bits;
    this.isSorted = sorted === 1;
    this.size = size;
  }

  /** Returns the bytes of a row. */
  row(index: number): Uint8Array {
    checkRow(index);
    return this.#call((column) => column.row(index));
  }

  /** Returns a row as text. Invalid UTF-8 becomes U+FFFD. */
  text(index: number): string {
    return utf8.decode(this.row(index));
  }

  /** Returns the bytes of a range of rows, by default all. They share one buffer. */
  rows(start?: number, end?: number): Uint8Array[];
  /**
   * Returns the bytes of the rows with these numbers, in this order, such as those from {@link
   * search}.
   */
  rows(numbers: Iterable<number>): Uint8Array[];
  rows(start: number | Iterable<number> = 0, end = this.rowCount): Uint8Array[] {
    if (typeof start !== 'number') {
      if (typeof start?.[Symbol.iterator] !== 'function') checkRow(start);
      return Array.from(start, (index) => this.row(index));
    }
    const { offsets, bytes } = this.decode(start, end);
    return Array.from({ length: offsets.length - 1 }, (_, at) => bytes.subarray(offsets[at], offsets[at + 1]));
  }

  /** Returns a range of rows as text, by default all. */
  texts(start?: number, end?: number): string[];
  /** Returns the rows with these numbers as text. */
  texts(numbers: Iterable<number>): string[];
  texts(start: number | Iterable<number> = 0, end = this.rowCount): string[] {
    const rows = typeof start === 'number' ? this.rows(start, end) : this.rows(start);
    return rows.map((row) => utf8.decode(row));
  }

  /** Decodes a range of rows, by default all, to one buffer and their offsets. */
  decode(start = 0, end = this.rowCount): OnPairStrings {
    checkRow(start);
    checkRow(end);
    return this.#call((column) => {
      const bytes = column.rows(start, end) as Uint8Array<ArrayBuffer>;
      return { offsets: column.offsets() as Uint32Array<ArrayBuffer>, bytes };
    });
  }

  /** Returns the decoded length of a range of rows, without decoding them. */
  decodedLength(start = 0, end = this.rowCount): number {
    checkRow(start);
    checkRow(end);
    return this.#call((column) => column.decoded_len(start, end));
  }

  /**
   * Returns the numbers of the matching rows in ascending order, without decoding. Compares bytes,
   * so case matters.
   */
  search(query: OnPairQuery): Uint32Array {
    const [needle, place] = needleOf(query);
    return this.#call((column) => column.search(needle, place));
  }

  /** Frees the column's memory in the module. The column reopens when it is used again. */
  release(): void {
    this.#column?.free();
    this.#column = undefined;
  }

  /** Calls {@link release}, for `using`. */
  [Symbol.dispose](): void {
    this.release();
  }

  /** Calls the column. Reopens it if it was released or its instance trapped. */
  #call<T>(ask: (column: WasmOnPair) => T): T {
    if (this.#column?.isLost === true) this.release();
    this.#column ??= new Handle(wasmModule, this.#open, true);
    return this.#column.call(ask);
  }
}

const PLACES = ['equals', 'startsWith', 'contains'] as const;

const PLACE: Readonly<Record<string, true>> = { equals: true, startsWith: true, contains: true };

/** @internal Returns the bytes to search for, and where in a row they must be. */
export function needleOf(query: OnPairQuery): [needle: Uint8Array, place: number] {
  const given = PLACES.filter((place) => query?.[place] !== undefined);
  const [place] = given;
  if (given.length === 1) checkOptions<Record<string, unknown>>(query, PLACE, 'search');
  const needle: unknown = place === undefined ? undefined : query[place];
  if (given.length !== 1 || place === undefined) throw new TypeError('search expects exactly one of equals, startsWith and contains');
  if (typeof needle !== 'string' && !isArray(needle)) throw new TypeError(`${place} must be a string or a Uint8Array`);
  return [typeof needle === 'string' ? new TextEncoder().encode(needle) : bytesOf(needle, place), PLACES.indexOf(place)];
}

/** Returns the bytes of a typed array of one of these types. */
function bytesUnder(name: string, array: unknown, ...types: readonly (new (length: number) => ArrayBufferView)[]): Uint8Array {
  const kind = kindOf(array);
  if (!types.some(({ name }) => name === kind)) throw new TypeError(`${name} must be a ${types.map(({ name }) => name).join(' or a ')}`);
  const { buffer, byteOffset, byteLength } = array as ArrayBufferView;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function parts(given: OnPairParts, limits: Float64Array): (exports: Exports) => WasmOnPair {
  const { dictBytes, dictOffsets, codes, packedCodes, bits, codeOffsets } = given;
  if ((codes === undefined) === (packedCodes === undefined)) throw new TypeError('expected either codes or packedCodes');
  if (packedCodes !== undefined && !(Number.isInteger(bits) && bits >= 1 && bits <= 16)) throw new TypeError('bits must be 1 to 16');
  const dictionary = bytesOf(dictBytes, 'dictBytes');
  const tokenOffsets = bytesUnder('dictOffsets', dictOffsets, Uint32Array, Int32Array);
  const wide = kindOf(codeOffsets).startsWith('Big');
  const rowOffsets = bytesUnder('codeOffsets', codeOffsets, Uint32Array, Int32Array, BigUint64Array, BigInt64Array);
  const words = kindOf(packedCodes) === 'BigUint64Array' ? bytesUnder('packedCodes', packedCodes, BigUint64Array) : packedCodes;
  const codeBytes = words === undefined ? bytesUnder('codes', codes, Uint16Array) : bytesOf(words, 'packedCodes');
  return ({ OnPair }) => OnPair.parts(dictionary, tokenOffsets, codeBytes, bits ?? 0, rowOffsets, wide, limits);
}

/** Opens a column: an `ONPAIR01` container, or the buffers of a column. */
export function openOnPair(source: Bytes | OnPairParts, options: OnPairOpenOptions = {}): OnPairColumn {
  const limits = limitsOf(options, { limits: true });
  if (typeof source === 'object' && source !== null && 'dictBytes' in source) return new OnPairColumn(parts(source, limits));
  const bytes = bytesOf(source);
  return new OnPairColumn(({ OnPair }: Exports) => OnPair.container(bytes, false, limits));
}

/** Result of {@link salvageOnPair}. */
export interface OnPairSalvage {
  /** The intact rows: those before the first missing or wrong row offset. */
  readonly column: OnPairColumn;
  /** The error in the container, if any. */
  readonly error: UnspoolError | undefined;
}

/** Opens an `ONPAIR01` container that may be broken. Its dictionary and codes must be complete. */
export function salvageOnPair(bytes: Bytes, options: OnPairOpenOptions = {}): OnPairSalvage {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  const start = (): OnPairColumn => new OnPairColumn(({ OnPair }: Exports) => OnPair.container(view, true, limits));
  const [column, error] = salvaged(() => openOnPair(view, options), start);
  return { column, error };
}

/** The header of a container, as its writer stated it. */
export interface OnPairHeader {
  /** Number of rows. */
  readonly rowCount: number;
  /** Number of tokens in the dictionary. */
  readonly tokenCount: number;
  /** Bits per code. */
  readonly codeBits: number;
  /** Length of the container, which more bytes may follow. */
  readonly end: number;
  /** Not stated: {@link OnPairColumn.decodedLength} counts the bytes of the strings. */
  readonly size: undefined;
}

/** Reads the counts in a container. Decodes and validates nothing. */
export function onPairHeader(bytes: Bytes): OnPairHeader {
  const view = bytesOf(bytes);
  const walk = tablesOf(view.length);
  let step = walk.next();
  while (step.done !== true) step = walk.next(view.subarray(step.value.start, step.value.end));
  const { bits, tokenOffsets, rowOffsets } = step.value;
  const entries = ({ start, end }: ByteRange): number => Math.max(0, (end - start) / 4 - 1);
  return { rowCount: entries(rowOffsets), tokenCount: entries(tokenOffsets), codeBits: bits, end: rowOffsets.end, size: undefined };
}

/** Decodes rows of an `ONPAIR01` container, by default all. */
export function decodeOnPair(bytes: Bytes, options: OnPairDecodeOptions = {}): OnPairStrings {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true, rows: true })];
  checkRows(options.rows);
  return work(view, limits, () => {
    const column = openOnPair(view, { limits: options.limits });
    try {
      return column.decode(...(options.rows ?? []));
    } finally {
      column.release();
    }
  });
}

/**
 * Decodes rows of an `ONPAIR01` container to the start of `to`, concatenated. Returns the number of
 * bytes written.
 */
export function decodeOnPairInto(bytes: Bytes, to: Uint8Array, options: OnPairDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true, rows: true })];
  checkRows(options.rows);
  const [start, end] = options.rows ?? [0, undefined];
  if (!isArray(to)) throw new TypeError('the output for strings must be a Uint8Array');
  return fillBytes(to, (out) => work(view, limits, () => call((wasm) => wasm.onpair_decode_into(view, out, start, end ?? -1, limits))));
}
