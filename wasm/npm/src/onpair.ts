/// <reference lib="esnext.disposable" preserve="true" />
// OnPair: columns of strings, of which any row decodes alone, and which are searched without being decoded.
import type { OnPair as WasmOnPair } from '../wasm/unspool.js';
import { checkOptions, checkRow, checkRows } from './check.js';
import { salvaged, type UnspoolError } from './error.js';
import { type Exports, Held, room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, filled, isArray, kindOf } from './source.js';

const here = room('onpair');
const { call, work } = here;

/** Rows as Arrow lays out strings: all bytes behind each other, and where in them each row starts. */
export interface OnPairStrings {
  /** One more entry than there are rows: row `i` is `bytes.subarray(offsets[i], offsets[i + 1])`. */
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** How a column is opened. */
export interface OnPairOpenOptions {
  limits?: Limits | undefined;
}

/** Which rows are decoded, and how. */
export interface OnPairDecodeOptions extends OnPairOpenOptions {
  /** First row, and the row behind the last one. */
  rows?: readonly [start: number, end: number] | undefined;
}

/** The buffers of a column that lies in no container, as Arrow or Vortex would hold them. */
export type OnPairParts = {
  /** The tokens, one behind the other; padding behind the last one may be there or not. */
  readonly dictBytes: Bytes;
  /** Where each token starts, and where the last one ends. */
  readonly dictOffsets: Uint32Array | Int32Array;
  /** The code at which each row starts, and that behind the last row. */
  readonly codeOffsets: Uint32Array | Int32Array | BigUint64Array | BigInt64Array;
} & (
  | { readonly codes: Uint16Array; readonly packedCodes?: never; readonly bits?: never }
  | {
      readonly codes?: never;
      /** Codes of `bits` bits each, 1 to 16, packed from the lowest bit on. */
      readonly packedCodes: Bytes | BigUint64Array;
      readonly bits: number;
    }
);

/** What a row is compared with. A string stands for its UTF-8. Just one of the three. */
export type OnPairQuery =
  | { readonly equals: string | Uint8Array; readonly startsWith?: never; readonly contains?: never }
  | { readonly equals?: never; readonly startsWith: string | Uint8Array; readonly contains?: never }
  | { readonly equals?: never; readonly startsWith?: never; readonly contains: string | Uint8Array };

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * An open column of strings. It keeps a reference to the bytes that it was opened with, which must not change meanwhile,
 * and a copy of them in the memory of the wasm module, which {@link release} gives back.
 */
export class OnPairColumn implements Disposable {
  /** How many rows there are. */
  readonly rowCount: number;
  /** How many tokens the dictionary has. */
  readonly tokenCount: number;
  /** How many codes there are, also those that belong to no row. */
  readonly codeCount: number;
  /** Bits of a code. */
  readonly codeBits: number;
  /** Whether the dictionary is sorted and has every single byte: search is faster then. */
  readonly isSorted: boolean;
  /** How long the container is; 0 for bare buffers. What follows it is left alone. */
  readonly size: number;
  #open: (exports: Exports) => WasmOnPair;
  #column: Held<WasmOnPair> | undefined;

  /** @internal Use {@link openOnPair}. The declarations that wasm-bindgen wrote must not show in this one. */
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

  /** The bytes of a row. */
  row(index: number): Uint8Array {
    checkRow(index);
    return this.#call((column) => column.row(index));
  }

  /** A row as text. Bytes that are not UTF-8 become U+FFFD. */
  text(index: number): string {
    return utf8.decode(this.row(index));
  }

  /** The bytes of rows, of all if no bounds are given. They share one buffer. */
  rows(start?: number, end?: number): Uint8Array[];
  /** The bytes of the rows with these numbers, in this order: those that {@link search} found, say. */
  rows(numbers: Iterable<number>): Uint8Array[];
  rows(start: number | Iterable<number> = 0, end = this.rowCount): Uint8Array[] {
    if (typeof start !== 'number') {
      if (typeof start?.[Symbol.iterator] !== 'function') checkRow(start);
      return Array.from(start, (index) => this.row(index));
    }
    const { offsets, bytes } = this.decode(start, end);
    return Array.from({ length: offsets.length - 1 }, (_, at) => bytes.subarray(offsets[at], offsets[at + 1]));
  }

  /** Rows as texts. */
  texts(start?: number, end?: number): string[];
  /** The rows with these numbers as texts. */
  texts(numbers: Iterable<number>): string[];
  texts(start: number | Iterable<number> = 0, end = this.rowCount): string[] {
    const rows = typeof start === 'number' ? this.rows(start, end) : this.rows(start);
    return rows.map((row) => utf8.decode(row));
  }

  /** Decodes rows, all if no bounds are given, to one buffer and their offsets in it. */
  decode(start = 0, end = this.rowCount): OnPairStrings {
    checkRow(start);
    checkRow(end);
    return this.#call((column) => {
      const bytes = column.rows(start, end) as Uint8Array<ArrayBuffer>;
      return { offsets: column.offsets() as Uint32Array<ArrayBuffer>, bytes };
    });
  }

  /** How many bytes rows decode to, which is found out without decoding them. */
  decodedLength(start = 0, end = this.rowCount): number {
    checkRow(start);
    checkRow(end);
    return this.#call((column) => column.decoded_len(start, end));
  }

  /** The numbers of the rows that match, in ascending order, found without decoding them. Bytes are compared: case matters. */
  search(query: OnPairQuery): Uint32Array {
    const [needle, place] = needleOf(query);
    return this.#call((column) => column.search(needle, place));
  }

  /** Gives back what the column takes in the wasm module. It comes back by itself when it is needed again. */
  release(): void {
    this.#column?.free();
    this.#column = undefined;
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.release();
  }

  /** Asks the column, which is opened again where it was released, or a trap took its instance. */
  #call<T>(ask: (column: WasmOnPair) => T): T {
    if (this.#column?.isLost === true) this.release();
    this.#column ??= new Held(here, this.#open);
    return this.#column.call(ask);
  }
}

