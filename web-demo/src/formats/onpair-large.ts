// An OnPair container that is too large to read as a whole.
import { openOnPairFile } from 'unspool/onpair/separate';
import { count } from '../format';
import { sourceOf, type AnyFile } from '../arrive/remote';
import { fileOfStrings } from '../data/writers';
import { checkWalk } from './check';
import type { Opened } from './door';
import { queryOf, shown, stringsOf } from './onpair';
import { facts as words } from '../words';

export async function openLargeOnPair(from: AnyFile): Promise<Opened> {
  const file = await openOnPairFile(sourceOf(from));
  const { rowCount, tokenCount, codeCount, codeBits, isSorted } = file;
  const facts: [string, string][] = [
    [words.rows, count(rowCount)],
    [words.tokens, words.tokensOf(tokenCount, isSorted)],
    [words.codes, words.codesOf(codeCount, codeBits)],
  ];
  return {
    summary: { version: '', facts, rows: rowCount, columns: [], shows: 'strings', hasChecksums: undefined, decoded: 0 },
    async texts({ numbers, start, end }) {
      const wanted = numbers ?? Uint32Array.from({ length: end - start }, (_, at) => start + at);
      const rows = await file.rows(wanted);
      return { rows: Array.from(wanted, (row, at) => shown(row, rows[at] ?? new Uint8Array())) };
    },
    strings: (start, end) => file.decode(start, end),
    search: (wanted, tell) => file.search(queryOf(wanted), { onProgress: (done, total) => tell({ done, total }) }),
    check: (tell) => checkWalk(fileOfStrings('raw', stringsOf(rowCount, (start, end) => file.decode(start, end), tell)) as AsyncIterable<Uint8Array>),
    save: ({ kind }, tell) => fileOfStrings(kind, stringsOf(rowCount, (start, end) => file.decode(start, end), tell)),
  };
}
