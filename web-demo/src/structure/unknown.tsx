// Describes a file in an unknown format.
import { useAnswer } from '../tools/answer';
import type { Content } from '../arrive/remote';

/** Magic numbers of other formats, to name them. */
const STARTS: readonly (readonly [start: string, name: string])[] = [
  ['\x89PNG', 'a PNG picture'], ['\xff\xd8\xff', 'a JPEG picture'], ['GIF8', 'a GIF picture'], ['%PDF', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive or a document based on ZIP'], ['BZh', 'bzip2'], ['\x04\x22\x4d\x18', 'LZ4'], ['7z\xbc\xaf\x27\x1c', 'a 7z archive'],
  ['\xff\x06\x00\x00sNaPpY', 'Snappy'], ['PAR1', 'Parquet'], ['ARROW1', 'Arrow'], ['\x89HDF', 'HDF5'], ['\x93NUMPY', 'a numpy array'],
  ['SQLite format 3', 'a SQLite database'], ['\0asm', 'a WebAssembly module'], ['\x7fELF', 'an ELF program'], ['\x37\xa4\x30\xec', 'a Zstandard dictionary'], ['AT1', 'an unknown version of AT-1'],
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
        <h2>The file is empty.</h2>
        <p>It has no bytes. If you expected some, copying or downloading it may have failed.</p>
      </section>
    );
  }
  const guess = head === undefined ? '' : guessOf(head);
  return (
    <section class="problem unknown" role="alert">
      <h2>{cut ? 'The file is too short to detect its format.' : guess === '' ? 'Its first bytes match no known format.' : `This looks like ${guess}.`}</h2>
      <p>The page detects Zstandard, xz, gzip, Pco, OnPair, CVC and AT-1 by their first bytes. View and search the bytes of this file below.</p>
    </section>
  );
}

/** Returns what the bytes look like, or an empty string. */
export function guessOf(head: Uint8Array): string {
  const letters = Array.from(head, (byte) => String.fromCharCode(byte)).join('');
  const known = STARTS.find(([start]) => letters.startsWith(start))?.[1];
  if (known !== undefined) return known;
  if (letters.startsWith('ustar', 257)) return 'a tar archive';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return /[^\P{C}\t\n\r\p{Cf}]/u.test(text) ? '' : 'text';
  } catch {
    return '';
  }
}
