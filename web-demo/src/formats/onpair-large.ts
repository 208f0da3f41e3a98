// An OnPair container that is too large to be read as a whole. Its dictionary is kept; of the codes and offsets only those of the rows that somebody looks at are read.
import { openOnPair, type OnPairColumn, type OnPairStrings } from 'unspool';
import type { Structure } from 'unspool/structure';
import { count } from '../format';
import type { Content } from '../arrive/remote';
import { fileOfStrings } from '../data/writers';
import type { Opened } from './door';
import { nodesNamed } from './named';
import { queryOf, shown, stringsOf } from './onpair';

/** So many rows are searched at a time. */
const AT_ONCE = 1 << 18;
/** Codes lie in words of 64 bits: that many codes end where a word ends, whatever their width. */
const ALIGNED = 64;

export async function openLargeOnPair(content: Content, structure: Structure): Promise<Opened> {
  const read = async (start: number, end: number): Promise<Uint8Array> => new Uint8Array(await content.slice(start, end).arrayBuffer());
  const place = (name: string): number[] => [...nodesNamed(structure, name)].flatMap(({ start, end }) => [start / 8, end / 8]);
  const bits = Number([...nodesNamed(structure, 'bits a code')][0]?.value);
  const [tokensStart = 0, tokensEnd = 0] = place('tokens');
  const [tokenOffsetsStart = 0, tokenOffsetsEnd = 0] = place('token offsets');
  const [codesStart = 0, codesEnd = 0] = place('codes');
  const [offsetsStart = 0, offsetsEnd = 0] = place('row offsets');
  const dictBytes = await read(tokensStart, tokensEnd);
  const dictOffsets = wordsOf(await read(tokenOffsetsStart, tokenOffsetsEnd));
  const rowCount = Math.max(0, (offsetsEnd - offsetsStart) / 4 - 1);

  /** Rows as a column of their own. */
  const part = async (start: number, end: number): Promise<OnPairColumn> => {
    const codeOffsets = wordsOf(await read(offsetsStart + 4 * start, offsetsStart + 4 * (end + 1)));
    const first = Math.floor((codeOffsets[0] ?? 0) / ALIGNED) * ALIGNED;
    const from = codesStart + (first * bits) / 8;
    const words = Math.ceil((((codeOffsets.at(-1) ?? 0) - first) * bits) / 64);
    const packedCodes = await read(from, Math.min(codesEnd, from + 8 * words));
    return openOnPair({ dictBytes, dictOffsets, packedCodes, bits, codeOffsets: codeOffsets.map((code) => code - first) });
  };

  const [, codeCount = 0] = wordsOf(await read(offsetsEnd - 8, offsetsEnd));
  const facts: [string, string][] = [
    ['Rows', count(rowCount)], ['Tokens', count(dictOffsets.length - 1)], ['Codes', `${count(codeCount)} of ${bits} bits`],
  ];
  return {
    summary: { version: '', facts, rows: rowCount, columns: [], shows: 'strings', hasChecksums: undefined, decoded: 0 },
    async texts({ numbers, start, end }) {
      const rows = [];
      for (const [first, last] of stretches(numbers ?? Uint32Array.from({ length: end - start }, (_, at) => start + at))) {
        using column = await part(first, last);
        for (let row = first; row < last; row++) rows.push(shown(row, column.row(row - first)));
      }
      return { rows };
    },
    async search(wanted, tell) {
      const found: number[] = [];
      for (let start = 0; start < rowCount; start += AT_ONCE) {
        using column = await part(start, Math.min(rowCount, start + AT_ONCE));
        for (const row of column.search(queryOf(wanted))) found.push(start + row);
        await tell({ done: start, total: rowCount });
      }
      return Uint32Array.from(found);
    },
    save({ kind }, tell) {
      const read = async (start: number, end: number): Promise<OnPairStrings> => {
        using column = await part(start, end);
        return column.decode();
      };
      return fileOfStrings(kind, stringsOf(rowCount, read, tell));
    },
  };
}

/** Rows that lie next to each other are read together. */
function* stretches(rows: Uint32Array): Generator<[start: number, end: number]> {
  for (let at = 0; at < rows.length; ) {
    const start = rows[at++] ?? 0;
    let end = start + 1;
    for (; rows[at] === end; at++) end++;
    yield [start, end];
  }
}

/** Little-endian numbers, as every engine has them. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
}
