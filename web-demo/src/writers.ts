// Decoded values as files, made in the worker.
import type { ExportKind, Rows } from './values';

/** numpy's names of the types of arrays. */
const DESCR: readonly (readonly [new (length: number) => ArrayBufferView, string])[] = [
  [Float32Array, '<f4'], [Float64Array, '<f8'], [BigInt64Array, '<i8'], [BigUint64Array, '<u8'], [Int32Array, '<i4'],
  [Uint32Array, '<u4'], [Int16Array, '<i2'], [Uint16Array, '<u2'], [Int8Array, '|i1'], [Uint8Array, '|u1'],
];

/** A numpy array, of two dimensions where rows have several values. */
export function npy({ data, dimension }: Rows): BlobPart[] {
  const [, descr] = DESCR.find(([type]) => data instanceof type) ?? [];
  if (descr === undefined) throw new Error('numpy has no name for this type');
  const rows = dimension === 0 ? 0 : data.length / dimension;
  const shape = dimension === 1 ? `(${rows},)` : `(${rows}, ${dimension})`;
  const text = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`;
  // The data starts at a multiple of 64.
  const length = Math.ceil((10 + text.length + 1) / 64) * 64 - 10;
  const head = new Uint8Array(10 + length);
  head.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, length & 255, length >> 8]);
  head.set(new TextEncoder().encode(`${text.padEnd(length - 1)}\n`), 10);
  return [head, data as BlobPart];
}

/** A line for each row, under the numbers of the columns. */
export function csv({ data, dimension, start }: Rows): BlobPart[] {
  const parts = [`row,${Array.from({ length: dimension }, (_, at) => (dimension === 1 ? 'value' : at)).join(',')}\n`];
  for (let at = 0, row = start; dimension > 0 && at < data.length; at += dimension, row++) {
    parts.push(`${row},${data.subarray(at, at + dimension).join(',')}\n`);
  }
  return parts;
}

/** A list of rows; rows of several values are lists. What JSON has no words for becomes null, and long integers strings. */
export function json({ data, dimension }: Rows): BlobPart[] {
  const word = (value: number | bigint): string =>
    typeof value === 'bigint' ? (Number.isSafeInteger(Number(value)) ? `${value}` : `"${value}"`) : Number.isFinite(value) ? `${value}` : 'null';
  const parts: string[] = [];
  for (let at = 0; dimension > 0 && at < data.length; at += dimension) {
    const row = Array.from(data.subarray(at, at + dimension) as ArrayLike<number | bigint>, word).join(',');
    parts.push(`${at === 0 ? '[\n' : ',\n'}${dimension === 1 ? row : `[${row}]`}`);
  }
  return [...(parts.length === 0 ? ['['] : parts), '\n]\n'];
}

/** Rows as a file of a kind. */
export function fileOf(kind: ExportKind, rows: Rows): BlobPart[] {
  switch (kind) {
    case 'csv': return csv(rows);
    case 'json': return json(rows);
    case 'npy': return npy(rows);
    case 'raw': return [rows.data as BlobPart];
  }
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Texts as CSV, quoted wherever that might be needed. */
export function csvOfTexts(texts: readonly string[]): BlobPart[] {
  return ['row,text\n', ...texts.map((text, row) => `${row},${quoted(text)}\n`)];
}

/** Rows of texts under the names of their columns. */
export function csvOfRows(names: readonly string[], rows: readonly (readonly string[])[]): BlobPart[] {
  return [names, ...rows].map((row) => `${row.map(quoted).join(',')}\n`);
}

/** An object for each row. What it holds stays text, so that no digit is lost. */
export function jsonOfRows(names: readonly string[], rows: readonly (readonly string[])[]): BlobPart[] {
  const lines = rows.map((row) => JSON.stringify(Object.fromEntries(row.map((text, at) => [names[at] ?? at, text]))));
  return [`[\n${lines.join(',\n')}\n]\n`];
}

export function jsonOfTexts(texts: readonly string[]): BlobPart[] {
  return texts.length === 0 ? ['[]\n'] : [...texts.map((text, at) => `${at === 0 ? '[\n' : ',\n'}${JSON.stringify(text)}`), '\n]\n'];
}
