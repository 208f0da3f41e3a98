// Writes decoded values as files, in the worker.
import type { ExportKind, Rows } from '../values';
import { saving } from '../words';

type ArrayType = new (length: number) => ArrayBufferView;

/**
 * Half floats have a type of their own if the engine has one; else they were converted to 32 bits
 * before.
 */
const { Float16Array: Halves } = globalThis as { readonly Float16Array?: ArrayType };

/** numpy's names of array types. */
const DESCR: readonly (readonly [ArrayType, string])[] = [
  ...(Halves === undefined ? [] : ([[Halves, '<f2']] as const)),
  [Float32Array, '<f4'], [Float64Array, '<f8'], [BigInt64Array, '<i8'], [BigUint64Array, '<u8'], [Int32Array, '<i4'],
  [Uint32Array, '<u4'], [Int16Array, '<i2'], [Uint16Array, '<u2'], [Int8Array, '|i1'], [Uint8Array, '|u1'],
];

/** Returns the header of a numpy array, with two dimensions if rows have several values. */
function npyHead({ data, dimension }: Rows, rows: number): BlobPart {
  const [, descr] = DESCR.find(([type]) => data instanceof type) ?? [];
  if (descr === undefined) throw new Error(saving.noNumpy);
  const shape = dimension === 1 ? `(${rows},)` : `(${rows}, ${dimension})`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  // The data starts at a multiple of 64.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const head = new Uint8Array(10 + length);
  head.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, length & 255, length >> 8]);
  head.set(new TextEncoder().encode(`${text.padEnd(length - 1)}\n`), 10);
  return head;
}

/** Formats a number with the fewest digits that round-trip. Zero keeps its sign. */
function word(value: number | bigint): string {
  return Object.is(value, -0) ? '-0' : `${value}`;
}

/** Formats a number for JSON: non-finite values become `null`, long integers strings. */
function jsonWord(value: number | bigint): string {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? `${value}` : `"${value}"`;
  return Number.isFinite(value) ? word(value) : 'null';
}

/** Iterates over rows with their numbers and values. */
function* rowsOf({ data, dimension, start }: Rows, word: (value: number | bigint) => string): Generator<[row: number, values: string]> {
  for (let at = 0, row = start; dimension > 0 && at < data.length; at += dimension, row++) {
    yield [row, Array.from(data.subarray(at, at + dimension) as ArrayLike<number | bigint>, word).join(',')];
  }
}

/** Writes one line per row. */
function csvOf(piece: Rows): string {
  let lines = '';
  for (const [row, values] of rowsOf(piece, word)) lines += `${row},${values}\n`;
  return lines;
}

/** Writes rows as JSON; rows of several values are arrays. */
function jsonOf(piece: Rows, first: boolean): string {
  let text = '';
  for (const [, values] of rowsOf(piece, jsonWord)) text += `${first && text === '' ? '\n' : ',\n'}${piece.dimension === 1 ? values : `[${values}]`}`;
  return text;
}

/** Returns the bytes before the rows. */
function headOf(kind: ExportKind, rows: number, piece: Rows): BlobPart[] {
  switch (kind) {
    case 'npy': return [npyHead(piece, rows)];
    case 'csv': return [`row,${Array.from({ length: piece.dimension }, (_, at) => (piece.dimension === 1 ? 'value' : at)).join(',')}\n`];
    case 'json': return ['['];
    case 'raw': return [];
  }
}

/** Writes numbers as a file of this kind. There is at least one piece, which may have no rows. */
export async function* fileOf(kind: ExportKind, rows: number, pieces: AsyncIterable<Rows>): AsyncGenerator<BlobPart> {
  let first: Rows | undefined;
  for await (const piece of pieces) {
    if (first === undefined) yield* headOf(kind, rows, piece);
    else if (piece.data.constructor !== first.data.constructor) throw new Error(saving.mixed);
    if (kind === 'csv') yield csvOf(piece);
    else if (kind === 'json') yield jsonOf(piece, first === undefined);
    else yield piece.data as BlobPart;
    first ??= piece;
  }
  if (kind === 'json') yield '\n]\n';
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Strings, concatenated, from a row on. */
export interface Strings {
  readonly start: number;
  readonly offsets: Uint32Array;
  readonly bytes: Uint8Array;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Writes strings as a file of this kind: as quoted CSV, as JSON, or concatenated. */
export async function* fileOfStrings(kind: ExportKind, pieces: AsyncIterable<Strings>): AsyncGenerator<BlobPart> {
  if (kind === 'csv') yield 'row,text\n';
  if (kind === 'json') yield '[';
  for await (const { start, offsets, bytes } of pieces) {
    if (kind === 'raw') {
      yield bytes as BlobPart;
      continue;
    }
    let lines = '';
    for (let row = 0; row + 1 < offsets.length; row++) {
      const text = utf8.decode(bytes.subarray(offsets[row], offsets[row + 1]));
      lines += kind === 'csv' ? `${start + row},${quoted(text)}\n` : `${start + row === 0 ? '\n' : ',\n'}${JSON.stringify(text)}`;
    }
    yield lines;
  }
  if (kind === 'json') yield '\n]\n';
}

/** Writes rows of text with a header line. */
export function csvOfRows(names: readonly string[], rows: readonly (readonly string[])[]): BlobPart[] {
  return [names, ...rows].map((row) => `${row.map(quoted).join(',')}\n`);
}

/**
 * Writes one object per row with its columns in order. Values stay strings, so that no digit is
 * lost.
 */
export function jsonOfRows(names: readonly string[], rows: readonly (readonly string[])[]): BlobPart[] {
  const keys = apart(names).map((name) => JSON.stringify(name));
  const lines = rows.map((row) => `{${row.map((text, at) => `${keys[at] ?? `"${at}"`}:${JSON.stringify(text)}`).join(',')}}`);
  return [`[\n${lines.join(',\n')}\n]\n`];
}

/** Makes names unique by numbering repeats. */
function apart(names: readonly string[]): string[] {
  const all = new Set(names);
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let times = 2; taken.has(unique) || (unique !== name && all.has(unique)); times++) unique = `${name} (${times})`;
    taken.add(unique);
    return unique;
  });
}
