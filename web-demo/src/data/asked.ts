// A question to a table as it stands in the address, to be asked again.
import type { Places } from '../arrive/address';
import { ASKS, NOTHING_ASKED, type At1Columns, type Condition, type Question } from '../values';

/** The parameters of a question. Whatever nobody has changed has none. */
export function placesOf({ conditions, ask, columns, column, limit }: Question): Places {
  return {
    where: conditions.map(({ column, test, from, to }) => (test === 'equals' ? `${column}=${from}` : `${column}:${encodeURIComponent(from)}:${encodeURIComponent(to)}`)),
    ask: ask === NOTHING_ASKED.ask ? undefined : ask,
    columns: columns.length > 0 ? columns.join() : undefined,
    of: column === NOTHING_ASKED.column ? undefined : column,
    limit: limit === NOTHING_ASKED.limit ? undefined : limit,
  };
}

/** The question that an address asks a table, as far as the table has what it is about. */
export function questionIn(parameters: URLSearchParams, { columns }: At1Columns): Question {
  const known = (text: string | null): number | undefined => (text !== null && /^\d+$/.test(text) && Number(text) < columns.length ? Number(text) : undefined);
  const limit = Number(parameters.get('limit'));
  return {
    conditions: parameters.getAll('where').flatMap((text) => conditionIn(text, known)),
    ask: ASKS.find(([ask]) => ask === parameters.get('ask'))?.[0] ?? NOTHING_ASKED.ask,
    columns: (parameters.get('columns') ?? '').split(',').flatMap((text) => known(text) ?? []),
    column: known(parameters.get('of')) ?? NOTHING_ASKED.column,
    limit: Number.isSafeInteger(limit) && limit > 0 ? limit : NOTHING_ASKED.limit,
  };
}

/** `column:from:to`, or `column=value`. */
function conditionIn(text: string, known: (text: string) => number | undefined): Condition[] {
  const [, number = '', sign, rest = ''] = /^(\d+)([:=])(.*)$/s.exec(text) ?? [];
  const column = known(number);
  if (column === undefined) return [];
  if (sign === '=') return [{ column, test: 'equals', from: rest, to: '' }];
  const [from = '', to = ''] = rest.split(':').map(unescaped);
  return [{ column, test: 'between', from, to }];
}

/** What somebody has written by hand may be wrong. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
