// Describes a file in an unknown format.
import { useAnswer } from '../tools/answer';
import type { Content } from '../arrive/remote';
import { kinds, unknown } from '../words';

/** Magic numbers of other formats, to name them. */
const STARTS: readonly (readonly [start: string, name: string])[] = [
  ['\x89PNG', kinds.png], ['\xff\xd8\xff', kinds.jpeg], ['GIF8', kinds.gif], ['%PDF', kinds.pdf],
  ['PK\x03\x04', kinds.zip], ['BZh', kinds.bzip2], ['\x04\x22\x4d\x18', kinds.lz4], ['7z\xbc\xaf\x27\x1c', kinds.sevenZip],
  ['\xff\x06\x00\x00sNaPpY', kinds.snappy], ['PAR1', kinds.parquet], ['ARROW1', kinds.arrow], ['\x89HDF', kinds.hdf5], ['\x93NUMPY', kinds.numpyArray],
  ['SQLite format 3', kinds.sqliteDatabase], ['\0asm', kinds.webassemblyModule], ['\x7fELF', kinds.elfProgram], ['\x37\xa4\x30\xec', kinds.zstandardDictionary], ['AT1', kinds.unknownVersionOfAt1],
];
/** Number of bytes examined. */
export const GUESSED = 512;

interface Props {
  readonly content: Content;
  /** True if it may be the start of a known format. */
  readonly cut: boolean;
}

export function Unknown({ content, cut }: Props) {
  const { value: head } = useAnswer(async () => new Uint8Array(await content.slice(0, GUESSED).arrayBuffer()), [content]);
  if (content.size === 0) {
    return (
      <section class="problem unknown" role="alert">
        <h2>{unknown.empty}</h2>
        <p>{unknown.emptyWhy}</p>
      </section>
    );
  }
  const guess = head === undefined ? '' : guessOf(head);
  return (
    <section class="problem unknown" role="alert">
      <h2>{cut ? unknown.short : guess === '' ? unknown.none : unknown.looks(guess)}</h2>
      <p>{unknown.known}</p>
    </section>
  );
}

/** Returns what the bytes look like, or an empty string. */
export function guessOf(head: Uint8Array): string {
  const letters = Array.from(head, (byte) => String.fromCharCode(byte)).join('');
  const known = STARTS.find(([start]) => letters.startsWith(start))?.[1];
  if (known !== undefined) return known;
  if (letters.startsWith('ustar', 257)) return kinds.tar;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return /[^\P{C}\t\n\r\p{Cf}]/u.test(text) ? '' : kinds.text;
  } catch {
    return '';
  }
}
