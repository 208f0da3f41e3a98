// Rows of a string column, or those that a search finds.
import { useEffect, useState } from 'preact/hooks';
import { noteInAddress, parametersHere, readAddress } from '../arrive/address';
import { pause, useAnswer } from '../tools/answer';
import { Cancel, useJob } from '../tools/cancel';
import type { OpenFile } from '../client';
import { Export } from './export';
import { ABOUT } from '../formats/about';
import { bytes, count, inOneLine, plural } from '../format';
import { Refused } from '../tools/refused';
import { RowTable, useNotedRow, useRows } from './rows';
import { useSorting } from './sorting';
import { RemoteFile } from '../arrive/remote';
import { Stored } from '../trace/asked';
import { useSought } from '../trace/going';
import type { ValuesProps } from './preview';
import { SIZE, TEXT, type Place } from '../values';
import { data } from '../words';

/** Rows of a file on a server that are read to sort them. */
const REMOTE = 2 ** 16;
/** Delay after a key press before searching, in milliseconds. */
const PAUSE = 120;

const PLACES: readonly (readonly [Place, string])[] = [
  ['contains', data.contain], ['startsWith', data.startWith], ['equals', data.areEqual],
];

export function Strings({ file, name, report, summary }: ValuesProps) {
  const { rows } = summary;
  const [asked] = useState(searchIn);
  const [place, setPlace] = useState(asked.place);
  const [needle, setNeedle] = useState(asked.needle);
  useEffect(() => noteInAddress({ search: asksNothing(place, needle) ? undefined : `${place}:${needle}` }), [place, needle]);

  const job = useJob();

  const search = useAnswer(
    async (gone): Promise<Uint32Array | undefined> => {
      await pause(PAUSE, gone);
      if (asksNothing(place, needle)) return undefined;
      return new Promise((resolve, reject) => {
        gone.addEventListener('abort', job.cancel);
        void job.run(async (care) => {
          // If the visitor cancels, show all rows again.
          care.signal.addEventListener('abort', () => gone.aborted || setNeedle(''));
          await file.search({ place, needle }, care).then(resolve, reject);
        });
      });
    },
    [file, place, needle],
  );
  const matches = search.value;
  const total = matches?.length ?? rows;
  const sorting = useSorting(
    async ({ column, descending }, care) => {
      const ordered = await file.order({ column, place: 0, descending, most: file.source instanceof RemoteFile ? REMOTE : rows }, care);
      return matches === undefined ? ordered : { rows: amongst(ordered.rows, matches, rows), total };
    },
    [file, matches],
  );
  const { order } = sorting;
  const listed = order ?? matches;
  const found = useRows(listed?.length ?? total, async (start, end) => (await file.texts({ numbers: listed?.slice(start, end), start, end })).rows, [file, listed]);
  // The row in the address is one that the search in it finds.
  useNotedRow(found, order === undefined && (matches !== undefined || asksNothing(asked.place, asked.needle)));
  const error = search.error || found.error;
  const again = search.error === '' ? found.again : search.again;

  const [chosen, choose] = useState(() => readAddress().drawn);
  useEffect(() => noteInAddress({ drawn: chosen }), [chosen]);
  const placeIn = (row: number): number => (order !== undefined ? Math.max(0, sorting.placeOf(row)) : matches === undefined ? row : placeOf(row, matches));
  const isListed = chosen !== undefined && (order === undefined ? matches === undefined || matches.includes(chosen) : sorting.placeOf(chosen) >= 0);
  /** A row to scroll to, once all rows are listed. */
  const [wanted, want] = useState<number>();
  useSought(
    () => true,
    ({ row }) => {
      setNeedle('');
      setPlace('contains');
      sorting.clear();
      choose(row);
      want(row);
    },
  );
  useEffect(() => {
    if (wanted === undefined || listed !== undefined) return;
    found.lines.go(wanted);
    want(undefined);
  }, [wanted, listed]);

  const needleShown = matches === undefined ? '' : needle;
  return (
    <section class="preview strings" aria-label={data.label} data-jump={data.values} tabIndex={-1}>
      <div class="heading">
        <h2>{data.values}</h2>
        <form class="search" role="search" onSubmit={(event) => event.preventDefault()}>
          <label>
            {data.rowsThat}{' '}
            <select aria-label={data.match} value={place} onChange={({ currentTarget }) => setPlace(currentTarget.value as Place)}>
              {PLACES.map(([place, words]) => <option key={place} value={place}>{words}</option>)}
            </select>
          </label>
          <input type="search" aria-label={data.search} placeholder={data.searchHint} value={needle} onInput={({ currentTarget }) => setNeedle(currentTarget.value)} />
        </form>
        <p class="facts" role="status">
          {matches === undefined ? plural(rows, data.row) : data.found(total, rows)}
        </p>
        {job.progress !== undefined && <Cancel job={job} what={data.searchJob} />}
      </div>
      <Refused what={data.theseRowsFailed} error={error} onRetry={again} />
      {sorting.status}
      <RowTable
        rows={found}
        heads={[{ name: data.row }, { name: data.size, ...sorting.head(SIZE) }, { name: data.text, kind: 'text', ...sorting.head(TEXT) }]}
        place={placeIn}
        chosen={isListed ? placeIn(chosen) : undefined}
        onRow={(at) => choose(listed === undefined ? at : listed[at])}
        outOf={rows}
        copy={(start, end) => wholeRows(file, listed?.slice(start, end) ?? Uint32Array.from({ length: end - start }, (_, at) => start + at))}
        cells={({ row, text, bytes: size }) => (
          <>
            <th scope="row"><button type="button" tabIndex={-1} aria-pressed={row === chosen} aria-label={data.chooseRow(row)}>{count(row)}</button></th>
            <td class="size">{bytes(size)}</td>
            <td class="text">{size === 0 ? <i>{data.empty}</i> : <Marked text={text} needle={needleShown} />}</td>
          </>
        )}
      />
      {chosen !== undefined && chosen < rows && <Stored file={file} report={report} value={{ column: 0, row: chosen, place: 0 }} name={data.rowNumber(chosen)} />}
      {total === 0 && <p class="facts">{rows === 0 ? data.noRows : data.noMatch}</p>}
      {report.format !== undefined && (
        <Export file={file} report={report} name={name} column={0} kinds={ABOUT[report.format].saves} snippet={async () => (await import('../formats/snippet')).snippet(report, summary, name)} />
      )}
    </section>
  );
}

