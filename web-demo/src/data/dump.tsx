// Decoded bytes in hexadecimal, page by page.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { noteInAddress, readAddress } from '../arrive/address';
import { hex } from '../format';
import { letterAt } from '../text/letters';
import type { ViewProps } from '../text/text-view';
import { useAnswer } from '../tools/answer';
import { Refused } from '../tools/refused';
import { data } from '../words';
import { Pages } from './pages';

const PAGE = 4096;
const WIDTH = 16;
/** Place of the first digit in a line, and length of a full line with its end. */
const [DIGITS, LENGTH] = [10, 10 + (3 * WIDTH - 1) + 2 + WIDTH + 1];

export function Dump({ file, scope, text: { size }, chosen, onChoose, wanted }: ViewProps) {
  const pages = Math.ceil(size / PAGE);
  const pageOf = (byte: number): number => Math.min(pages - 1, Math.floor(byte / PAGE));
  const [page, setPage] = useState(() => Math.max(0, Math.min(pages - 1, readAddress().page ?? (chosen === undefined ? 0 : pageOf(chosen)))));
  useEffect(() => noteInAddress({ page: page > 0 ? page : undefined }), [page]);
  useEffect(() => {
    if (wanted !== undefined) setPage(pageOf(wanted.byte));
  }, [wanted]);
  const start = page * PAGE;
  const { value: found, error, again } = useAnswer(async () => ({ start, bytes: await file.textBytes(scope, start, Math.min(size, start + PAGE)) }), [file, scope, start]);
  const shown = useMemo(() => (found === undefined ? '' : dump(found.bytes, found.start)), [found]);
  const at = chosen === undefined || found === undefined ? -1 : chosen - found.start;
  const place = at < 0 || at >= (found?.bytes.length ?? 0) ? -1 : Math.floor(at / WIDTH) * LENGTH + DIGITS + 3 * (at % WIDTH);
  return (
    <>
      <Refused what={data.bytesFailed} error={error} onRetry={again} />
      <pre class="table content" tabIndex={0} role="region" aria-label={data.decodedBytes} onClick={({ currentTarget, clientX, clientY }) => {
        // A mark would undo a selection.
        if (getSelection()?.isCollapsed === false) return;
        const letter = letterAt(currentTarget, clientX, clientY);
        const digit = Math.floor(((letter % LENGTH) - DIGITS) / 3);
        const byte = (found?.start ?? 0) + Math.floor(letter / LENGTH) * WIDTH + digit;
        // Only the digits lead to a byte.
        if (letter >= 0 && digit >= 0 && digit < WIDTH && byte < size) onChoose(byte);
      }}>
        {place < 0 ? shown : <>{shown.slice(0, place)}<mark>{shown.slice(place, place + 2)}</mark>{shown.slice(place + 2)}</>}
      </pre>
      <Pages page={page} pages={pages} onPage={setPage} />
    </>
  );
}

function dump(bytes: Uint8Array, start: number): string {
  return Array.from({ length: Math.ceil(bytes.length / WIDTH) }, (_, at) => line(bytes.subarray(at * WIDTH, (at + 1) * WIDTH), start + at * WIDTH)).join('\n');
}

function line(bytes: Uint8Array, start: number): string {
  const digits = Array.from(bytes, (byte) => hex(byte, 2)).join(' ').padEnd(3 * WIDTH - 1);
  const letters = Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
  return `${hex(start, 8)}  ${digits}  ${letters}`;
}
