// Reads and decodes, off the page's thread. One worker serves one file and dies with it.
import {
  decode, inspect, openCvc, openOnPair, UnspoolError, type CvcData, type CvcFile, type OnPairColumn, type PcoArray, type PcoData,
} from 'unspool';
import { count } from './format';
import { buildModel, type Fault, type Report, type Summary } from './model';
import type { Structure } from 'unspool';

/** How a needle must lie in a row. */
export type Place = 'contains' | 'startsWith' | 'equals';

export type Request =
  | { readonly id: number; readonly open: Blob }
  | { readonly id: number; readonly rows: { column: number; start: number; end: number } }
  /** Rows by their numbers, or those from `start` to `end`. */
  | { readonly id: number; readonly texts: { numbers: Uint32Array | undefined; start: number; end: number } }
  | { readonly id: number; readonly search: { place: Place; needle: string } };

export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Fault };

/** Rows of a column, as numbers that can be drawn. */
export interface Rows {
  readonly start: number;
  readonly dimension: number;
  readonly data: CvcData | PcoData;
}

/** Rows of a column of strings. */
export interface Texts {
  readonly rows: readonly { readonly row: number; readonly text: string; readonly bytes: number }[];
}

/** Most letters of a row that are shown. */
const MOST_TEXT = 2000;

/** Above this the structure is not looked at: it would take as much memory again. */
const MOST = 1.5e9;

let file: CvcFile | undefined;
let strings: OnPairColumn | undefined;
let numbers: readonly PcoArray[] = [];

async function open(blob: Blob): Promise<Report> {
  if (blob.size > MOST) throw new Error('This page looks at files up to 1.5 GB. The npm package reads larger ones by ranges.');
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const { format, size, structure, error, checksums } = inspect(bytes);
  let summary: Summary | undefined;
  try {
    if (format === 'cvc') summary = summarise((file = await openCvc(blob)));
    if (format === 'onpair') summary = summariseStrings((strings = openOnPair(bytes)));
    if (format === 'pco') {
      const decoded = decode(bytes);
      numbers = 'arrays' in decoded ? decoded.arrays : [];
      summary = summariseNumbers(numbers, structure);
    }
  } catch (error) {
    // The structure has the same error, and as much of the file as can be read.
    if (!(error instanceof UnspoolError)) throw error;
  }
  return { format, size, model: buildModel(structure, size), summary, error: error?.toJSON(), checksums };
}

const WIDTHS = { float32: 4, float16: 2, int64: 8, int32: 4, int8: 1, uint8: 1 };

function summarise(file: CvcFile): Summary {
  const { rows, chunkCount, sections } = file;
  const columns = file.columns.map(({ name, dimension, compression, dtype = 'unknown type' }) => ({ name, dimension, compression, dtype }));
  const decoded = file.columns.reduce((sum, column) => {
    try {
      return sum + rows * column.dimension * WIDTHS[column.output];
    } catch (error) {
      // A column of a type that cannot be decoded has no size, either.
      if (!(error instanceof UnspoolError)) throw error;
      return sum;
    }
  }, 0);
  const [only] = columns;
  const facts: [string, string][] = [['Rows', count(rows)]];
  if (columns.length === 1 && only !== undefined) facts.push(['Dimension', count(only.dimension)], ['Stored as', only.compression]);
  else facts.push(['Columns', count(columns.length)]);
  facts.push(['Chunks', count(chunkCount)]);
  if (sections.length > 0) facts.push(['Sections', count(sections.length)]);
  return { version: file.version.join('.'), facts, rows, columns, isStrings: false, hasChecksums: file.hasChecksums, decoded };
}

function summariseStrings(column: OnPairColumn): Summary {
  const { rowCount, tokenCount, codeCount, codeBits, isSorted } = column;
  const facts: [string, string][] = [
    ['Rows', count(rowCount)],
    ['Tokens', `${count(tokenCount)}, ${isSorted ? 'sorted' : 'not sorted'}`],
    ['Codes', `${count(codeCount)} of ${codeBits} bits`],
  ];
  return { version: '', facts, rows: rowCount, columns: [], isStrings: true, hasChecksums: undefined, decoded: column.decodedLength() };
}

