// The decoded values of a column: its rows, a heat map of those in sight, and a curve of the
// selected one.
import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../tools/answer';
import { later } from '../tools/later';
import { Tabs } from '../tools/tabs';
import { NumberField } from '../tools/number-field';
import type { OpenFile } from '../client';
import { noteInAddress, readAddress } from '../arrive/address';
import { RemoteFile } from '../arrive/remote';
import { Export } from './export';
import { ABOUT } from '../formats/about';
import type { Column, Report, Summary } from '../model';
import { Sections } from './sections';
import { Statistics } from './statistics';
import { useAcross } from './across';
import { RowTable, useNotedRow, useRows, type Head, type Rows } from './rows';
import { eachRow, useSorting } from './sorting';
import { count, exact, rest, value, visible } from '../format';
import { Refused } from '../tools/refused';
import { Plot } from './plot';
import { Stored } from '../trace/asked';
import { Going, useSought } from '../trace/going';
import type { Rows as Decoded } from '../values';
import { data } from '../words';

const Columns = later(async () => (await import('./columns')).NumberColumns);
const HeatMap = later(async () => (await import('./heat')).HeatMap);
const Vectors = later(async () => (await import('./vectors')).Vectors);

/** Widths in the table of row numbers, of values, and of integers of 64 bits. */
const [ROW_WIDTH, WIDTH, WIDE] = [72, 104, 172];
/** Columns that fit in a row of tabs. */
const MOST_TABS = 12;
/** Single numbers drawn around those in sight. */
const AROUND = 256;
/** Values of a file on a server that are read to sort them. */
const REMOTE = 2 ** 18;

/** Numbers of each column drawn in the list of columns. */
const FIRST = 128;

/** Inputs of a view of decoded values. */
export interface ValuesProps {
  readonly file: OpenFile;
  readonly name: string;
  readonly report: Report;
  readonly summary: Summary;
}

export function Preview({ file, name, report, summary }: ValuesProps) {
  const [picked, setPicked] = useState(() => {
    const { column } = readAddress();
    return column !== undefined && column < summary.columns.length ? column : 0;
  });
  const column = summary.columns[picked];
  const named = summary.columns.length > 1 ? (column?.name ?? '') : '';
  const [wanted, show] = useState<{ readonly row: number }>();

  const { sought } = useContext(Going);
  useEffect(() => {
    if (sought !== undefined) setPicked(Math.min(sought.column, summary.columns.length - 1));
  }, [sought]);

  useEffect(() => noteInAddress({ column: picked > 0 ? picked : undefined }), [picked]);
  if (summary.columns.length === 0) return null;

  /** Reads the first numbers of a column. From a server, that would fetch a chunk of each. */
  const first = async (at: number): Promise<readonly number[]> => {
    const { dimension, rows = summary.rows } = summary.columns[at] ?? { dimension: 0 };
    if (file.source instanceof RemoteFile || dimension === 0 || rows === 0) return [];
    const { data: numbers } = await file.rows(at, 0, Math.min(rows, Math.ceil(FIRST / dimension)));
    return Array.from(numbers.subarray(0, FIRST) as ArrayLike<number | bigint>, Number);
  };

  return (
    <>
      {summary.columns.length > 1 && <Columns report={report} picked={picked} onPick={setPicked} first={first} />}
      <section class="preview" aria-label={data.label} data-jump={data.values} tabIndex={-1}>
        <div class="heading">
          <h2>{data.values}</h2>
          {summary.columns.length > 1 && summary.columns.length <= MOST_TABS && (
            <Tabs label={data.columns} tabs={summary.columns.map(({ name }, at) => ({ id: String(at), name: visible(name) }))} picked={String(picked)} onPick={(id) => setPicked(Number(id))} />
          )}
        </div>
        {column !== undefined && (
          <Values key={picked} file={file} report={report} column={column} index={picked} rows={column.rows ?? summary.rows} summary={summary} wanted={wanted}>
            <Statistics key={`statistics ${picked}`} file={file} column={picked} values={(column.rows ?? summary.rows) * column.dimension} here={summary.startOnly} onRow={(row) => show({ row })} />
          </Values>
        )}
        {column !== undefined && report.format !== undefined && (
          <Export
            file={file}
            report={report}
            name={name}
            column={picked}
            columnName={named}
            kinds={summary.startOnly ? [] : ABOUT[report.format].saves}
            snippet={async () => (await import('../formats/snippet')).snippet(report, summary, name, named)}
          />
        )}
      </section>
    </>
  );
}

interface ColumnProps {
  readonly file: OpenFile;
  readonly report: Report;
  readonly column: Column;
  readonly index: number;
  /** Number of rows. */
  readonly rows: number;
  readonly summary: Summary;
  /** A row to scroll to. */
  readonly wanted: { readonly row: number } | undefined;
  /** Statistics: beside a table of single numbers, else below. */
  readonly children: ComponentChildren;
}

