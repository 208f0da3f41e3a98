// A table in row groups: a query, its rows, and how little of the file it read.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { pause, useAnswer } from '../tools/answer';
import { Passing } from '../tools/passing';
import { noteInAddress, parametersHere, readAddress } from '../arrive/address';
import { firstQuestion, groupHeads, placesOf, plainly, questionIn } from './asked';
import { Conditions } from './conditions';
import { Export } from './export';
import { ABOUT } from '../formats/about';
import { count, inOneLine, plural, visible } from '../format';
import { columnSizes } from '../formats/column-sizes';
import { doubtful } from '../model';
import { later } from '../tools/later';
import { RemoteFile } from '../arrive/remote';
import type { ValuesProps } from './preview';
import { useAcross } from './across';
import { RowTable, useList, useNotedRow, type Head } from './rows';
import { ASKS, NOTHING_ASKED, type Ask, type At1Columns, type Condition, type Question, type TableAnswer } from '../values';
import { Refused } from '../tools/refused';
import { Stored } from '../trace/asked';
import { canTrace, useSought } from '../trace/going';
import { ZoneMaps } from '../inside/zone-maps';
import { data, query as words, verdict } from '../words';
import './query.css';

const Columns = later(async () => (await import('./columns')).Columns);

/** Rows of each column drawn in the list of columns. */
const FIRST = 128;
/** More columns have one width, so that only those in sight are rendered. */
const FEW = 40;
/** Widths of row numbers, and of each of many columns. */
const [ROW_WIDTH, WIDTH] = [72, 180];
/** Delay after a key press before querying, in milliseconds. */
const PAUSE = 150;

