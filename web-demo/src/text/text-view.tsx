// Decoded text: numbered lines, or the cells of CSV and JSON Lines; and a search in it.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { readAddress } from '../arrive/address';
import type { OpenFile } from '../client';
import { RowTable, useNotedRow, useRows, type Head } from '../data/rows';
import { useSorting } from '../data/sorting';
import { count, inOneLine, visible } from '../format';
import { useAnswer } from '../tools/answer';
import { Cancel, useJob } from '../tools/cancel';
import { Refused } from '../tools/refused';
import { data, text as words } from '../words';
import type { Scope, Text, TextRow } from './content';
import { byteAt, letterAt, lettersOf, shownLine, splitAt } from './letters';
import { afterCut, beforeCut } from './utf8';

/** Inputs of a view of content. */
export interface ViewProps {
  readonly file: OpenFile;
  readonly scope: Scope;
  readonly text: Text;
  /** The selected byte. */
  readonly chosen: number | undefined;
  readonly onChoose: (byte: number) => void;
  /** A byte to scroll to. */
  readonly wanted: { readonly byte: number } | undefined;
}

/** Rows above a row that is gone to. */
const ABOVE = 2;
/** Sorted rows of large content to read at a time. A pass over the content may take a minute. */
const MANY = 512;
/** Letters of a cell that fit, as in the style sheet. */
const LONG = 60;

const utf8 = new TextEncoder();

export function TextView({ file, scope, text, table, isStart, chosen, onChoose, wanted }: ViewProps & { readonly table: boolean; readonly isStart: boolean }) {
  const { shape } = text;
  const sorting = useSorting(({ column, descending }, care) => file.textOrder(scope, column, descending, care), [file, scope, table], isStart);
  const { order, rowAt, placeOf } = sorting;
  const reading = useJob();
  const read = (start: number, end: number, whole = false): Promise<TextRow[]> =>
    new Promise((resolve, reject) => {
      void reading.run(async (care) => {
        const rows = order === undefined ? file.textRows(scope, table, start, end, whole, care) : file.textPicked(scope, order.slice(start, end), whole, care);
        await rows.then(resolve, reject);
      });
    });
  const isSorted = scope === 'whole' && order !== undefined;
  const rows = useRows<TextRow>(order?.length ?? (table ? text.rows : text.lines), read, [file, scope, table, order], isSorted ? MANY : undefined);
  // A row in the address is more exact than a byte in it.
  const [named] = useState(() => readAddress().row !== undefined);
  useNotedRow(rows, order === undefined);
  const [seeks, seek] = useState(() => (named || chosen === undefined ? wanted : { byte: chosen }));
  useEffect(() => {
    if (wanted !== undefined) seek(wanted);
  }, [wanted]);
  useEffect(() => {
    if (seeks === undefined) return;
    let gone = false;
    file.textRowOf(scope, table, seeks.byte).then((row) => gone || rows.lines.go(Math.max(0, placeOf(row)) - ABOVE), () => undefined);
    return () => {
      gone = true;
    };
  }, [seeks]);

  const columns = table && shape !== undefined ? shape.columns : undefined;
  const heads: Head[] = [{ name: columns === undefined ? words.line : data.row }];
  if (columns === undefined) heads.push({ name: data.text, kind: 'text' });
  else heads.push(...columns.map((name, at): Head => ({ name: visible(name), kind: 'text', ...sorting.head(at) })));
  const more = columns === undefined ? 0 : (shape?.more ?? 0);
  if (more > 0) heads.push({ name: data.more(more), kind: 'more' });
  const first = columns === undefined ? 1 : 0;
  const [needle, setNeedle] = useState('');
  return (
    <>
      <Search file={file} scope={scope} from={chosen} needle={needle} onNeedle={setNeedle} rowOf={(byte) => file.textRowOf(scope, false, byte)} onFound={(byte) => {
        onChoose(byte);
        seek({ byte });
      }} />
      <Refused what={data.rowsFailed} error={rows.error} onRetry={rows.again} />
      {sorting.status}
      <div class="text-lines">
        <RowTable
          rows={rows}
          label={columns === undefined ? words.ways.lines : data.rows}
          heads={heads}
          {...(columns === undefined && { counted: { goTo: words.goToLine, first } })}
          place={(row) => Math.max(0, placeOf(row))}
          copy={async (start, end) => (await read(start, end, true)).map(({ bytes, cells }, at) => [String(rowAt(start + at) + first), ...(cells ?? [decoder.decode(bytes)])])}
          cells={(row, at) => {
            const here = chosen !== undefined && chosen >= row.byte && chosen <= row.byte + row.length;
            return (
              <>
                <th scope="row" aria-current={here ? 'true' : undefined}>{count(rowAt(at) + first)}</th>
                {row.cells === undefined ? (
                  <Line file={file} scope={scope} row={row} chosen={here ? chosen : undefined} needle={utf8.encode(needle)} columns={heads.length - 1} onChoose={onChoose} />
                ) : (
                  <>
                    {row.cells.map((cell, column) => <td key={column} class="text cell" title={cell.length > LONG ? inOneLine(cell) : undefined} onClick={() => onChoose(row.byte)}>{inOneLine(cell)}</td>)}
                    {more > 0 && <td class="more">…</td>}
                  </>
                )}
              </>
            );
          }}
        />
      </div>
      {reading.going && reading.progress !== undefined && <p class="facts" role="status">{words.readingRows} <Cancel job={reading} what={words.rowsJob} /></p>}
    </>
  );
}

