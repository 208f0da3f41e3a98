import { openCvc, UnspoolError, type CvcFile } from 'unspool/cvc/separate';
import { sourceOf } from '../arrive/remote';
import { count } from '../format';
import type { Tell } from '../tools/progress';
import type { ExportKind, Rows } from '../values';
import { fileOf } from '../data/writers';
import { checkColumns } from './check';
import { piecesOf, type Column, type LeftOut } from './column';
import type { Door, Opened } from './door';
import { facts as words } from '../words';

const WIDTHS = { float32: 4, float16: 2, int64: 8, int32: 4, int8: 1, uint8: 1 };

/** Larger files are read on demand, and their structure is outlined from the chunk lengths. */
const WHOLE = 2 ** 29;

export const cvc: Door = {
  whole: WHOLE,
  open: async (bytes) => opened(await openCvc(bytes)),
  async openLarge(from) {
    const file = await openCvc(sourceOf(from));
    return { opened: opened(file), head: file.headLength };
  },
  outlined: { read: 'values', remote: false },
};

function opened(file: CvcFile): Opened {
  const { rowCount: length, chunkCount, sections } = file;
  const columns = file.columns.map(({ name, dimension, compression, dtype = words.unknownType }) => ({ name, dimension, compression, dtype }));
  const decoded = file.columns.reduce((sum, column) => {
    try {
      return sum + length * column.dimension * WIDTHS[column.output];
    } catch (error) {
      // A column of an unknown type has no decoded size.
      if (!(error instanceof UnspoolError)) throw error;
      return sum;
    }
  }, 0);
  const [only] = columns;
  const facts: [string, string][] = [[words.rows, count(length)]];
  if (columns.length === 1 && only !== undefined) facts.push([words.dimension, count(only.dimension)], [words.stored, only.compression]);
  else facts.push([words.columns, count(columns.length)]);
  facts.push([words.chunks, count(chunkCount)]);
  if (sections.length > 0) facts.push([words.sections, count(sections.length)]);

  /** Reads rows as 32-bit floats, or with `own` as the column's type. */
  const rows = async (index: number, start: number, end: number, own = false): Promise<Rows> => {
    const column = file.columns[index];
    if (column === undefined) throw new Error('no such column');
    const floats = !own && column.output.startsWith('float');
    const { data, shape } = await (floats ? column.rows(start, end, { as: 'float32' }) : column.rows(start, end));
    return { start, dimension: shape[1], data };
  };

  // A checksum covers a chunk: splitting one would read it several times.
  const ends = file.chunks.map(({ end }) => end);
  const long = (index: number, own = false): Column => ({ rows: length, dimension: columns[index]?.dimension ?? 1, ends, read: (start, end) => rows(index, start, end, own) });
  return {
    summary: { version: file.version.join('.'), facts, rows: length, columns, chunkEnds: ends, shows: 'numbers', hasChecksums: file.hasChecksums, decoded, sections: sections.map(({ start, end, metadata }) => ({ start, end, note: metadata === undefined ? '' : JSON.stringify(metadata) })) },
    rows,
    save({ column, kind, leaveOut = false }, tell) {
      // Without `Float16Array`, half floats are bits: right as raw bytes, wrong as numbers.
      const own = long(column, kind === 'raw' || 'Float16Array' in globalThis);
      return leaveOut ? soundRows(kind, own, tell) : fileOf(kind, length, piecesOf(own, tell));
    },
    numbers: long,
    check: (tell) => checkColumns(columns.map((_, index) => long(index)), tell),
  };
}

/** Saves the rows that can be decoded. Their number must be known before the first is written. */
async function* soundRows(kind: ExportKind, column: Column, tell: Tell): AsyncGenerator<BlobPart> {
  let left = column.rows;
  const leftOut: LeftOut = (start, end, why) => {
    left -= end - start;
    if (left === 0) throw why;
  };
  for await (const _ of piecesOf(column, tell, 0, column.rows, leftOut));
  yield* fileOf(kind, left, piecesOf(column, tell, 0, column.rows, () => undefined));
}