export function Table({ file, name, report, summary }: ValuesProps) {
  const { table } = summary;
  const [question, setQuestion] = useState<Question>(() => (table === undefined ? NOTHING_ASKED : questionIn(parametersHere(), table)));
  const plain = useMemo(() => (table === undefined ? undefined : plainly(question, table)), [question, table]);
  const asked = plain?.question ?? question;
  const { value: answered, error, again } = useAnswer(
    async (gone) => {
      await pause(PAUSE, gone);
      if (plain?.refused) throw new Error(plain.refused);
      return { question, conditions: asked.conditions, answer: await file.query(asked) };
    },
    [file, plain],
  );
  const answer = answered?.answer;
  /** The question whose answer is shown: the previous one while the next answer is loading. */
  const shown = answered?.question ?? question;
  const busy = error === '' && answered?.question !== question;
  const [[by, descending], sortBy] = useState<readonly [column: number, descending: boolean]>([-1, false]);
  useEffect(() => sortBy([-1, false]), [shown]);
  const numeric = by >= 0 && shown.ask !== 'lines' && isNumeric(shown, table, by);
  const sorted = useMemo(() => orderOf(answer?.rows ?? [], by, descending, numeric), [answer, by, descending, numeric]);
  const rows = useList(sorted, [sorted]);
  const width = answer?.rows[0]?.length ?? 0;
  const wide = useAcross(rows.lines.box, width, WIDTH, ROW_WIDTH, 0);
  const across = width > FEW ? wide : undefined;
  useNotedRow(rows, answer !== undefined);
  useEffect(() => {
    if (table !== undefined) noteInAddress(placesOf(question, table));
  }, [question]);
  // Of rows that meet a condition, the numbers in the table are not known.
  const numbered = shown.conditions.length === 0 && shown.ask === 'rows';
  const [chosen, choose] = useState(() => readAddress().drawn);
  useEffect(() => noteInAddress({ drawn: numbered ? chosen : undefined }), [numbered, chosen]);
  /** A row to scroll to, once the table has it. */
  const [wanted, want] = useState<number>();
  useSought(
    () => table !== undefined,
    ({ row }) => {
      if (table !== undefined) setQuestion({ ...firstQuestion(table), limit: Math.max(question.limit, row + 1) });
      choose(row);
      want(row);
    },
  );
  useEffect(() => {
    if (wanted === undefined || busy || rows.total <= wanted) return;
    rows.lines.go(sorted.indexOf(wanted));
    want(undefined);
  }, [wanted, busy, rows.total]);
  const quotes = useMemo(() => answer?.rows.some((row) => row.some((text) => text.startsWith('"'))) === true, [answer]);
  const listed = useMemo(() => {
    const sizes = columnSizes(report);
    return (table?.columns ?? []).map(({ name, type }, at) => ({ name, type, dimension: 1, stored: sizes[at] }));
  }, [report, table]);
  if (table === undefined) return null;

  const { columns } = table;
  const ask = (change: Partial<Question>): void => setQuestion({ ...question, ...change });
  const inGroups = question.ask === 'groups';
  const one = question.ask === 'sum' || question.ask === 'average' || question.ask === 'min' || question.ask === 'max';
  const picked = shown.columns.length > 0 ? shown.columns.map((at) => columns[at]?.name ?? '') : columns.map(({ name }) => name);
  const names = shown.ask === 'lines' ? [words.line] : shown.ask === 'groups' ? groupHeads(shown, table) : picked;
  const heads: Head[] = [{ name: words.number }, ...names.map((name, at): Head => ({
    name: visible(name), kind: 'text', order: at === by ? (descending ? 'descending' : 'ascending') : 'none',
    onSort: () => sortBy(at === by && descending ? [-1, false] : [at, at === by]),
  }))];
  const inSight = across === undefined ? heads : [...heads.slice(0, 1), ...heads.slice(across.first + 1, across.last + 1)];

  /** Reads the first numbers of a column. From a server, that would fetch a block of each. */
  const first = async (at: number): Promise<readonly number[]> => {
    if (file.source instanceof RemoteFile || columns[at]?.type === 'text') return [];
    const { rows } = await file.query({ ...NOTHING_ASKED, columns: [at], limit: FIRST });
    return rows.map(([text = '']) => (text === '' ? NaN : Number(text)));
  };
  const only = question.columns.length === 1 ? (question.columns[0] ?? -1) : -1;

  return (
    <>
      {columns.length > 1 && <Columns columns={listed} size={report.size} picked={only} onPick={(at) => ask({ ask: 'rows', columns: at === only ? [] : [at] })} first={first} />}
      <section class="preview query" aria-label={data.label} data-jump={data.table} tabIndex={-1}>
        <div class="heading">
          <h2>{data.table}</h2>
          <p class="facts">
            {words.size(table.rowCount, table.groupCount, columns.length)}
          </p>
        </div>
        <form aria-label={words.label} onSubmit={(event) => event.preventDefault()}>
          <Conditions table={table} conditions={question.conditions} onChange={(conditions) => ask({ conditions })} />
          <div class="asked">
            <label>
              {words.show}{' '}
              <select aria-label={words.result} value={question.ask} onChange={({ currentTarget }) => ask({ ask: currentTarget.value as Ask })}>
                {ASKS.map((ask) => <option key={ask} value={ask}>{words.asks[ask]}</option>)}
              </select>
            </label>
            {inGroups && <ColumnChoice before={words.by} label={words.groupedBy} columns={columns} picked={question.group} onPick={(group) => ask({ group })} />}
            {(one || inGroups) && <ColumnChoice before={words.of} label={words.aggregated} columns={columns} picked={question.column} onPick={(column) => ask({ column })} />}
            {question.ask !== 'count' && !one && (
              <label>
                {words.first}{' '}
                <input
                  type="number"
                  class="limit"
                  aria-label={words.limit}
                  min={1}
                  value={question.limit}
                  onInput={({ currentTarget }) => currentTarget.valueAsNumber >= 1 && ask({ limit: Math.floor(currentTarget.valueAsNumber) })}
                />
              </label>
            )}
            {question.ask === 'rows' && columns.length > 1 && (
              <details class="columns">
                <summary>{question.columns.length > 0 ? words.someColumns(question.columns.length, columns.length) : words.allColumns}</summary>
                <fieldset>
                  <legend class="fine">{words.onlyThese}</legend>
                  {columns.map(({ name }, at) => (
                    <label key={at}>
                      <input
                        type="checkbox"
                        checked={question.columns.includes(at)}
                        onChange={({ currentTarget }) => ask({ columns: currentTarget.checked ? [...question.columns, at] : question.columns.filter((other) => other !== at) })}
                      />
                      {name}
                    </label>
                  ))}
                </fieldset>
              </details>
            )}
          </div>
        </form>
        <Refused what={words.failed} error={error} onRetry={again} />
        {answer !== undefined && error === '' && <Found answer={answer} question={shown} />}
        {answer?.count === 0 && error === '' && <Unquoted table={table} conditions={shown.conditions} onChange={(conditions) => ask({ conditions })} />}
        {answer !== undefined && error === '' && <Result answer={answer} />}
        {doubtful(report) && <p class="doubt" role="note">{verdict.doubt}</p>}
        <RowTable
          rows={rows}
          busy={busy}
          heads={inSight}
          across={across}
          copy={(start, end) => Promise.resolve(sorted.slice(start, end).map((at) => answer?.rows[at] ?? []))}
          chosen={numbered && chosen !== undefined ? sorted.indexOf(chosen) : undefined}
          onRow={numbered ? (place) => choose(sorted[place]) : undefined}
          cells={(at) => {
            const row = answer?.rows[at] ?? [];
            return (
              <>
                <th scope="row">{numbered ? <button type="button" tabIndex={-1} aria-pressed={at === chosen} aria-label={data.chooseRow(at)}>{count(at)}</button> : count(at)}</th>
                {across === undefined
                  ? row.map((text, column) => <td key={column} class="text">{inOneLine(text)}</td>)
                  : row.slice(across.first, across.last).map((text, at) => (
                    <td key={across.first + at} class="text narrow" aria-colindex={across.first + at + 2} title={text} style={{ minWidth: across.cell, maxWidth: across.cell }}>{inOneLine(text)}</td>
                  ))}
              </>
            );
          }}
        />
        {answered !== undefined && table.groupCount > 0 && <ZoneMaps table={table} groups={answered.answer.groups} conditions={answered.conditions} />}
        {numbered && chosen !== undefined && canTrace(report) && <Stored file={file} report={report} value={{ column: 0, row: chosen, place: 0 }} name={data.rowNumber(chosen)} />}
        <Export
          file={file}
          report={report}
          name={name}
          column={0}
          kinds={[...(one || question.ask === 'count' ? [] : (['csv', 'json'] as const)), ...ABOUT.at1.saves]}
          question={asked}
          words={words.saves}
          snippet={async () => (await import('../formats/snippet')).snippetOfQuery(name, asked, table, report.wrapped !== undefined)}
        />
        {quotes && <p class="facts">{words.quotes}</p>}
      </section>
    </>
  );
}

