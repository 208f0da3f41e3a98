// Sorts the rows of a column, in the worker. Keys are in memory, so the number of rows is limited.
import type { UnspoolError } from 'unspool';
import { piecesOf, type Column } from '../formats/column';
import type { Tell } from '../tools/progress';
import { SIZE } from '../values';
import type { Strings } from './writers';

/** A request to sort rows. */
export interface OrderWanted {
  readonly column: number;
  /** The value of a vector to sort by. */
  readonly place: number;
  readonly descending: boolean;
  /** Maximum number of rows that may be read. */
  readonly most: number;
}

/** Rows in their order. */
export interface Ordered {
  readonly rows: Uint32Array;
  /** Number of rows in the table. Those after the sorted ones are not read. */
  readonly total: number;
}

/** Maximum number of rows to sort: keys and order take 20 bytes each. */
export const MOST_ROWS = 2 ** 24;
/** Maximum length of all texts to sort by. */
export const MOST_TEXT = 2 ** 28;

/** Sorts numbers, or vectors by one of their values. */
export async function orderOfNumbers(column: Column, { place, descending, most }: OrderWanted, tell: Tell): Promise<Ordered> {
  const { rows: total, dimension } = column;
  const keys = new Keys(Math.min(total, most, MOST_ROWS), descending);
  // Rows that cannot be decoded are last.
  const bad = (start: number, end: number, _: UnspoolError): void => {
    for (let row = start; row < end; row++) keys.none(row);
  };
  for await (const { start, data } of piecesOf(column, tell, 0, keys.length, bad)) {
    for (let row = 0; row * dimension + place < data.length; row++) {
      const value = data[row * dimension + place];
      if (typeof value === 'bigint') keys.bigint(start + row, value, data instanceof BigUint64Array);
      else keys.number(start + row, value ?? NaN);
    }
  }
  return { rows: keys.sorted(), total };
}

