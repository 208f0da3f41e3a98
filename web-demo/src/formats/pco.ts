import * as Name from 'unspool/names';
import { decodePco, salvagePco, UnspoolError, type PcoArray, type PcoSalvage } from 'unspool/pco/separate';
import { count, half } from '../format';
import { sourceOf } from '../arrive/remote';
import type { Rows } from '../values';
import { piecesOf, type Column } from './column';
import type { Door, Opened, OpenValues } from './door';
import { facts as words } from '../words';

/** Larger files are decoded chunk by chunk: as a whole, they would be in memory three times. */
const WHOLE = 2 ** 27;

export const pco: Door = {
  whole: WHOLE,
  outlined: { read: 'pieces', remote: false },
  openOutlined: async (file, structure) => (await import('./pco-large')).openLargePco(file, structure),
  // Chunks are decoded to find their ends.
  async check(file, _, tell, signal) {
    const { outline } = await import('unspool/inspect');
    const found = await outline(sourceOf(file), { signal, onProgress: (done, total) => void tell({ done, total }) });
    return { decoded: 0, ...(found?.error && { error: found.error }) };
  },
  async open(bytes, structure) {
    const { nodesNamed } = await import('./named');
    const { arrays, error } = decoded.get(bytes) ?? salvagePco(bytes);
    if (error !== undefined && isEmpty(arrays)) throw error;
    const rows = arrays.reduce((sum, { data }) => sum + data.length, 0);
    const chunkEnds: number[] = [];
    for (const { value } of nodesNamed(structure, Name.NumbersLess1)) {
      const start = chunkEnds.at(-1) ?? 0;
      if (start < rows) chunkEnds.push(Math.min(rows, start + Number(value) + 1));
    }
    const { summary, ...doors } = opened(arrays, [[words.numbers, count(rows)], [words.type, typesOf(arrays)], [words.chunks, count(chunkEnds.length)]]);
    return {
      ...doors,
      summary: { ...summary, ...(arrays.length === 1 ? { chunkEnds } : {}), ...(error === undefined ? {} : { brokenFrom: error.offset }) },
      ...(error === undefined ? {} : { error }),
      bins: async ({ chunk, variable }) => (await import('unspool/inspect')).pcoBinCounts(bytes, chunk, variable),
    };
  },
  async openLarge(file, head) {
    // A file on disk is outlined. Of a remote one, the head holds the first numbers.
    if (file instanceof Blob) return undefined;
    const { arrays } = salvagePco(await head());
    if (isEmpty(arrays)) return undefined;
    const rows = arrays.reduce((sum, { data }) => sum + data.length, 0);
    const { summary, save: _, ...doors } = opened(arrays, [[words.firstNumbers, count(rows)], [words.type, typesOf(arrays)]]);
    return { opened: { ...doors, summary: { ...summary, startOnly: true } } };
  },
};

/** Numbers of a file that is not yet inspected, and its error. */
const decoded = new WeakMap<Uint8Array, PcoSalvage>();

export const openValues: OpenValues = (bytes) => {
  const array = onlyArray(bytes);
  if (array === undefined) return undefined;
  const { length } = array.data;
  // Where the other chunks of several end, only the structure tells.
  const single = firstCount(bytes) === length;
  const { summary, ...doors } = opened([array], [[words.numbers, count(length)], [words.type, array.dtype], [words.chunks, single ? count(1) : '']]);
  return { ...doors, summary: single ? { ...summary, chunkEnds: [length] } : summary };
};

/**
 * Returns the numbers of a file of one type; `undefined` if it has none, is broken, or other bytes
 * follow it. Keeps what it decoded.
 */
function onlyArray(bytes: Uint8Array): PcoArray | undefined {
  try {
    const salvage = salvagePco(bytes);
    decoded.set(bytes, salvage);
    const [array, ...others] = salvage.arrays;
    return salvage.end === bytes.length && others.length === 0 && array !== undefined && array.data.length > 0 ? array : undefined;
  } catch (error) {
    if (error instanceof UnspoolError) return undefined;
    throw error;
  }
}

/** Bytes that hold the header of a file and the count of its first chunk. */
const HEAD = 64;

/** Returns the count of the first chunk. A limit below it makes it part of an error. */
function firstCount(bytes: Uint8Array): number {
  try {
    decodePco(bytes.subarray(0, HEAD), { limits: { maxElements: 0 } });
  } catch (error) {
    if (error instanceof UnspoolError && error.name === 'ElementLimit') return error.need;
  }
  return NaN;
}

function isEmpty(arrays: readonly PcoArray[]): boolean {
  return arrays.every(({ data }) => data.length === 0);
}

function typesOf(arrays: readonly PcoArray[]): string {
  return arrays.map(({ dtype }) => dtype).join(', ');
}

/** Opens decoded numbers. */
function opened(arrays: readonly PcoArray[], facts: readonly (readonly [string, string])[]): Opened {
  const columns = arrays.map(({ dtype, data }) => ({ name: dtype, dimension: 1, dtype, compression: 'none', rows: data.length }));
  const long = (index: number, raw = false): Column => ({ rows: columns[index]?.rows ?? 0, dimension: 1, read: (start, end) => numbersOf(arrays[index], start, end, raw) });
  return {
    summary: {
      version: '', facts: facts.filter(([, fact]) => fact !== ''), rows: columns.reduce((sum, { rows }) => sum + rows, 0), columns, shows: 'numbers', hasChecksums: undefined,
      decoded: arrays.reduce((sum, { data }) => sum + data.byteLength, 0),
    },
    rows: (column, start, end) => numbersOf(arrays[column], start, end),
    async *save({ column, kind }, tell) {
      const { fileOf } = await import('../data/writers');
      const numbers = long(column, kind === 'raw');
      yield* fileOf(kind, numbers.rows, piecesOf(numbers, tell));
    },
    numbers: (column) => long(column),
  };
}

/**
 * Returns numbers to draw, or with `raw` as stored. Without `Float16Array`, half floats are
 * converted from their bits.
 */
export function numbersOf(array: PcoArray | undefined, start: number, end: number, raw = false): Rows {
  if (array === undefined) throw new Error('no such column');
  const data = array.data.slice(start, end);
  return { start, dimension: 1, data: !raw && array.dtype === 'float16' && data instanceof Uint16Array ? Float32Array.from(data, half) : data };
}