/** Returns `true` if a column of an answer holds numbers. */
function isNumeric({ ask, columns: picked, group }: Question, table: At1Columns | undefined, column: number): boolean {
  if (ask === 'groups') return column > 0 || table?.columns[group]?.type !== 'text';
  return table?.columns[picked[column] ?? column]?.type !== 'text';
}

/** Returns the order of the rows by a column; rows that have no number come last. */
function orderOf(rows: readonly (readonly string[])[], by: number, descending: boolean, numeric: boolean): number[] {
  const order = rows.map((_, at) => at);
  if (by < 0) return order;
  const sign = descending ? -1 : 1;
  const keys = rows.map((row) => row[by] ?? '');
  if (!numeric) return order.sort((a, b) => sign * ((keys[a] ?? '') < (keys[b] ?? '') ? -1 : keys[a] === keys[b] ? 0 : 1) || a - b);
  const numbers = keys.map((key) => (key.trim() === '' ? NaN : Number(key)));
  return order.sort((a, b) => {
    const [one = NaN, other = NaN] = [numbers[a], numbers[b]];
    if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other)) || a - b;
    return sign * (one - other) || a - b;
  });
}

interface ColumnChoiceProps {
  /** The word before the field, and the name of the field. */
  readonly before: string;
  readonly label: string;
  readonly columns: At1Columns['columns'];
  readonly picked: number;
  readonly onPick: (column: number) => void;
}

function ColumnChoice({ before, label, columns, picked, onPick }: ColumnChoiceProps) {
  return (
    <label>
      {before}{' '}
      <select aria-label={label} value={picked} onChange={({ currentTarget }) => onPick(Number(currentTarget.value))}>
        {columns.map(({ name }, at) => <option key={at} value={at}>{name}</option>)}
      </select>
    </label>
  );
}

interface UnquotedProps {
  readonly table: At1Columns;
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

/** Warns that most JSON tables store text in quotes: a value without them cannot match. */
function Unquoted({ table: { codec, columns }, conditions, onChange }: UnquotedProps) {
  const bare = ({ column, test, from }: Condition): boolean => codec === 'qjson' && test === 'equals' && columns[column]?.type === 'text' && from !== '' && !from.startsWith('"');
  const found = conditions.find(bare);
  if (found === undefined) return null;
  const quoted = conditions.map((condition) => (bare(condition) ? { ...condition, from: JSON.stringify(condition.from) } : condition));
  return (
    <p class="facts">
      {words.mostQuoted} <Passing onClick={() => onChange(quoted)}>{words.searchFor(JSON.stringify(found.from))}</Passing>
    </p>
  );
}

/** The number that a query asks for. The sum of no number is not 0. */
function Result({ answer: { count: found, result, withoutNumber } }: { readonly answer: TableAnswer }) {
  if (withoutNumber > 0 && withoutNumber >= found) return <p class="result">{words.noNumber}</p>;
  return result === undefined ? null : <p class="result"><strong>{result}</strong></p>;
}

/** The number of rows found, and the bytes read for them. */
function Found({ answer: { count: found, rows, withoutNumber, stats }, question }: { readonly answer: TableAnswer; readonly question: Question }) {
  const full = found >= question.limit && (question.ask === 'rows' || question.ask === 'lines');
  const left = stats.groups - stats.read - stats.skipped;
  return (
    <p class="facts" role="status">
      <strong>{question.ask === 'groups' ? words.groupsFound(rows.length, found) : full ? words.firstRows(found) : plural(found, data.row)}</strong>
      {question.conditions.length > 0 && question.ask !== 'groups' && words.meets(found)}
      {withoutNumber > 0 && words.withoutNumber(withoutNumber)}.{' '}
      {words.groupsRead(stats.read)}
      {stats.skipped > 0 && words.ruledOut(stats.skipped)}
      {left > 0 && words.notNeeded(left)}
      {words.blocks(stats.blockBytesRead, stats.blockBytesTotal)}
    </p>
  );
}
