// Decoded bytes, as text if they are text, else in hexadecimal.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { noteInAddress, readAddress } from '../arrive/address';
import { useAnswer } from '../tools/answer';
import { Export } from './export';
import { ABOUT, snippet } from '../formats/about';
import { hex, visibleText } from '../format';
import { NumberField } from '../tools/number-field';
import { Pages } from './pages';
import { doubtful } from '../model';
import type { ValuesProps } from './preview';
import { Refused } from '../tools/refused';
import { Stored } from '../trace/asked';
import { canTrace, useSought } from '../trace/going';
import { lastAtMost } from '../trace/tracer';
import { Within } from './within';
import { data, verdict } from '../words';

const PAGE = 4096;
const WIDTH = 16;

export function Decoded({ file, name, report, summary }: ValuesProps) {
  const { decoded } = summary;
  const pages = Math.ceil(decoded / PAGE);
  const [page, setPage] = useState(() => Math.max(0, Math.min(pages - 1, readAddress().page ?? 0)));
  const start = page * PAGE;
  useEffect(() => noteInAddress({ page: page > 0 ? page : undefined }), [page]);
  const { value: found, error, again } = useAnswer(() => file.bytes(start, Math.min(decoded, start + PAGE)), [file, start, decoded]);
  // The start of broken or large content may end anywhere.
  const cut = page < pages - 1 || summary.startOnly === true || summary.brokenFrom !== undefined;
  const shown = useMemo(() => (found === undefined ? undefined : letters(found, start, cut)), [found]);
  /** The byte of the content whose bits are shown. */
  const [chosen, choose] = useState(() => readAddress().drawn);
  useEffect(() => noteInAddress({ drawn: chosen }), [chosen]);
  const go = (byte: number): void => {
    choose(byte);
    setPage(Math.min(pages - 1, Math.floor(byte / PAGE)));
  };
  useSought(() => true, ({ row }) => go(Math.min(decoded - 1, row)));
  const marked = shown === undefined || chosen === undefined || chosen >= (shown.bytes.at(-1) ?? 0) ? -1 : shown.text ? lastAtMost(shown.bytes, chosen) : shown.bytes.indexOf(chosen);
  return (
    <section class="preview" aria-label={data.label} data-jump={data.content} tabIndex={-1}>
      <div class="heading">
        <h2>{data.content}</h2>
        <p class="facts">{data.firstBytes(decoded, summary.startOnly === true, shown?.text === true, summary.brokenFrom !== undefined && !doubtful(report))}</p>
      </div>
      {doubtful(report) && <p class="doubt" role="note">{verdict.doubt}</p>}
      {decoded > 0 && <Within file={file} name={name} report={report} summary={summary} />}
      <Refused what={data.bytesFailed} error={error} onRetry={again} />
      {found !== undefined && found.length > 0 && (
        <pre class="table content" tabIndex={0} role="region" aria-label={data.decodedBytes} onClick={({ currentTarget, clientX, clientY }) => {
          if (shown === undefined) return;
          const byte = shown.bytes[lastAtMost(shown.places, letterAt(currentTarget, clientX, clientY))];
          // Of a dump, only the digits lead to a byte.
          if (byte !== undefined && byte >= 0 && byte < decoded && canTrace(report)) choose(byte);
        }}>
          {shown !== undefined && marked >= 0 ? (
            <>
              {shown.shown.slice(0, shown.places[marked])}
              <mark>{shown.shown.slice(shown.places[marked], shown.places[marked + 1])}</mark>
              {shown.shown.slice(shown.places[marked + 1])}
            </>
          ) : shown?.shown}
        </pre>
      )}
      {decoded === 0 && <p class="facts">{data.emptyContent}</p>}
      <Pages page={page} pages={pages} onPage={setPage} />
      {decoded > 0 && canTrace(report) && (
        <label class="goto fine">
          {data.contentByte}{' '}
          <NumberField label={data.contentByteLabel} min={0} max={decoded - 1} value={chosen ?? start} onValue={go} />
        </label>
      )}
      {chosen !== undefined && chosen < decoded && canTrace(report) && (
        <Stored file={file} report={report} value={{ column: 0, row: chosen, place: 0 }} name={data.byteNumber(chosen)} />
      )}
      {report.format !== undefined && (
        <Export file={file} report={report} name={name} column={0} kinds={ABOUT[report.format].saves} snippet={snippet(report, summary, name)} />
      )}
    </section>
  );
}

/**
 * Decodes bytes as text, if they are text. Only a later page may start within a character, and only
 * a cut one may end in one.
 */
function textOf(bytes: Uint8Array, after: boolean, cut: boolean): string | undefined {
  let first = 0;
  while (after && first < 3 && ((bytes[first] ?? 0) & 0xc0) === 0x80) first++;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(first), { stream: cut });
    return /[^\P{C}\t\n\r\p{Cf}]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A page as it is shown. */
interface Letters {
  readonly shown: string;
  readonly text: boolean;
  /** Place of each letter, and the end. In a dump, also the end of the digits of each byte. */
  readonly places: readonly number[];
  /** The byte that each letter shows, and the byte after the last; -1 where there is none. */
  readonly bytes: readonly number[];
}

const utf8 = new TextEncoder();

function letters(found: Uint8Array, start: number, cut: boolean): Letters {
  const text = textOf(found, start > 0, cut);
  const [places, bytes]: [number[], number[]] = [[], []];
  if (text === undefined) {
    // Each byte has two digits.
    const lines = Array.from({ length: Math.ceil(found.length / WIDTH) }, (_, at) => line(found.subarray(at * WIDTH, (at + 1) * WIDTH), start + at * WIDTH));
    let place = 0;
    lines.forEach((line, number) => {
      for (let at = 0; at < WIDTH && number * WIDTH + at < found.length; at++) {
        places.push(place + DIGITS + 3 * at, place + DIGITS + 3 * at + 2);
        bytes.push(start + number * WIDTH + at, -1);
      }
      place += line.length + 1;
    });
    places.push(place);
    bytes.push(start + found.length);
    return { shown: lines.join('\n'), text: false, places, bytes };
  }
  let [shown, byte] = ['', start];
  while (start > 0 && ((found[byte - start] ?? 0) & 0xc0) === 0x80) byte++;
  for (const letter of text) {
    places.push(shown.length);
    bytes.push(byte);
    shown += visibleText(letter);
    byte += utf8.encode(letter).length;
  }
  places.push(shown.length);
  bytes.push(byte);
  return { shown, text: true, places, bytes };
}

/** Returns the place in the text of an element at a point of the screen, or -1. */
function letterAt(element: HTMLElement, x: number, y: number): number {
  const position = document.caretPositionFromPoint?.(x, y);
  const [node, offset] = position ? [position.offsetNode, position.offset] : [undefined, 0];
  if (node === undefined || !element.contains(node)) return -1;
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(node, offset);
  const at = before.toString().length;
  // The caret is beside a letter: after it if its right half was clicked.
  before.setStart(node, offset);
  before.collapse(true);
  const caret = before.getBoundingClientRect();
  return caret.width === 0 && caret.left > x ? at - 1 : at;
}

/** Place of the first digit in a line. */
const DIGITS = 10;

function line(bytes: Uint8Array, start: number): string {
  const digits = Array.from(bytes, (byte) => hex(byte, 2)).join(' ').padEnd(3 * WIDTH - 1);
  const letters = Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
  return `${hex(start, 8)}  ${digits}  ${letters}`;
}