function summariseNumbers(arrays: readonly PcoArray[], { names, name, length }: Structure): Summary {
  const columns = arrays.map(({ dtype, data }) => ({ name: dtype, dimension: 1, dtype, compression: 'none', rows: data.length }));
  const rows = columns.reduce((sum, { rows }) => sum + rows, 0);
  const decoded = arrays.reduce((sum, { data }) => sum + data.byteLength, 0);
  const chunk = names.indexOf('chunk');
  let chunks = 0;
  for (let at = 0; at < length; at++) if (name[at] === chunk) chunks++;
  const facts: [string, string][] = [['Numbers', count(rows)], ['Type', columns.map(({ dtype }) => dtype).join(', ')], ['Chunks', count(chunks)]];
  return { version: '', facts: facts.filter(([, fact]) => fact !== ''), rows, columns, isStrings: false, hasChecksums: undefined, decoded };
}

async function rows({ column, start, end }: { column: number; start: number; end: number }): Promise<Rows> {
  const array = numbers[column];
  if (array !== undefined) {
    const { dtype, data } = array;
    const part = data.slice(start, end);
    // Half floats are bits where the engine has no type for them; the page draws them all the same, as what they are.
    return { start, dimension: 1, data: dtype === 'float16' ? Float32Array.from(part as Uint16Array, halfAt(part)) : part };
  }
  const found = file?.columns[column];
  if (found === undefined) throw new Error('there is no such column');
  const floats = found.output.startsWith('float');
  const { data, shape } = await (floats ? found.rows(start, end, { as: 'float32' }) : found.rows(start, end));
  return { start, dimension: shape[1], data };
}

/** Turns an element of an array of half floats into a number, from its bits if need be. */
function halfAt(data: PcoData): (value: number) => number {
  if (!(data instanceof Uint16Array)) return (value) => value;
  return (bits) => {
    const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    if (exponent === 31) return fraction > 0 ? NaN : sign * Infinity;
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
  };
}

function texts({ numbers, start, end }: { numbers: Uint32Array | undefined; start: number; end: number }): Texts {
  if (strings === undefined) throw new Error('there are no strings');
  const column = strings;
  const wanted = numbers ?? Uint32Array.from({ length: end - start }, (_, at) => start + at);
  const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  const rows = Array.from(wanted, (row) => {
    const bytes = column.row(row);
    const text = utf8.decode(bytes.subarray(0, MOST_TEXT));
    return { row, text: bytes.length > MOST_TEXT ? `${text}…` : text, bytes: bytes.length };
  });
  return { rows };
}

function search({ place, needle }: { place: Place; needle: string }): Uint32Array {
  if (strings === undefined) throw new Error('there are no strings');
  const queries = { contains: { contains: needle }, startsWith: { startsWith: needle }, equals: { equals: needle } };
  return strings.search(queries[place]);
}

function fault(error: unknown): Fault {
  if (error instanceof UnspoolError) return error.toJSON();
  const message = error instanceof Error ? error.message : String(error);
  return { name: 'Error', class: 'Other', code: 0, offset: 0, need: 0, message };
}

self.onmessage = async ({ data: request }: MessageEvent<Request>) => {
  const { id } = request;
  try {
    if ('open' in request) {
      const result = await open(request.open);
      const { structure, parent, behind, leaves } = result.model;
      answer({ id, result }, [...Object.values(structure).filter(ArrayBuffer.isView), parent, behind, leaves]);
    } else if ('rows' in request) {
      const result = await rows(request.rows);
      answer({ id, result }, [result.data]);
    } else if ('texts' in request) {
      answer({ id, result: texts(request.texts) }, []);
    } else {
      const result = search(request.search);
      answer({ id, result }, [result]);
    }
  } catch (error) {
    answer({ id, error: fault(error) }, []);
  }
};

/** Sends an answer, and the memory of these arrays with it. */
function answer(answer: Answer, arrays: readonly ArrayBufferView[]): void {
  self.postMessage(answer, { transfer: arrays.map((array) => array.buffer as ArrayBuffer) });
}
