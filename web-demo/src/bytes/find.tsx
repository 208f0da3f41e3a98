// Goes to an offset, and searches for text, bytes or fields.
import { useState } from 'preact/hooks';
import type { Structure } from 'unspool/inspect';
import { Cancel, useJob } from '../tools/cancel';
import type { Care, OpenFile } from '../client';
import { findNode } from './find-node';
import { find as words } from '../words';

interface Props {
  readonly file: OpenFile;
  readonly size: number;
  readonly structure: Structure;
  readonly cursor: number;
  readonly selected: number;
  readonly onByte: (byte: number) => void;
  readonly onNode: (node: number) => void;
}

/** The kinds of search. Text and bytes are searched as stored. */
type Kind = keyof typeof words.kinds;

export function Find({ file, size, structure, cursor, selected, onByte, onNode }: Props) {
  const [offset, setOffset] = useState('');
  const [kind, setKind] = useState<Kind>('text');
  const [sought, setSought] = useState('');
  const [said, setSaid] = useState('');
  const job = useJob();

  const go = (): void => {
    const at = offsetOf(offset);
    if (at === undefined || at >= size) return setSaid(words.badOffset(size));
    setSaid('');
    onByte(at);
  };

  /** Goes to the next match, and says where it is. */
  const searchField = async (backwards: boolean, care: Required<Care>): Promise<string> => {
    const node = await findNode(structure, { text: sought, from: selected, backwards }, care);
    if (node < 0) return words.noField;
    onNode(node);
    return '';
  };
  const searchBytes = async (needle: Uint8Array<ArrayBuffer>, backwards: boolean, care: Care): Promise<string> => {
    const at = await file.find({ needle, from: cursor, backwards }, care);
    if (at < 0) return structure.length > 0 ? words.onlyStored : words.notFound;
    onByte(at);
    return words.at(at);
  };

  const search = async (backwards: boolean): Promise<void> => {
    if (job.going) return;
    if ((kind === 'field' ? sought.trim() : sought) === '') return setSaid('');
    const needle = kind === 'bytes' ? bytesOf(sought) : new TextEncoder().encode(sought);
    if (needle === undefined) return setSaid(words.badBytes);
    setSaid(words.searching);
    await job.run(async (care) => {
      try {
        setSaid(await (kind === 'field' ? searchField(backwards, care) : searchBytes(needle, backwards, care)));
      } catch (error) {
        setSaid(care.signal.aborted ? words.cancelled : error instanceof Error ? error.message : String(error));
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
          {words.goTo}{' '}
          <input class="offset-input" value={offset} placeholder={words.goToExample} aria-keyshortcuts="g" data-key="g" onInput={({ currentTarget }) => setOffset(currentTarget.value)} />
        </label>
      </form>
      <form
        role="search"
        aria-label={words.label}
        onSubmit={(event) => {
          event.preventDefault();
          void search(false);
        }}
      >
        <label>
          {words.find}{' '}
          <select aria-label={words.what} value={kind} onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}>
            {Object.entries(words.kinds).map(([kind, { name }]) => <option key={kind} value={kind}>{name}</option>)}
          </select>
        </label>
        <input type="search" aria-label={words.needle} aria-keyshortcuts="/" data-key="/" value={sought} placeholder={words.kinds[kind].example} onInput={({ currentTarget }) => setSought(currentTarget.value)} />
        <button type="submit">{words.next}</button>
        <button type="button" onClick={() => void search(true)}>{words.previous}</button>
      </form>
      <p class="facts" role="status">{said}</p>
      <Cancel job={job} what={words.job} />
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
