// Between decoded values and the bits that store them. Each format has a file of its own, which
// loads when a visitor first asks.
import type { OpenFile } from '../client';
import type { Report } from '../model';

/** A decoded value: a row of a column, and its place in the row. Of content, a row is a byte. */
export interface Value {
  readonly column: number;
  readonly row: number;
  readonly place: number;
}

/** One thing that a value is made of. */
export interface Piece {
  readonly what: string;
  readonly value: string;
  /** Its bits; without them it is copied or summed from others. */
  readonly bits?: Bits;
  /** The byte of the content that it is copied from. */
  readonly from?: number;
}

/** A range of bits in the file. The lowest bit of a byte is its first. */
export type Bits = readonly [start: number, end: number];

/** Values that a byte decodes to. */
export interface Found {
  readonly first: Value;
  /** In words, with the last value if there are several. */
  readonly words: string;
}

/** Relates the values of a file to its bits, in both directions. */
export interface Tracer {
  /** Returns what a value is made of; nothing if it is not known. */
  pieces(value: Value): Promise<readonly Piece[]>;
  /** Returns the values that a byte is for. */
  valuesAt(byte: number): Promise<readonly Found[]>;
}

/** Creates the tracer of an open file. */
export type MakeTracer = (file: OpenFile, report: Report) => Tracer;

/** Returns the whole bytes from `start` to `end` as bits. */
export function bytesAsBits(start: number, end: number): Bits {
  return [8 * start, 8 * end];
}

/** Returns the index of the last number that is at most `n`, or -1. */
export function lastAtMost(numbers: ArrayLike<number>, n: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= n) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Reads bits as a number, the lowest first, from bytes that start at byte `from`. */
export function bitsIn(bytes: Uint8Array, from: number, [start, end]: Bits): bigint {
  let value = 0n;
  for (let bit = end - 1; bit >= start; bit--) value = (value << 1n) | BigInt(((bytes[Math.floor(bit / 8) - from] ?? 0) >> (bit % 8)) & 1);
  return value;
}
