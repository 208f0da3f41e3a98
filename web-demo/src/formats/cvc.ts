import { openCvc, statistics, UnspoolError, type CvcFile } from 'unspool';
import { count } from '../format';
import { curveOf, type Rows } from '../values';
import { fileOf } from '../writers';
import type { Door, Opened } from './door';

const WIDTHS = { float32: 4, float16: 2, int64: 8, int32: 4, int8: 1, uint8: 1 };

/** So many values are summed up at most: a file may hold more than memory does. */
const MOST_SUMMED = 1 << 25;

export const cvc: Door = {
  open: async (bytes) => opened(await openCvc(bytes)),
  async openLarge(source) {
    const file = await openCvc(source);
    return { opened: opened(file), head: file.headLength };
  },
};

function opened(file: CvcFile): Opened {
  const { rows: length, chunkCount, sections } = file;
  const columns = file.columns.map(({ name, dimension, compression, dtype = 'unknown type' }) => ({ name, dimension, compression, dtype }));
  const decoded = file.columns.reduce((sum, column) => {
    try {
      return sum + length * column.dimension * WIDTHS[column.output];
    } catch (error) {
      // A column of a type that cannot be decoded has no size, either.
      if (!(error instanceof UnspoolError)) throw error;
      return sum;
    }
  }, 0);
  const [only] = columns;
  const facts: [string, string][] = [['Rows', count(length)]];
  if (columns.length === 1 && only !== undefined) facts.push(['Dimension', count(only.dimension)], ['Stored as', only.compression]);
  else facts.push(['Columns', count(columns.length)]);
  facts.push(['Chunks', count(chunkCount)]);
  if (sections.length > 0) facts.push(['Sections', count(sections.length)]);

  const rows = async (index: number, start: number, end: number): Promise<Rows> => {
    const column = file.columns[index];
    if (column === undefined) throw new Error('there is no such column');
    const floats = column.output.startsWith('float');
    const { data, shape } = await (floats ? column.rows(start, end, { as: 'float32' }) : column.rows(start, end));
    return { start, dimension: shape[1], data };
  };

  return {
    summary: { version: file.version.join('.'), facts, rows: length, columns, shows: 'numbers', hasChecksums: file.hasChecksums, decoded },
    rows,
    save: async ({ column, kind }) => fileOf(kind, await rows(column, 0, length)),
    async statistics(index) {
      const dimension = file.columns[index]?.dimension ?? 1;
      const { data } = await rows(index, 0, Math.min(length, Math.ceil(MOST_SUMMED / Math.max(1, dimension))));
      return { statistics: statistics(data, dimension > 0 ? { dimension } : {}), values: data.length, all: length * dimension, ...(dimension === 1 ? { curve: curveOf(data) } : {}) };
    },
  };
}
