import { openOnPair, UnspoolError, type OnPairQuery, type OnPairStrings } from 'unspool';
import type { Structure } from 'unspool/structure';
import { count } from '../format';
import type { Tell } from '../tools/progress';
import type { TextSearch, Texts } from '../values';
import { fileOfStrings, type Strings } from '../data/writers';
import type { Door, Opened } from './door';
import { nodesNamed } from './named';
import { openLargeOnPair } from './onpair-large';

/** A larger file is read where somebody looks. */
const WHOLE = 2 ** 27;

/** Most bytes of a row that are shown as text. */
const MOST_TEXT = 2000;

export const onpair: Door = { open: openedOrStart, whole: WHOLE, outlined: { read: 'values', remote: true }, openOutlined: openLargeOnPair };

/** Opens a container, or the rows before the one whose end is missing or lies before its start. */
function openedOrStart(bytes: Uint8Array, structure: Structure): Opened {
  try {
    return opened(bytes);
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    const start = withFewerRows(bytes, structure, error);
    if (start === undefined) throw error;
    try {
      const column = opened(start);
      return { ...column, summary: { ...column.summary, brokenFrom: start.length }, error };
    } catch {
      // There is more wrong with it than that.
      throw error;
    }
  }
}

/** The container up to the offset that is wrong, or the end of the file: one of fewer rows, whose offsets are what a container ends with. */
function withFewerRows(bytes: Uint8Array, structure: Structure, { name, offset }: UnspoolError): Uint8Array | undefined {
  const [counted] = nodesNamed(structure, 'row offset count');
  if (counted === undefined || (name !== 'Truncated' && name !== 'OnPairRowOrder')) return undefined;
  const start = counted.end / 8;
  const offsets = Math.floor(((name === 'Truncated' ? bytes.length : offset) - start) / 4);
  if (offsets < 2) return undefined;
  const fewer = bytes.slice(0, start + 4 * offsets);
  new DataView(fewer.buffer).setUint32(start - 4, offsets, true);
  return fewer;
}

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
    save: ({ kind }, tell) => fileOfStrings(kind, stringsOf(rowCount, (start, end) => column.decode(start, end), tell)),
    search: (wanted) => column.search(queryOf(wanted)),
  };
}

/** So many rows are decoded at a time. */
const AT_ONCE = 1 << 16;

/** All rows, a piece at a time. */
export async function* stringsOf(rows: number, read: (start: number, end: number) => OnPairStrings | Promise<OnPairStrings>, tell: Tell): AsyncGenerator<Strings> {
  for (let start = 0; start < rows; start += AT_ONCE) {
    const end = Math.min(rows, start + AT_ONCE);
    yield { start, ...(await read(start, end)) };
    await tell({ done: end, total: rows });
  }
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