function Values({ file, report, column, index, rows: total, wanted, children, summary: { chunkEnds: ends = [], sections = [], startOnly = false } }: ColumnProps) {
  const [chosen, choose] = useState(() => Math.max(0, Math.min(total - 1, readAddress().drawn ?? 0)));
  const [pointed, point] = useState('');
  const [pointedAt, pointAt] = useState('');
  const { dimension } = column;
  // Rows of vectors without values have nothing to show.
  const empty = total === 0 || dimension === 0;
  const sorting = useSorting(
    ({ column: place, descending }, care) => file.order({ column: index, place, descending, most: file.source instanceof RemoteFile ? Math.max(1, Math.floor(REMOTE / dimension)) : total }, care),
    [file, index],
    startOnly,
  );
  const { order, rowAt, placeOf } = sorting;
  const rows = useRows(
    empty ? 0 : (order?.length ?? total),
    async (start, end) => (order === undefined ? pick(await file.rows(index, start, end)) : eachRow(order.subarray(start, end), async (row) => pick(await file.rows(index, row, row + 1)))),
    [file, index, order],
  );
  useNotedRow(rows, order === undefined);
  useEffect(() => noteInAddress({ drawn: chosen > 0 ? chosen : undefined }), [chosen]);
  // The selected vector; for single numbers, those around the rows in sight.
  const from = dimension > 1 ? chosen : Math.floor((order === undefined ? rows.lines.first : chosen) / (AROUND / 2)) * (AROUND / 2);
  const { value: drawn } = useAnswer(async () => file.rows(index, from, Math.min(total, dimension > 1 ? from + 1 : from + AROUND)), [file, index, from, dimension, total]);
  const sight = useSight(rows);
  // All values of a vector are in the table; those in sight are rendered.
  const [start] = useState(() => Math.max(0, Math.min(dimension - 1, readAddress().place ?? 0)));
  const wide = useAcross(rows.lines.box, empty ? 0 : dimension, /int64/.test(column.dtype) ? WIDE : WIDTH, ROW_WIDTH, start);
  const across = dimension > 1 ? wide : undefined;
  const [place, end] = across === undefined ? [0, 1] : [across.first, across.last];
  useEffect(() => noteInAddress({ place: place > 0 ? place : undefined }), [place]);
  const { first, last, reveal } = rows.lines;
  // Tab reaches one row, arrow keys the others. Both count the places of the rows in the table.
  const chosenAt = placeOf(chosen);
  const stop = chosenAt >= first && chosenAt < last ? chosenAt : first;
  const table = useRef<HTMLDivElement>(null);
  const follows = useRef(false);
  useLayoutEffect(() => {
    const button = follows.current ? table.current?.querySelector<HTMLElement>('tbody [aria-pressed=true]') : null;
    // The row may not be loaded yet.
    if (button === null || button === undefined) return;
    follows.current = false;
    button.focus();
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const next = Math.min(rows.total - 1, Math.max(0, stop + step));
    follows.current = true;
    choose(rowAt(next));
    reveal(next);
    event.preventDefault();
    event.stopPropagation();
  };
  const show = (row: number): void => {
    choose(row);
    if (placeOf(row) < 0) sorting.clear();
    rows.lines.go(Math.max(0, placeOf(row)));
  };
  const before = useRef(wanted);
  useEffect(() => {
    // A request for a row of the previous column is obsolete.
    if (wanted !== undefined && wanted !== before.current) show(wanted.row);
    before.current = wanted;
  }, [wanted]);
  /** The value of the row whose bits are shown. */
  const [traced, setTraced] = useState(0);
  useSought(
    ({ column }) => column === index,
    ({ row, place }) => {
      setTraced(place);
      if (place < wide.first || place >= wide.last - 1) wide.go(place);
      show(row);
    },
  );
  const heads: Head[] = [{ name: data.row }, ...Array.from({ length: end - place }, (_, at) => ({ name: dimension === 1 ? data.value : String(place + at), ...sorting.head(place + at) }))];

  const isBeside = dimension === 1;
  const chunks = ends.length > 1 && !empty && <Chunks ends={ends} row={rowAt(stop)} onRow={show} />;
  const drawings = !empty && (
    <div class="drawings">
      {drawn !== undefined && (
        <figure>
          <Plot values={drawn.data as ArrayLike<number | bigint>} named={dimension > 1 ? data.value : data.row} first={dimension > 1 ? 0 : drawn.start} onPoint={pointAt} />
          <figcaption>
            {pointedAt !== '' ? pointedAt : dimension > 1 ? data.rowDrawn(drawn.start, dimension) : data.rowsFrom(drawn.start, drawn.start + drawn.data.length - 1)}
          </figcaption>
        </figure>
      )}
      {dimension > 1 && order === undefined && sight !== undefined && (
        <figure>
          <HeatMap {...sight} dimension={dimension} chosen={chosen} onRow={choose} onPoint={point} />
          <figcaption>
            {data.heatCaption(sight.first, sight.first + sight.rows - 1)}{pointed !== '' && `; ${pointed}`}
          </figcaption>
        </figure>
      )}
    </div>
  );

  return (
    <>
      <p class="facts">
        {column.rows === undefined ? data.rowsOf(total, dimension) : data.numbers(total)}, {column.dtype}
        {column.compression !== 'none' && data.storedAs(column.compression)}
      </p>
      <Refused what={data.rowsFailed} error={rows.error} onRetry={rows.again} />
      {sorting.status}
      <div class={isBeside ? 'paired' : undefined}>
        <div ref={table} class="values">
          <RowTable
            rows={rows}
            heads={heads}
            across={across}
            chosen={chosenAt < 0 ? undefined : chosenAt}
            onRow={(at) => choose(rowAt(at))}
            place={(row) => Math.max(0, placeOf(row))}
            copy={async (start, end) => {
              const values = order === undefined ? pick(await file.rows(index, start, end)) : await eachRow(order.subarray(start, end), async (row) => pick(await file.rows(index, row, row + 1)));
              return values.map((values, at) => [String(rowAt(start + at)), ...values.map(exact)]);
            }}
            cells={(values, at) => (
              <>
                <th scope="row">
                  <button type="button" tabIndex={at === stop ? 0 : -1} onKeyDown={onKeyDown} aria-pressed={at === chosenAt} aria-label={data.drawRow(rowAt(at))} onClick={() => choose(rowAt(at))}>{count(rowAt(at))}</button>
                </th>
                {values.slice(place, end).map((number, cell) => (
                  <td key={place + cell} aria-colindex={across && place + cell + 2} style={across && { minWidth: across.cell, maxWidth: across.cell }} class={at === chosenAt && place + cell === traced && dimension > 1 ? 'traced' : undefined} title={rest(number)} onClick={() => setTraced(place + cell)}>{value(number)}</td>
                ))}
              </>
            )}
          >
            {across !== undefined && !empty && (across.first > 0 || across.last < dimension) && (
              <label class="goto fine">
                {data.values.toLowerCase()}{' '}
                <NumberField label={data.firstValue} min={0} max={dimension - 1} value={place} onValue={across.go} />{' '}
                {data.valuesOf(end - 1, dimension)}
              </label>
            )}
            {!isBeside && chunks}
          </RowTable>
        </div>
        {isBeside && <div class="values">{children}{drawings}</div>}
      </div>
      {!empty && (
        <Stored file={file} report={report} value={{ column: index, row: chosen, place: dimension > 1 ? traced : 0 }} name={data.rowNumber(chosen)} dimension={dimension} onPlace={setTraced} />
      )}
      {isBeside && chunks}
      <Sections sections={sections} onRow={show} />
      {dimension > 1 && !empty && <Vectors file={file} column={index} rows={total} chosen={chosen} onRow={show} />}
      {!isBeside && drawings}
      {!isBeside && children}
      {empty && <p class="facts">{data.noValues}</p>}
    </>
  );
}

interface ChunksProps {
  readonly ends: readonly number[];
  /**
   * The drawn row if in sight, else the first row in sight: near its end a table scrolls no
   * further.
   */
  readonly row: number;
  readonly onRow: (row: number) => void;
}

/** Shows the chunk of a row, and goes to another. */
function Chunks({ ends, row, onRow }: ChunksProps) {
  const at = ends.findIndex((end) => end > row);
  const start = ends[at - 1] ?? 0;
  return (
    <label class="goto fine">
      {data.goToChunk}{' '}
      <NumberField label={data.goToChunkLabel} min={0} max={ends.length - 1} value={at} onValue={(chunk) => onRow(ends[chunk - 1] ?? 0)} />{' '}
      {data.chunkHolds(ends.length, start, (ends[at] ?? 0) - 1)}
    </label>
  );
}

type Vector = readonly (number | bigint)[];

/** Splits the values into rows. */
function pick({ data: values, dimension }: Decoded): Vector[] {
  const numbers = Array.from(values as ArrayLike<number | bigint>);
  return Array.from({ length: numbers.length / dimension }, (_, at) => numbers.slice(at * dimension, (at + 1) * dimension));
}

/** The rows in sight, to be drawn. While some are loading, the previous ones. */
function useSight({ lines: { first, page }, total, row }: Rows<Vector>): { first: number; rows: number; values: Vector } | undefined {
  const drawn = useRef<{ first: number; rows: number; values: Vector }>();
  const here = Array.from({ length: Math.min(page, total - first) }, (_, at) => row(first + at));
  if (here.length > 0 && !here.includes(undefined) && !(drawn.current?.first === first && drawn.current.rows === here.length)) {
    drawn.current = { first, rows: here.length, values: here.flatMap((values) => values ?? []) };
  }
  return drawn.current;
}
