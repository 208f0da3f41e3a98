// A query in the address, to be repeated.
import type { Places } from '../arrive/address';
import { ASKS, NOTHING_ASKED, type At1Columns, type Condition, type Question } from '../values';
import { query as words } from '../words';

/** Returns the first query of a table. It aggregates numbers, and groups by text. */
export function firstQuestion({ columns }: At1Columns): Question {
  const first = (isText: boolean): number => Math.max(0, columns.findIndex(({ type }) => (type === 'text') === isText));
  return { ...NOTHING_ASKED, column: first(false), group: first(true) };
}

/** Returns the parameters of a query. Defaults have none. */
export function placesOf({ conditions, ask, columns, column, group, limit }: Question, table: At1Columns): Places {
  const defaults = firstQuestion(table);
  return {
    where: conditions.map(({ column, test, from, to }) => (test === 'equals' ? `${column}=${from}` : test === 'contains' ? `${column}~${from}` : `${column}:${encodeURIComponent(from)}:${encodeURIComponent(to)}`)),
    ask: ask === defaults.ask ? undefined : ask,
    columns: columns.length > 0 ? columns.join() : undefined,
    of: column === defaults.column ? undefined : column,
    by: group === defaults.group ? undefined : group,
    limit: limit === defaults.limit ? undefined : limit,
  };
}

/** Returns the query with plain numbers, and the reason if it is invalid. */
export function plainly(question: Question, { columns }: At1Columns): { readonly question: Question; readonly refused: string } {
  const conditions = question.conditions.map((condition) =>
    columns[condition.column]?.type === 'text' || condition.test === 'contains' ? condition : { ...condition, from: plainNumber(condition.from), to: plainNumber(condition.to) },
  );
  const wrong = conditions.flatMap(({ test, from, to }) => (test === 'between' ? [from, to] : [])).find((text) => text !== '' && Number.isNaN(Number(text)));
  return { question: { ...question, conditions }, refused: wrong === undefined ? '' : words.notNumber(wrong) };
}

/** Removes thousands separators, which the page itself writes. Leaves other text unchanged. */
function plainNumber(text: string): string {
  const trimmed = text.trim();
  return /^[-+]?\d{1,3}([,\s_]\d{3})+(\.\d*)?$/.test(trimmed) ? trimmed.replace(/[,\s_]/g, '') : trimmed;
}

/** Reads the query from an address, as far as the table has its columns. */
export function questionIn(parameters: URLSearchParams, table: At1Columns): Question {
  const { columns } = table;
  const defaults = firstQuestion(table);
  const known = (text: string | null): number | undefined => (text !== null && /^\d+$/.test(text) && Number(text) < columns.length ? Number(text) : undefined);
  const limit = Number(parameters.get('limit'));
  return {
    conditions: parameters.getAll('where').flatMap((text) => conditionIn(text, known)),
    ask: ASKS.find((ask) => ask === parameters.get('ask')) ?? defaults.ask,
    columns: (parameters.get('columns') ?? '').split(',').flatMap((text) => known(text) ?? []),
    column: known(parameters.get('of')) ?? defaults.column,
    group: known(parameters.get('by')) ?? defaults.group,
    limit: Number.isSafeInteger(limit) && limit > 0 ? limit : defaults.limit,
  };
}

/** Parses `column:from:to`, `column=value` or `column~part`. */
function conditionIn(text: string, known: (text: string) => number | undefined): Condition[] {
  const [, number = '', sign, rest = ''] = /^(\d+)([:=~])(.*)$/s.exec(text) ?? [];
  const column = known(number);
  if (column === undefined) return [];
  if (sign !== ':') return [{ column, test: sign === '=' ? 'equals' : 'contains', from: rest, to: '' }];
  const [from = '', to = ''] = rest.split(':').map(unescaped);
  return [{ column, test: 'between', from, to }];
}

/** Returns the names of the columns of an answer in groups. */
export function groupHeads({ group, column }: Question, { columns }: At1Columns): string[] {
  const { sum, average, min, max } = words.aggregates;
  return [columns[group]?.name ?? '', words.aggregates.rows, ...[sum, average, min, max].map((head) => head(columns[column]?.name ?? ''))];
}

/** Decodes a parameter, which may be malformed if typed by hand. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
