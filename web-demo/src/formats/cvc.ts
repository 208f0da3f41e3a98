import { openCvc, UnspoolError } from 'unspool';
import { count } from '../format';
import type { Opened } from './door';

const WIDTHS = { float32: 4, float16: 2, int64: 8, int32: 4, int8: 1, uint8: 1 };

export async function cvc(blob: Blob): Promise<Opened> {
  const file = await openCvc(blob);
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
  return {
    summary: { version: file.version.join('.'), facts, rows, columns, shows: 'numbers', hasChecksums: file.hasChecksums, decoded },
    async rows(index, start, end) {
      const column = file.columns[index];
      if (column === undefined) throw new Error('there is no such column');
      const floats = column.output.startsWith('float');
      const { data, shape } = await (floats ? column.rows(start, end, { as: 'float32' }) : column.rows(start, end));
      return { start, dimension: shape[1], data };
    },
  };
}
