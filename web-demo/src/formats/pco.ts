import { decode, pcoBinCounts, statistics, type PcoArray } from 'unspool';
import { count, half } from '../format';
import { fileOf } from '../writers';
import { curveOf, type Rows } from '../values';
import type { Door } from './door';
import { openLargePco } from './pco-large';

/** A larger file is decoded chunk by chunk: as a whole it would be in memory three times. */
const WHOLE = 2 ** 27;

export const pco: Door = {
  whole: WHOLE,
  outlined: { read: 'pieces', remote: false },
  openOutlined: openLargePco,
  open(bytes, { names, name, length }) {
    const found = decode(bytes);
    const arrays = found.format === 'pco' ? found.arrays : [];
    const columns = arrays.map(({ dtype, data }) => ({ name: dtype, dimension: 1, dtype, compression: 'none', rows: data.length }));
    const rows = columns.reduce((sum, { rows }) => sum + rows, 0);
    const decoded = arrays.reduce((sum, { data }) => sum + data.byteLength, 0);
    const chunk = names.indexOf('chunk');
    let chunks = 0;
    for (let at = 0; at < length; at++) if (name[at] === chunk) chunks++;
    const facts: [string, string][] = [['Numbers', count(rows)], ['Type', columns.map(({ dtype }) => dtype).join(', ')], ['Chunks', count(chunks)]];
    return {
      summary: { version: '', facts: facts.filter(([, fact]) => fact !== ''), rows, columns, shows: 'numbers', hasChecksums: undefined, decoded },
      rows: (column, start, end) => drawable(arrays[column], start, end),
      save: ({ column, kind }) => {
        const array = arrays[column];
        // Raw bytes are those of the type; whoever reads text wants to read numbers.
        return fileOf(kind, kind === 'raw' && array !== undefined ? { start: 0, dimension: 1, data: array.data } : drawable(array, 0, Infinity));
      },
      bins: ({ chunk, variable }) => pcoBinCounts(bytes, chunk, variable),
      statistics(column) {
        const { data } = drawable(arrays[column], 0, Infinity);
        return { statistics: statistics(data), values: data.length, all: data.length, curve: curveOf(data) };
      },
    };
  },
};

/** Numbers that can be drawn. Half floats are bits where the engine has no type for them; here they are what they stand for. */
export function drawable(array: PcoArray | undefined, start: number, end: number): Rows {
  if (array === undefined) throw new Error('there is no such column');
  const data = array.data.slice(start, end);
  return { start, dimension: 1, data: array.dtype === 'float16' && data instanceof Uint16Array ? Float32Array.from(data, half) : data };
}
