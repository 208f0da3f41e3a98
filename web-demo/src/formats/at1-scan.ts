// Queries that the engine does not answer: text that contains other text, averages, and groups.
import type { At1Answer, At1QueryOptions } from 'unspool';
import type { Question } from '../values';
import { query as words } from '../words';

/** Options that say which rows are wanted. */
type Where = Pick<At1QueryOptions, 'where' | 'eq'>;
type Ask = (options: Omit<At1QueryOptions, 'as'>) => Promise<At1Answer>;

/** Rows that are in memory at a time. */
const MOST = 1_000_000;

/** Returns `true` if a question needs a scan. */
export function needsScan({ conditions, ask }: Question): boolean {
  return ask === 'average' || ask === 'groups' || conditions.some(({ test, from }) => test === 'contains' && from !== '');
}

/**
 * Answers a question with rows of the engine. `where` are the conditions that the engine decides,
 * with its zone maps; the others are decided here.
 */
export async function scanned(question: Question, where: Where, ask: Ask): Promise<At1Answer> {
  const { conditions, columns, column, group, limit } = question;
  const contained = conditions.filter(({ test, from }) => test === 'contains' && from !== '');
  if (question.ask === 'average' && contained.length === 0) {
    const answer = await ask({ ...where, sum: column });
    const numbers = answer.count - answer.withoutNumber;
    return { ...answer, result: numbers === 0 ? undefined : quotientOf(answer.result ?? '0', numbers) };
  }
  const { count } = await ask({ ...where, count: true });
  if (count > MOST) throw new Error(words.tooMany(count, MOST));
  const tested = contained.map(({ column }) => column);
  const single = question.ask === 'groups' ? [group, column] : question.ask === 'rows' || question.ask === 'lines' || question.ask === 'count' ? [] : [column];
  const shown = question.ask === 'rows' ? columns : single;
  // All columns, if all are shown.
  const all = question.ask === 'rows' && columns.length === 0;
  const answer = await ask(all ? where : { ...where, select: [...shown, ...tested] });
  const place = (at: number): number => (all ? (tested[at] ?? 0) : shown.length + at);
  const matching = answer.rows.flatMap((row, at) => (contained.every(({ from }, which) => row[place(which)]?.includes(from) === true) ? [at] : []));
  const rows = matching.map((at) => answer.rows[at] ?? []);
  switch (question.ask) {
    case 'rows': return { ...answer, rows: rows.slice(0, limit).map((row) => (all ? row : row.slice(0, shown.length))), count: Math.min(limit, rows.length) };
    case 'lines': {
      // Lines and columns come in the same order.
      const { rows: lines } = await ask({ ...where, lines: true });
      return { ...answer, rows: matching.slice(0, limit).map((at) => lines[at] ?? []), count: Math.min(limit, matching.length) };
    }
    case 'count': return { ...answer, rows: [], count: rows.length };
    case 'groups': {
      const groups = new Map<string, Numbers>();
      for (const [key = '', text = ''] of rows) {
        let numbers = groups.get(key);
        if (numbers === undefined) groups.set(key, (numbers = new Numbers()));
        numbers.add(text);
      }
      const sorted = [...groups].sort(([one, { rows: a }], [other, { rows: b }]) => b - a || (one < other ? -1 : 1));
      const found = sorted.slice(0, limit).map(([key, numbers]) => [key, String(numbers.rows), numbers.sum(), numbers.average(), numbers.least, numbers.most]);
      return { ...answer, rows: found, count: groups.size };
    }
    default: {
      const numbers = new Numbers();
      for (const [text = ''] of rows) numbers.add(text);
      const results = { sum: numbers.sum(), average: numbers.average(), min: numbers.least, max: numbers.most };
      const result = results[question.ask];
      return { ...answer, rows: [], count: rows.length, withoutNumber: rows.length - numbers.count, result: result === '' ? undefined : result };
    }
  }
}

/** A decimal number without rounding: an integer, and the digits after its point. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** Largest exponent that is kept exact: it becomes as many digits. */
const LARGEST = 400;

/** Parses a number as JSON and CSV have it; `undefined` for other text. */
function decimalOf(text: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', power = '0'] = /^\s*([-+]?)(\d+)(?:\.(\d*))?(?:[eE]([-+]?\d+))?\s*$/.exec(text) ?? [];
  const exponent = Number(power);
  if (whole === '' || Math.abs(exponent) > LARGEST) return undefined;
  const digits = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
  const scale = fraction.length - exponent;
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Returns the digits of a number at a larger scale. */
function at({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}

function textOf({ digits, scale }: Decimal): string {
  const plain = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const fraction = plain.slice(plain.length - scale);
  return `${digits < 0n ? '-' : ''}${plain.slice(0, plain.length - scale)}${scale > 0 ? `.${fraction}` : ''}`;
}

/** Digits of an average after its point. */
const AVERAGE = 12;

/** Divides a sum by a count, rounded to 12 digits after the point. */
function quotientOf(sum: string, count: number): string {
  const parsed = decimalOf(sum);
  if (parsed === undefined) return String(Number(sum) / count);
  const scale = Math.max(AVERAGE, parsed.scale);
  const [whole, half] = [at(parsed, scale), BigInt(count) / 2n];
  const digits = (whole < 0n ? whole - half : whole + half) / BigInt(count);
  return textOf({ digits, scale }).replace(/\.?0+$/, '');
}

/** Exact aggregates of numbers. */
class Numbers {
  rows = 0;
  /** Rows that have a number. */
  count = 0;
  least = '';
  most = '';
  #sum: Decimal = { digits: 0n, scale: 0 };
  #low: Decimal | undefined;
  #high: Decimal | undefined;

  add(text: string): void {
    this.rows++;
    const number = decimalOf(text);
    if (number === undefined) return;
    this.count++;
    const scale = Math.max(number.scale, this.#sum.scale);
    this.#sum = { digits: at(this.#sum, scale) + at(number, scale), scale };
    if (this.#low === undefined || isLess(number, this.#low)) [this.#low, this.least] = [number, text];
    if (this.#high === undefined || isLess(this.#high, number)) [this.#high, this.most] = [number, text];
  }

  /** Returns the sum with all digits; empty without a number. */
  sum(): string {
    return this.count === 0 ? '' : textOf(this.#sum);
  }

  average(): string {
    return this.count === 0 ? '' : quotientOf(textOf(this.#sum), this.count);
  }
}

function isLess(one: Decimal, other: Decimal): boolean {
  const scale = Math.max(one.scale, other.scale);
  return at(one, scale) < at(other, scale);
}
