import { openOnPair } from 'unspool';
import { count } from '../format';
import { csvOfTexts, jsonOfTexts } from '../writers';
import type { Door, Opened } from './door';

/** Most letters of a row that are shown. */
const MOST_TEXT = 2000;

export const onpair: Door = { open: opened };

function opened(bytes: Uint8Array): Opened {
  const column = openOnPair(bytes);
  const { rowCount, tokenCount, codeCount, codeBits, isSorted } = column;
  const facts: [string, string][] = [
    ['Rows', count(rowCount)],
    ['Tokens', `${count(tokenCount)}, ${isSorted ? 'sorted' : 'not sorted'}`],
    ['Codes', `${count(codeCount)} of ${codeBits} bits`],
  ];
  return {
    summary: { version: '', facts, rows: rowCount, columns: [], shows: 'strings', hasChecksums: undefined, decoded: column.decodedLength() },
    texts({ numbers, start, end }) {
      const wanted = numbers ?? Uint32Array.from({ length: end - start }, (_, at) => start + at);
      const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
      const rows = Array.from(wanted, (row) => {
        const bytes = column.row(row);
        const text = utf8.decode(bytes.subarray(0, MOST_TEXT));
        return { row, text: bytes.length > MOST_TEXT ? `${text}…` : text, bytes: bytes.length };
      });
      return { rows };
    },
    save({ kind }) {
      if (kind === 'csv') return csvOfTexts(column.texts());
      if (kind === 'json') return jsonOfTexts(column.texts());
      return [column.decode().bytes as Uint8Array<ArrayBuffer>];
    },
    search({ place, needle }) {
      const queries = { contains: { contains: needle }, startsWith: { startsWith: needle }, equals: { equals: needle } };
      return column.search(queries[place]);
    },
  };
}
