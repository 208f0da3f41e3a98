// A table in row groups: a query, its rows, and how little of the file it read.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { pause, useAnswer } from '../tools/answer';
import { Passing } from '../tools/passing';
import { noteInAddress, parametersHere } from '../arrive/address';
import { placesOf, plainly, questionIn } from './asked';
import { Conditions } from './conditions';
import { Export } from './export';
import { ABOUT, snippetOfQuery } from '../formats/about';
import { bytes, count, inOneLine, percent, plural } from '../format';
import { doubtful } from '../model';
import type { ValuesProps } from './preview';
import { RowTable, useList, useNotedRow, type Head } from './rows';
import { ASKS, NOTHING_ASKED, type Ask, type At1Columns, type Condition, type Question, type TableAnswer } from '../values';
import { Refused } from '../tools/refused';
import { ZoneMaps } from '../inside/zone-maps';

/** Maximum number of columns shown; a table may have thousands. */
const SHOWN = 40;
/** Delay after a key press before querying, in milliseconds. */
const PAUSE = 150;

export function Table({ file, name, report, summary }: ValuesProps) {
  const { table } = summary;
  const [question, setQuestion] = useState<Question>(() => (table === undefined ? NOTHING_ASKED : questionIn(parametersHere(), table)));
  const plain = useMemo(() => (table === undefined ? undefined : plainly(question, table)), [question, table]);
  const asked = plain?.question ?? question;
  const { value: answer, error, again } = useAnswer(
    async (gone) => {
      await pause(PAUSE, gone);
      if (plain?.refused) throw new Error(plain.refused);
      return file.query(asked);
    },
    [file, plain],
  );
  const rows = useList(answer?.rows ?? [], [answer]);
  useNotedRow(rows, answer !== undefined);
  useEffect(() => noteInAddress(placesOf(question)), [question]);
  const quotes = useMemo(() => answer?.rows.some((row) => row.some((text) => text.startsWith('"'))) === true, [answer]);
  if (table === undefined) return null;

  const { columns } = table;
  const ask = (change: Partial<Question>): void => setQuestion({ ...question, ...change });
  const one = question.ask === 'sum' || question.ask === 'min' || question.ask === 'max';
  const picked = question.columns.length > 0 ? question.columns.map((at) => columns[at]?.name ?? '') : columns.map(({ name }) => name);
  const names = question.ask === 'lines' ? ['line'] : picked;
  const heads: Head[] = [{ name: '#' }, ...names.slice(0, SHOWN).map((name): Head => ({ name, kind: 'text' }))];
  if (names.length > SHOWN) heads.push({ name: `${count(names.length - SHOWN)} more`, kind: 'more' });

  return (
    <section class="preview query" aria-label="Decoded values" data-jump="Table" tabIndex={-1}>
      <div class="heading">
        <h2>Table</h2>
        <p class="facts">
          {plural(table.rows, 'row')} in {plural(table.groups, 'group')}, {plural(columns.length, 'column')}
        </p>
      </div>
      <form aria-label="Query" onSubmit={(event) => event.preventDefault()}>
        <Conditions table={table} conditions={question.conditions} onChange={(conditions) => ask({ conditions })} />
        <div class="asked">
          <label>
            show{' '}
            <select aria-label="Result" value={question.ask} onChange={({ currentTarget }) => ask({ ask: currentTarget.value as Ask })}>
              {ASKS.map(([ask, words]) => <option key={ask} value={ask}>{words}</option>)}
            </select>
          </label>
          {one && (
            <label>
              of{' '}
              <select aria-label="Aggregated column" value={question.column} onChange={({ currentTarget }) => ask({ column: Number(currentTarget.value) })}>
                {columns.map(({ name }, at) => <option key={at} value={at}>{name}</option>)}
              </select>
            </label>
          )}
          {question.ask !== 'count' && !one && (
            <label>
              the first{' '}
              <input
                type="number"
                class="limit"
                aria-label="Maximum number of rows"
                min={1}
                value={question.limit}
                onInput={({ currentTarget }) => currentTarget.valueAsNumber >= 1 && ask({ limit: Math.floor(currentTarget.valueAsNumber) })}
              />
            </label>
          )}
          {question.ask === 'rows' && columns.length > 1 && (
            <details class="columns">
              <summary>{question.columns.length > 0 ? `${question.columns.length} of ${plural(columns.length, 'column')}` : 'all columns'}</summary>
              <fieldset>
                <legend class="fine">Only these columns</legend>
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
      <Refused what="The query failed" error={error} onRetry={again} />
      {answer !== undefined && error === '' && <Found answer={answer} question={question} />}
      {answer?.count === 0 && error === '' && <Unquoted table={table} conditions={question.conditions} onChange={(conditions) => ask({ conditions })} />}
      {answer !== undefined && error === '' && <Result answer={answer} />}
      {answer !== undefined && table.groups > 0 && <ZoneMaps table={table} groups={answer.groups} conditions={asked.conditions} />}
      {doubtful(report) && <p class="doubt" role="note">The checksum does not match: any part of this content may be wrong.</p>}
      <RowTable
        rows={rows}
        heads={heads}
        cells={(row, at) => (
          <>
            <th scope="row">{count(at)}</th>
            {row.slice(0, SHOWN).map((text, column) => <td key={column} class="text">{inOneLine(text)}</td>)}
            {row.length > SHOWN && <td class="more">…</td>}
          </>
        )}
      />
      <Export
        file={file}
        report={report}
        name={name}
        column={0}
        kinds={[...(one || question.ask === 'count' ? [] : (['csv', 'json'] as const)), ...ABOUT.at1.saves]}
        question={asked}
        words={{ csv: 'Rows as CSV', json: 'Rows as JSON', raw: 'Whole text' }}
        snippet={snippetOfQuery(name, asked, table, report.wrapped !== undefined)}
      />
      {quotes && <p class="facts">CSV and JSON keep the quotes around values, as in the table.</p>}
    </section>
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
      Most JSON tables store text in quotes. <Passing onClick={() => onChange(quoted)}>Search for {JSON.stringify(found.from)}</Passing>
    </p>
  );
}

/** The number that a query asks for. The sum of no number is not 0. */
function Result({ answer: { count: found, result, withoutNumber } }: { readonly answer: TableAnswer }) {
  if (withoutNumber > 0 && withoutNumber >= found) return <p class="result">No matching row has a number.</p>;
  return result === undefined ? null : <p class="result"><strong>{result}</strong></p>;
}

/** The number of rows found, and the bytes read for them. */
function Found({ answer: { count: found, withoutNumber, stats }, question }: { readonly answer: TableAnswer; readonly question: Question }) {
  const full = found >= question.limit && (question.ask === 'rows' || question.ask === 'lines');
  const left = stats.groups - stats.read - stats.skipped;
  return (
    <p class="facts" role="status">
      <strong>{full ? `The first ${plural(found, 'row')}` : plural(found, 'row')}</strong>
      {question.conditions.length > 0 && ` that ${found === 1 ? 'meets' : 'meet'} all conditions`}
      {withoutNumber > 0 && `, ${count(withoutNumber)} of them without a number`}.{' '}
      {plural(stats.read, 'row group')} read
      {stats.skipped > 0 && `, ${count(stats.skipped)} ruled out by ${stats.skipped === 1 ? 'its zone map' : 'their zone maps'}`}
      {left > 0 && `, ${count(left)} not needed`}: {bytes(stats.blockBytesRead)} of {bytes(stats.blockBytesTotal)} of blocks,{' '}
      {percent(stats.blockBytesRead, stats.blockBytesTotal)}.
    </p>
  );
}
