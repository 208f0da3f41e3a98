import { salvageOnPair, type OnPairColumn, type OnPairQuery, type OnPairStrings } from 'unspool/onpair/separate';
import { count } from '../format';
import type { Tell } from '../tools/progress';
import type { TextSearch, Texts } from '../values';
import { fileOfStrings, type Strings } from '../data/writers';
import type { Door, Opened } from './door';
import { openLargeOnPair } from './onpair-large';
import { facts as words } from '../words';

/** Larger files are read on demand. */
const WHOLE = 2 ** 27;

/** Maximum bytes of a row to show as text. */
const MOST_TEXT = 2000;

export const onpair: Door = { open: openedOrStart, whole: WHOLE, outlined: { read: 'values', remote: true }, openOutlined: openLargeOnPair };

/** Opens a container, or its rows before the first bad offset. */
function openedOrStart(bytes: Uint8Array): Opened {
  const { column, error } = salvageOnPair(bytes);
  if (error === undefined) return opened(column);
  if (column.rowCount === 0) throw error;
  const start = opened(column);
  return { ...start, summary: { ...start.summary, brokenFrom: error.offset }, error };
}

function opened(column: OnPairColumn): Opened {
  const { rowCount, tokenCount, codeCount, codeBits, isSorted } = column;
  const facts: [string, string][] = [
    [words.rows, count(rowCount)],
    [words.tokens, words.tokensOf(tokenCount, isSorted)],
    [words.codes, words.codesOf(codeCount, codeBits)],
  ];
  return {
    summary: { version: '', facts, rows: rowCount, columns: [], shows: 'strings', hasChecksums: undefined, decoded: column.decodedLength() },
    texts({ numbers, start, end }) {
      const wanted = numbers ?? Uint32Array.from({ length: end - start }, (_, at) => start + at);
      return { rows: Array.from(wanted, (row) => shown(row, column.row(row))) };
    },
    strings: (start, end) => column.decode(start, end),
    save: ({ kind }, tell) => fileOfStrings(kind, stringsOf(rowCount, (start, end) => column.decode(start, end), tell)),
    search: (wanted) => column.search(queryOf(wanted)),
  };
}

/** Rows decoded at a time. */
const AT_ONCE = 1 << 16;

/** Returns all rows in pieces. */
export async function* stringsOf(rows: number, read: (start: number, end: number) => OnPairStrings | Promise<OnPairStrings>, tell: Tell): AsyncGenerator<Strings> {
  for (let start = 0; start < rows; start += AT_ONCE) {
    const end = Math.min(rows, start + AT_ONCE);
    yield { start, ...(await read(start, end)) };
    await tell({ done: end, total: rows });
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns a row for display. */
export function shown(row: number, bytes: Uint8Array): Texts['rows'][number] {
  const text = utf8.decode(bytes.subarray(0, MOST_TEXT));
  return { row, text: bytes.length > MOST_TEXT ? `${text}…` : text, bytes: bytes.length };
}

/** Translates a search into a query of the package. */
export function queryOf({ place, needle }: TextSearch): OnPairQuery {
  return { contains: { contains: needle }, startsWith: { startsWith: needle }, equals: { equals: needle } }[place];
}
