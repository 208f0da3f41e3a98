import { openOnPair, type OnPairQuery } from 'unspool';
import { count } from '../format';
import type { TextSearch, Texts } from '../values';
import { csvOfTexts, jsonOfTexts } from '../writers';
import type { Door, Opened } from './door';
import { openLargeOnPair } from './onpair-large';

/** A larger file is read where somebody looks. */
const WHOLE = 2 ** 27;

/** Most bytes of a row that are shown as text. */
const MOST_TEXT = 2000;

export const onpair: Door = { open: opened, whole: WHOLE, outlined: { read: 'values', remote: true }, openOutlined: openLargeOnPair };

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
      return { rows: Array.from(wanted, (row) => shown(row, column.row(row))) };
    },
    save({ kind }) {
      if (kind === 'csv') return csvOfTexts(column.texts());
      if (kind === 'json') return jsonOfTexts(column.texts());
      return [column.decode().bytes as Uint8Array<ArrayBuffer>];
    },
    search: (wanted) => column.search(queryOf(wanted)),
  };
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** A row as the page shows it. */
export function shown(row: number, bytes: Uint8Array): Texts['rows'][number] {
  const text = utf8.decode(bytes.subarray(0, MOST_TEXT));
  return { row, text: bytes.length > MOST_TEXT ? `${text}…` : text, bytes: bytes.length };
}

/** The question in the words of the package. */
export function queryOf({ place, needle }: TextSearch): OnPairQuery {
  return { contains: { contains: needle }, startsWith: { startsWith: needle }, equals: { equals: needle } }[place];
}