/** Sorts strings by their bytes, or by their size. */
export async function orderOfStrings(total: number, { column, descending, most }: OrderWanted, pieces: AsyncIterable<Strings>): Promise<Ordered> {
  const rows = Math.min(total, most, MOST_ROWS);
  if (column === SIZE) {
    const keys = new Keys(rows, descending);
    let row = 0;
    for await (const { offsets } of pieces) {
      for (let at = 0; at + 1 < offsets.length && row < rows; at++) keys.number(row++, (offsets[at + 1] ?? 0) - (offsets[at] ?? 0));
      if (row >= rows) break;
    }
    return { rows: keys.sorted(), total };
  }
  const texts = new TextKeys(rows);
  for await (const { offsets, bytes } of pieces) {
    for (let at = 0; at + 1 < offsets.length && texts.hasRoom; at++) texts.add(bytes.subarray(offsets[at], offsets[at + 1]));
    if (!texts.hasRoom) break;
  }
  return { rows: texts.sorted(descending, false), total };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;

/** Texts to sort by, one after the other. */
export class TextKeys {
  #bytes = new Uint8Array(2 ** 16);
  #end = 0;
  readonly #ends: Float64Array;
  #rows = 0;

  constructor(readonly most: number) {
    this.#ends = new Float64Array(most);
  }

  /** True if another row fits. */
  get hasRoom(): boolean {
    return this.#rows < this.most && this.#end < MOST_TEXT;
  }

  add(text: Uint8Array): void {
    const end = this.#end + text.length;
    if (end > this.#bytes.length) {
      const longer = new Uint8Array(Math.max(end, 2 * this.#bytes.length));
      longer.set(this.#bytes.subarray(0, this.#end));
      this.#bytes = longer;
    }
    this.#bytes.set(text, this.#end);
    this.#ends[this.#rows++] = this.#end = end;
  }

  #text(row: number): Uint8Array {
    return this.#bytes.subarray(row === 0 ? 0 : this.#ends[row - 1], this.#ends[row]);
  }

  /**
   * Returns the rows in order: of numbers, if all texts are and they may be, else of bytes. Of
   * numbers, rows without one are last.
   */
  sorted(descending: boolean, mayBeNumbers: boolean): Uint32Array {
    return (mayBeNumbers ? this.#asNumbers(descending) : undefined) ?? this.#asText(descending);
  }

  #asNumbers(descending: boolean): Uint32Array | undefined {
    const keys = new Keys(this.#rows, descending);
    let some = false;
    for (let row = 0; row < this.#rows; row++) {
      const text = utf8.decode(this.#text(row));
      if (text.trim() === '') {
        keys.none(row);
        continue;
      }
      if (!NUMBER.test(text)) return undefined;
      some = true;
      keys.number(row, Number(text));
    }
    return some ? keys.sorted() : undefined;
  }

  #asText(descending: boolean): Uint32Array {
    const keys = new Keys(this.#rows, descending);
    for (let row = 0; row < this.#rows; row++) keys.bytes(row, this.#text(row));
    const rows = keys.sorted();
    const sign = descending ? -1 : 1;
    // The first bytes are equal: the others decide.
    keys.eachTie(rows, (tied) => {
      // Equal texts, as of a column with few values, are in order already.
      const first = this.#text(tied[0] ?? 0);
      if (tied.some((row) => compare(first, this.#text(row)) !== 0)) tied.sort((a, b) => sign * compare(this.#text(a), this.#text(b)) || a - b);
    });
    return rows;
  }
}

function compare(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Bits of the keys that a pass of the sort looks at. */
const DIGIT = 16;

/** Keys of 64 bits whose order is that of the rows. A radix sort keeps the order of equal rows. */
class Keys {
  readonly #high: Uint32Array;
  readonly #low: Uint32Array;
  /** 1 for rows without a key, which are last in either order. */
  readonly #none: Uint8Array;
  readonly #flip: number;
  readonly #view = new DataView(new ArrayBuffer(8));

  constructor(readonly length: number, descending: boolean) {
    [this.#high, this.#low, this.#none] = [new Uint32Array(length), new Uint32Array(length), new Uint8Array(length)];
    this.#flip = descending ? 0xffff_ffff : 0;
  }

  #put(row: number, high: number, low: number): void {
    this.#high[row] = high ^ this.#flip;
    this.#low[row] = low ^ this.#flip;
  }

  none(row: number): void {
    this.#none[row] = 1;
  }

  number(row: number, value: number): void {
    if (Number.isNaN(value)) return this.none(row);
    // Both zeros are equal.
    this.#view.setFloat64(0, value === 0 ? 0 : value);
    const high = this.#view.getUint32(0);
    const low = this.#view.getUint32(4);
    // The bits of negative numbers are in reverse order.
    if (high >>> 31 === 1) this.#put(row, ~high, ~low);
    else this.#put(row, high | 0x8000_0000, low);
  }

  bigint(row: number, value: bigint, unsigned: boolean): void {
    this.#view.setBigUint64(0, BigInt.asUintN(64, value));
    this.#put(row, this.#view.getUint32(0) ^ (unsigned ? 0 : 0x8000_0000), this.#view.getUint32(4));
  }

  /** Takes the first 8 bytes of a text. */
  bytes(row: number, text: Uint8Array): void {
    const word = (at: number): number => (((text[at] ?? 0) << 24) | ((text[at + 1] ?? 0) << 16) | ((text[at + 2] ?? 0) << 8) | (text[at + 3] ?? 0)) >>> 0;
    this.#put(row, word(0), word(4));
  }

  sorted(): Uint32Array {
    let [from, to] = [Uint32Array.from({ length: this.length }, (_, row) => row), new Uint32Array(this.length)];
    const pass = (keys: Uint32Array | Uint8Array, shift: number): void => {
      const starts = new Uint32Array(2 ** DIGIT + 1);
      const digitOf = (row: number): number => ((keys[row] ?? 0) >>> shift) & (2 ** DIGIT - 1);
      for (let row = 0; row < this.length; row++) starts[digitOf(row) + 1] = (starts[digitOf(row) + 1] ?? 0) + 1;
      // All digits are equal.
      if (starts.includes(this.length)) return;
      for (let digit = 1; digit < starts.length; digit++) starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0);
      for (let at = 0; at < this.length; at++) {
        const row = from[at] ?? 0;
        const digit = digitOf(row);
        const place = starts[digit] ?? 0;
        starts[digit] = place + 1;
        to[place] = row;
      }
      [from, to] = [to, from];
    };
    for (const keys of [this.#low, this.#high]) for (const shift of [0, DIGIT]) pass(keys, shift);
    pass(this.#none, 0);
    return from;
  }

  /** Lets `sort` change the order of each run of sorted rows with equal keys. */
  eachTie(rows: Uint32Array, sort: (tied: Uint32Array) => void): void {
    const differ = (one: number, other: number): boolean => this.#high[one] !== this.#high[other] || this.#low[one] !== this.#low[other];
    for (let start = 0, end = 1; end <= rows.length; end++) {
      if (end < rows.length && !differ(rows[start] ?? 0, rows[end] ?? 0)) continue;
      if (end - start > 1) sort(rows.subarray(start, end));
      start = end;
    }
  }
}