/** Reads rows with all their text; the table shows only its start. */
async function wholeRows(file: OpenFile, rows: Uint32Array): Promise<string[][]> {
  const found: string[][] = [];
  for (const row of rows) found.push([String(row), new TextDecoder('utf-8', { ignoreBOM: true }).decode((await file.strings(row, row + 1)).bytes)]);
  return found;
}

/** Keeps the rows that a search has found, in their order. */
function amongst(order: Uint32Array, matches: Uint32Array, rows: number): Uint32Array {
  const isFound = new Uint8Array(rows);
  for (const row of matches) isFound[row] = 1;
  return order.filter((row) => isFound[row] === 1);
}

/** Returns the position of a row among the matches, or of the next match, or of the last. */
function placeOf(row: number, matches: Uint32Array): number {
  const at = matches.findIndex((match) => match >= row);
  return at < 0 ? matches.length - 1 : at;
}

/** Returns `true` if a search would match every row. */
function asksNothing(place: Place, needle: string): boolean {
  return needle === '' && place !== 'equals';
}

/** Reads the search from the address. */
function searchIn(): { place: Place; needle: string } {
  const [, word, needle = ''] = /^(\w+):(.*)$/s.exec(parametersHere().get('search') ?? '') ?? [];
  const place = PLACES.find(([place]) => place === word)?.[0];
  return place === undefined ? { place: 'contains', needle: '' } : { place, needle };
}

/** Highlights the first match in a text. */
function Marked({ text, needle }: { readonly text: string; readonly needle: string }) {
  const at = needle === '' ? -1 : text.indexOf(needle);
  if (at < 0) return <>{inOneLine(text)}</>;
  return (
    <>
      {inOneLine(text.slice(0, at))}
      <mark>{inOneLine(needle)}</mark>
      {inOneLine(text.slice(at + needle.length))}
    </>
  );
}