interface LineProps {
  readonly file: OpenFile;
  readonly scope: Scope;
  readonly row: TextRow;
  /** The selected byte, if it is in this line. */
  readonly chosen: number | undefined;
  /** Bytes that a search has found. */
  readonly needle: Uint8Array;
  readonly columns: number;
  readonly onChoose: (byte: number) => void;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A line. A click selects the byte of a letter. */
function Line({ file, scope, row: { byte, bytes, length: whole }, chosen, needle, columns, onChoose }: LineProps) {
  const at = chosen === undefined ? bytes.length : chosen - byte;
  return (
    <td class="text" colSpan={columns} onClick={({ currentTarget, clientX, clientY }) => {
      // A mark would undo a selection.
      if (getSelection()?.isCollapsed === false) return;
      const letter = byteAt(lettersOf(bytes), letterAt(currentTarget, clientX, clientY));
      if (letter >= 0) onChoose(byte + letter);
    }}>
      {at < bytes.length ? <Marked line={bytes} at={at} needle={needle} /> : shownLine(bytes)}
      {whole > bytes.length && <i>{words.moreOf(whole - bytes.length)}</i>}
      {chosen !== undefined && at >= bytes.length && at < whole && <Excerpt file={file} scope={scope} start={byte} end={byte + whole} at={chosen} needle={needle} />}
    </td>
  );
}

interface MarkedProps {
  readonly line: Uint8Array;
  readonly at: number;
  readonly needle: Uint8Array;
}

/** Marks what a search has found at a byte, or its letter. Scrolls sideways to it. */
function Marked({ line, at, needle }: MarkedProps) {
  const isMatch = needle.length > 0 && needle.every((byte, place) => line[at + place] === byte);
  const [before, marked, after] = splitAt(lettersOf(line), at, at + (isMatch ? needle.length : 1));
  const mark = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const box = mark.current?.closest('.table');
    const head = mark.current?.closest('tr')?.querySelector('th');
    if (!box || !head || mark.current === null) return;
    const [place, room] = [mark.current.getBoundingClientRect(), box.getBoundingClientRect()];
    const first = room.left + head.offsetWidth;
    if (place.left < first || place.right > room.right) box.scrollLeft += place.left - first - (room.right - first) / 3;
  }, [line, at, marked]);
  return <>{before}<mark ref={mark}>{marked}</mark>{after}</>;
}

interface ExcerptProps {
  readonly file: OpenFile;
  readonly scope: Scope;
  /** The line. */
  readonly start: number;
  readonly end: number;
  readonly at: number;
  readonly needle: Uint8Array;
}

/** Bytes before and after a place in a long line. */
const AROUND = 100;

/** A place of a line that is not shown from its start. */
function Excerpt({ file, scope, start, end, at, needle }: ExcerptProps) {
  const from = Math.max(start, at - AROUND);
  const { value: found } = useAnswer(async () => ({ at, from, bytes: await file.textBytes(scope, from, Math.min(end, at + needle.length + AROUND)) }), [file, scope, at, end, needle.length]);
  if (found === undefined || found.at !== at) return null;
  const skipped = afterCut(found.bytes);
  return <> … <Marked line={beforeCut(found.bytes).subarray(skipped)} at={at - found.from - skipped} needle={needle} /> …</>;
}

interface SearchProps {
  readonly file: OpenFile;
  readonly scope: Scope;
  /** The byte that the search starts next to. */
  readonly from: number | undefined;
  readonly needle: string;
  readonly onNeedle: (needle: string) => void;
  readonly rowOf: (byte: number) => Promise<number>;
  readonly onFound: (byte: number) => void;
}

function Search({ file, scope, from, needle, onNeedle, rowOf, onFound }: SearchProps) {
  const [said, say] = useState('');
  const job = useJob();
  const search = (backwards: boolean): void => {
    if (job.going || needle === '') return;
    say('');
    void job.run(async (care) => {
      const byte = await file.findText(scope, { needle: utf8.encode(needle), from: from ?? -1, backwards }, care);
      if (byte < 0) return say(words.notFound);
      say(words.found((await rowOf(byte)) + 1));
      onFound(byte);
    }).catch((error: Error) => say(error.message));
  };
  return (
    <div class="find">
      <form role="search" aria-label={words.searchLabel} onSubmit={(event) => { event.preventDefault(); search(false); }}>
        <input type="search" aria-label={words.search} placeholder={words.search} value={needle} onInput={({ currentTarget }) => onNeedle(currentTarget.value)} />
        <button type="submit">{words.next}</button>
        <button type="button" onClick={() => search(true)}>{words.previous}</button>
        <Cancel job={job} what={words.searchJob} />
        <span role="status">{said}</span>
      </form>
    </div>
  );
}
