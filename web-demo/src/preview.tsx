// The decoded vectors of one column: a page of rows, and the selected row as a curve.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useAnswer } from './answer';
import type { OpenFile } from './client';
import { noteInAddress, readAddress } from './address';
import { Export } from './export';
import { ABOUT, snippet } from './formats/about';
import type { Column, Report, Summary } from './model';
import { Statistics } from './statistics';
import { Pages } from './pages';
import { count, plural, value } from './format';
import { HeatMap, Plot } from './plot';

const PAGE = 25;
/** Values of a row that the table shows; the curve shows all of them. */
const SHOWN = 12;

/** What the view of decoded values is given. */
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
  const tabs = useRef<HTMLDivElement>(null);

  useEffect(() => noteInAddress({ column: picked > 0 ? picked : undefined }), [picked]);
  if (summary.columns.length === 0) return null;

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (picked + step + summary.columns.length) % summary.columns.length;
    setPicked(next);
    tabs.current?.querySelectorAll('button')[next]?.focus();
  };

  return (
    <section class="preview" aria-label="Decoded values">
      <div class="heading">
        <h2>Values</h2>
        {summary.columns.length > 1 && (
          <div class="tabs" role="tablist" aria-label="Columns" ref={tabs} onKeyDown={onKeyDown}>
            {summary.columns.map(({ name }, index) => (
              <button
                key={index}
                type="button"
                role="tab"
                aria-selected={index === picked}
                tabIndex={index === picked ? 0 : -1}
                onClick={() => setPicked(index)}
              >
                {name}
              </button>
            ))}
          </div>
        )}
      </div>
      {column !== undefined && <Statistics key={`statistics ${picked}`} file={file} column={picked} />}
      {column !== undefined && <Values key={picked} file={file} column={column} index={picked} rows={column.rows ?? summary.rows} />}
      {column !== undefined && report.format !== undefined && (
        <Export
          file={file}
          name={name}
          column={picked}
          kinds={ABOUT[report.format].saves}
          snippet={snippet(report.format, name, summary.columns.length > 1 ? column.name : '', report.wrapped !== undefined)}
        />
      )}
    </section>
  );
}

interface ColumnProps {
  readonly file: OpenFile;
  readonly column: Column;
  readonly index: number;
  /** How many rows there are. */
  readonly rows: number;
}

function Values({ file, column, index, rows }: ColumnProps) {
  const [page, setPage] = useState(0);
  const [row, setRow] = useState(0);
  const pages = Math.max(1, Math.ceil(rows / PAGE));
  const start = page * PAGE;
  const { value: found, error } = useAnswer(() => file.rows(index, start, Math.min(rows, start + PAGE)), [file, index, start, rows]);
  useEffect(() => setRow(0), [found]);

  const values = (at: number): readonly (number | bigint)[] =>
    found === undefined ? [] : Array.from(found.data.subarray(at * found.dimension, (at + 1) * found.dimension) as ArrayLike<number | bigint>);
  const here = found === undefined || found.dimension === 0 ? 0 : found.data.length / found.dimension;
  const shown = Math.min(column.dimension, SHOWN);
  const chosen = Math.min(row, Math.max(0, here - 1));

  return (
    <>
      <p class="facts">
        {column.rows === undefined ? `${plural(rows, 'row')} of ${plural(column.dimension, 'value')}` : plural(rows, 'number')}, {column.dtype}
        {column.compression !== 'none' && `, stored as ${column.compression}`}
      </p>
      {error !== '' && <p class="refused" role="alert">These rows cannot be decoded: {error}.</p>}
      {found !== undefined && here > 0 && (
        <>
          <div class="drawings">
            {column.dimension === 1 ? (
              <figure>
                <Plot values={Array.from(found.data as ArrayLike<number | bigint>)} />
                <figcaption>Rows {count(found.start)} to {count(found.start + here - 1)}</figcaption>
              </figure>
            ) : (
              <>
                <figure>
                  <Plot values={values(chosen)} />
                  <figcaption>Row {count(found.start + chosen)}, all {plural(column.dimension, 'value')}</figcaption>
                </figure>
                <figure>
                  <HeatMap rows={here} dimension={column.dimension} data={found.data} row={chosen} onRow={setRow} />
                  <figcaption>Rows {count(found.start)} to {count(found.start + here - 1)}, one below the other, dark for low</figcaption>
                </figure>
              </>
            )}
          </div>
          <div class="table" tabIndex={0} role="region" aria-label="Rows">
            <table>
              <thead>
                <tr>
                  <th scope="col">row</th>
                  {Array.from({ length: shown }, (_, at) => <th key={at} scope="col">{at}</th>)}
                  {column.dimension > shown && <th scope="col" class="more">{count(column.dimension - shown)} more</th>}
                </tr>
              </thead>
              <tbody>
                {Array.from({ length: here }, (_, at) => (
                  <tr key={at} class={at === chosen ? 'selected' : ''} onClick={() => setRow(at)}>
                    <th scope="row">
                      <button type="button" aria-pressed={at === chosen} aria-label={`Draw row ${found.start + at}`} onClick={() => setRow(at)}>
                        {count(found.start + at)}
                      </button>
                    </th>
                    {values(at).slice(0, shown).map((number, place) => <td key={place}>{value(number)}</td>)}
                    {column.dimension > shown && <td class="more">…</td>}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {rows === 0 && <p class="facts">There is nothing to show.</p>}
      <Pages page={page} pages={pages} onPage={setPage} />
    </>
  );
}
