import { decode, type PcoData, type Structure } from 'unspool';
import { count, half } from '../format';
import type { Opened } from './door';

export function pco(_: Blob, bytes: Uint8Array, { names, name, length }: Structure): Opened {
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
    rows(column, start, end) {
      const array = arrays[column];
      if (array === undefined) throw new Error('there is no such column');
      const part = array.data.slice(start, end);
      // Half floats are bits where the engine has no type for them; the page draws them all the same, as what they are.
      return { start, dimension: 1, data: array.dtype === 'float16' ? Float32Array.from(part as Uint16Array, halfAt(part)) : part };
    },
  };
}

/** Turns an element of an array of half floats into a number, from its bits if need be. */
function halfAt(data: PcoData): (value: number) => number {
  return data instanceof Uint16Array ? half : (value) => value;
}