const PLACES = ['equals', 'startsWith', 'contains'] as const;

const PLACE: Readonly<Record<string, true>> = { equals: true, startsWith: true, contains: true };

/** @internal What is searched for, and where in a row. */
export function needleOf(query: OnPairQuery): [needle: Uint8Array, place: number] {
  const given = PLACES.filter((place) => query?.[place] !== undefined);
  const [place] = given;
  if (given.length === 1) checkOptions<Record<string, unknown>>(query, PLACE, 'search');
  const needle: unknown = place === undefined ? undefined : query[place];
  if (given.length !== 1 || place === undefined) throw new TypeError('search takes one of equals, startsWith and contains');
  if (typeof needle !== 'string' && !isArray(needle)) throw new TypeError(`${place} must be a string or a Uint8Array`);
  return [typeof needle === 'string' ? new TextEncoder().encode(needle) : bytesOf(needle, place), PLACES.indexOf(place)];
}

/** The bytes under a typed array of one of these types. */
function under(name: string, array: unknown, ...types: readonly (new (length: number) => ArrayBufferView)[]): Uint8Array {
  const kind = kindOf(array);
  if (!types.some(({ name }) => name === kind)) throw new TypeError(`${name} must be a ${types.map(({ name }) => name).join(' or a ')}`);
  const { buffer, byteOffset, byteLength } = array as ArrayBufferView;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function parts(given: OnPairParts, limits: Float64Array): (exports: Exports) => WasmOnPair {
  const { dictBytes, dictOffsets, codes, packedCodes, bits, codeOffsets } = given;
  if ((codes === undefined) === (packedCodes === undefined)) throw new TypeError('either codes or packedCodes are needed');
  if (packedCodes !== undefined && !(Number.isInteger(bits) && bits >= 1 && bits <= 16)) throw new TypeError('bits must be 1 to 16');
  const dictionary = bytesOf(dictBytes, 'dictBytes');
  const tokenOffsets = under('dictOffsets', dictOffsets, Uint32Array, Int32Array);
  const wide = kindOf(codeOffsets).startsWith('Big');
  const rowOffsets = under('codeOffsets', codeOffsets, Uint32Array, Int32Array, BigUint64Array, BigInt64Array);
  const words = kindOf(packedCodes) === 'BigUint64Array' ? under('packedCodes', packedCodes, BigUint64Array) : packedCodes;
  const codeBytes = words === undefined ? under('codes', codes, Uint16Array) : bytesOf(words, 'packedCodes');
  return ({ OnPair }) => OnPair.parts(dictionary, tokenOffsets, codeBytes, bits ?? 0, rowOffsets, wide, limits);
}

/** Opens a column: an `ONPAIR01` container, or the buffers that one is made of. */
export function openOnPair(source: Bytes | OnPairParts, options: OnPairOpenOptions = {}): OnPairColumn {
  const limits = limitsOf(options, {});
  if (typeof source === 'object' && source !== null && 'dictBytes' in source) return new OnPairColumn(parts(source, limits));
  const bytes = bytesOf(source);
  return new OnPairColumn(({ OnPair }: Exports) => OnPair.container(bytes, false, limits));
}

/** What a container holds, whole or broken. */
export interface OnPairSalvage {
  /** All rows, or those in front of the first row offset that is missing or wrong. */
  readonly column: OnPairColumn;
  /** What is wrong with the container, if anything is. */
  readonly error: UnspoolError | undefined;
}

/** Opens an `ONPAIR01` container that may be broken. One whose dictionary or codes are not all there is refused, as {@link openOnPair} does. */
export function salvageOnPair(bytes: Bytes, options: OnPairOpenOptions = {}): OnPairSalvage {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  const start = (): OnPairColumn => new OnPairColumn(({ OnPair }: Exports) => OnPair.container(view, true, limits));
  const [column, error] = salvaged(() => openOnPair(view, options), start);
  return { column, error };
}

/** Decodes the rows of an `ONPAIR01` container, all of them if not told which. */
export function decodeOnPair(bytes: Bytes, options: OnPairDecodeOptions = {}): OnPairStrings {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { rows: true })];
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

/** Decodes the rows of an `ONPAIR01` container to the start of `to`, one right behind the other, and gives how many bytes that were. */
export function decodeOnPairInto(bytes: Bytes, to: Uint8Array, options: OnPairDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { rows: true })];
  checkRows(options.rows);
  const [start, end] = options.rows ?? [0, undefined];
  if (!isArray(to)) throw new TypeError('strings are decoded into a Uint8Array');
  return filled(to, (out) => work(view, limits, () => call((wasm) => wasm.onpair_decode_into(view, out, start, end ?? -1, limits))));
}
