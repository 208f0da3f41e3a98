// Goes to an offset, and searches for text or bytes.
import { useState } from 'preact/hooks';
import { Cancel, useJob } from './cancel';
import type { OpenFile } from './client';
import { count } from './format';

interface Props {
  readonly file: OpenFile;
  readonly size: number;
  readonly cursor: number;
  /** Goes to bytes from `start` on. */
  readonly onGo: (start: number) => void;
}

type Kind = 'text' | 'bytes';

export function Find({ file, size, cursor, onGo }: Props) {
  const [offset, setOffset] = useState('');
  const [kind, setKind] = useState<Kind>('text');
  const [sought, setSought] = useState('');
  const [said, setSaid] = useState('');
  const job = useJob();

  const go = (): void => {
    const at = offsetOf(offset);
    if (at === undefined || at >= size) return setSaid(`An offset is a number below ${count(size)}, or 0x and a hexadecimal one.`);
    setSaid('');
    onGo(at);
  };

  const search = async (backwards: boolean): Promise<void> => {
    const needle = kind === 'text' ? new TextEncoder().encode(sought) : bytesOf(sought);
    if (needle === undefined || needle.length === 0) return setSaid(kind === 'text' ? '' : 'Bytes are pairs of hexadecimal digits, as in 28 b5 2f fd.');
    setSaid('Searching…');
    await job.run(async (care) => {
      try {
        const at = await file.find({ needle, from: cursor, backwards }, care);
        setSaid(at < 0 ? 'It does not occur.' : `At byte ${count(at)}.`);
        if (at >= 0) onGo(at);
      } catch (error) {
        setSaid(care.signal.aborted ? 'Cancelled.' : error instanceof Error ? error.message : String(error));
      }
    });
  };

  return (
    <div class="find">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <label>
          Go to byte{' '}
          <input class="offset-input" value={offset} placeholder="4711 or 0x1267" aria-keyshortcuts="g" data-key="g" onInput={({ currentTarget }) => setOffset(currentTarget.value)} />
        </label>
      </form>
      <form
        role="search"
        aria-label="Bytes of the file"
        onSubmit={(event) => {
          event.preventDefault();
          void search(false);
        }}
      >
        <label>
          Find{' '}
          <select aria-label="What to find" value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
            <option value="text">text</option>
            <option value="bytes">bytes</option>
          </select>
        </label>
        <input type="search" aria-label="Find in the file" aria-keyshortcuts="/" data-key="/" value={sought} placeholder={kind === 'text' ? 'UTF-8, case matters' : '28 b5 2f fd'} onInput={({ currentTarget }) => setSought(currentTarget.value)} />
        <button type="submit">Next</button>
        <button type="button" onClick={() => void search(true)}>Previous</button>
      </form>
      <p class="facts" role="status">{said}</p>
      <Cancel job={job} what="searching" />
    </div>
  );
}

function offsetOf(text: string): number | undefined {
  const trimmed = text.trim().replace(/[,_ ]/g, '');
  if (/^0x[\da-f]{1,13}$/i.test(trimmed)) return parseInt(trimmed, 16);
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : undefined;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | undefined {
  const digits = text.replace(/0x|[\s,]/gi, '');
  if (!/^([\da-f]{2})+$/i.test(digits)) return undefined;
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
