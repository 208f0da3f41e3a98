// AT-1: questions to tables in row groups, answered from as few bytes as that takes.
import type { At1Query as WasmQuery } from '../wasm/unspool.js';
import { AHEAD, readForeseen } from './ahead.js';
import { checkOptions, checkWhole } from './check.js';
import { type Exports, Held, room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type ByteRange, bytesOf, either, isArray, type OpenSource, openSource, pairs, type Reader, type Source } from './source.js';

const here = room('at1');

/** A column by its place, from 0, or by its name: a path of JSON, or a field of the header line. */
export type At1Column = number | string;

/** A number. A string keeps every digit. */
export type At1Number = number | bigint | string;

/** Numbers from `from` to `to`, both included; either may be left out. */
export interface At1Range {
  column: At1Column;
  from?: At1Number | undefined;
  to?: At1Number | undefined;
}

/** A value: the same number in a column of numbers, else the same bytes. Strings are UTF-8. */
export interface At1Equal {
  column: At1Column;
  value: At1Number | Uint8Array;
}

/** The question. */
export interface At1QueryOptions {
  /** A row must lie in all of these ranges. */
  where?: readonly At1Range[] | undefined;
  /** And have all of these values. */
  eq?: readonly At1Equal[] | undefined;
  /** Columns, in this order. Without it and what follows, all columns. */
  select?: readonly At1Column[] | undefined;
  /** The original lines instead: each row has one value. */
  lines?: boolean | undefined;
  /** Only how many rows there are. */
  count?: boolean | undefined;
  /** The exact sum of a column. */
  sum?: At1Column | undefined;
  /** The smallest number of a column. */
  min?: At1Column | undefined;
  /** The largest number of a column. */
  max?: At1Column | undefined;
  /** At most so many rows, the first ones. */
  limit?: number | undefined;
  /** `bytes` gives values as they stand in the file, not as strings. */
  as?: 'bytes' | undefined;
  limits?: Limits | undefined;
  signal?: AbortSignal | undefined;
}

/** What a question brought. */
export interface At1Answer<V = string> {
  /** The values of the rows; none where only a number was asked for. */
  readonly rows: V[][];
  /** How many rows met all conditions, as far as the limit. */
  readonly count: number;
  /**
   * The sum, minimum or maximum that was asked for, every digit of it; `undefined` where none was. The sum of no number is `0`, and
   * of none there is no minimum and no maximum.
   */
  readonly result: string | undefined;
  /** Rows whose value is no number, which sum, minimum and maximum leave out. */
  readonly withoutNumber: number;
  readonly stats: {
    readonly groups: number;
    /** Groups that their zone maps ruled out. */
    readonly skipped: number;
    readonly read: number;
    readonly blockBytesRead: number;
    readonly blockBytesTotal: number;
    /** All that was read of the file, in order: its head, then blocks; of a server also those that turned out not to be needed. */
    readonly ranges: readonly ByteRange[];
  };
}

const ASKS = ['select', 'lines', 'count', 'sum', 'min', 'max'] as const;

/**
 * Asks a table for rows, whose values it gives as they stand in the file: a file of the codec 7 qcolumnar or 8 qjson, in memory, in a `Blob` or on a server. Of a server that
 * answers range requests no more is fetched than the head of the file and the blocks that the answer takes, and as far as they can be foreseen, up to
 * six at a time: then one or the other may be fetched in vain. The hash of the file, which is that of all lines, is not compared.
 */
export async function queryAt1(source: Source, options: At1QueryOptions & { as: 'bytes' }): Promise<At1Answer<Uint8Array>>;
/** Asks a table for rows, whose values it gives as strings; or for their number, or a sum. */
export async function queryAt1(source: Source, options?: At1QueryOptions & { as?: undefined }): Promise<At1Answer>;
/** The same for options that come from elsewhere. */
export async function queryAt1(source: Source, options?: At1QueryOptions): Promise<At1Answer<string | Uint8Array>>;
export async function queryAt1(source: Source, options: At1QueryOptions = {}): Promise<At1Answer<string | Uint8Array>> {
  const limits = limitsOf(options, { where: true, eq: true, select: true, lines: true, count: true, sum: true, min: true, max: true, limit: true, as: true, signal: true });
  if (options.as !== undefined && options.as !== 'bytes') throw new TypeError("as can only be 'bytes'");
  const ranges: ByteRange[] = [];
  // What was foreseen and is still on its way when there is an answer, or none will come, is called off.
  const over = new AbortController();
  const opened = await openSource(source, either(options.signal, over.signal));
  const reader = noting(opened, ranges);
  const { make, width, limit } = prepare(opened, options, limits);
  const query = new Held(here, make);
  try {
    await drive(query, reader, limit === Infinity);
    return query.call((job) => answer(job, width, ranges, options.as));
  } finally {
    query.free();
    over.abort();
  }
}

/** A reader that writes down what is read. */
function noting(reader: Reader, ranges: ByteRange[]): Reader {
  return {
    size: reader.size,
    read(range) {
      ranges.push(range);
      return reader.read(range);
    },
  };
}

/** Drives a question to its end, and reads what it says that it will need later before it does: at once if it wants all, else as it turns out that it goes on. */
async function drive(query: Held<WasmQuery>, reader: Reader, wantsAll: boolean): Promise<void> {
  const read = readForeseen(reader);
  let bytes: Uint8Array | undefined;
  for (let asked = 0; ; asked++) {
    const given = bytes;
    if (!query.call((job) => job.step(given))) return;
    const later = pairs(query.call((job) => job.needs()));
    const needed = later.pop() ?? { start: 0, end: 0 };
    bytes = await read(needed, wantsAll ? later : later.slice(0, Math.max(0, asked - 1)));
  }
}

/** The question in the words of the wasm module, and how many values a row has; 0 for all. */
function prepare({ size, isFar }: OpenSource, options: At1QueryOptions, limits: Float64Array): { make: (wasm: Exports) => WasmQuery; width: number; limit: number } {
  for (const list of ['where', 'eq', 'select'] as const) {
    if (!Array.isArray(options[list] ?? [])) throw new TypeError(`${list} must be an array`);
  }
  for (const range of options.where ?? []) checkOptions(range, { column: true, from: true, to: true }, 'ranges');
  for (const equal of options.eq ?? []) checkOptions(equal, { column: true, value: true }, 'values');
  const asked = ASKS.filter((ask) => options[ask] !== undefined && options[ask] !== false);
  if (asked.length > 1) throw new TypeError(`${asked.join(' and ')} cannot be asked for at once`);
  const [ask] = asked;
  const limit = options.limit ?? Infinity;
  if (limit !== Infinity) checkWhole('limit', limit);
  const ranges = (options.where ?? []).map(({ column, from, to }) => [...place(column), digits(from), digits(to)] as const);
  const values = (options.eq ?? []).map(({ column, value }) => [...place(column), bytes(value)] as const);
  const single = options.sum ?? options.min ?? options.max;
  const columns = (options.select ?? (single === undefined ? [] : [single])).map(place);
  const make = (wasm: Exports): WasmQuery => {
    const job = new wasm.At1Query(size, ask === 'select' ? 'columns' : (ask ?? 'rows'), limit, isFar ? AHEAD - 1 : 0, limits);
    for (const range of ranges) job.within(...range);
    for (const value of values) job.equal(...value);
    for (const column of columns) job.select(...column);
    return job;
  };
  return { make, width: ask === 'lines' ? 1 : ask === 'select' ? columns.length : 0, limit };
}

function place(column: At1Column): [number, string | undefined] {
  if (typeof column === 'string') return [0, column];
  if (typeof column === 'number' && Number.isSafeInteger(column) && column >= 0) return [column, undefined];
  throw new TypeError(`a column is a whole number from 0 on or a name, not ${String(column)}`);
}

function digits(number: At1Number | undefined): string | undefined {
  if (number === undefined || typeof number === 'string') return number;
  if (typeof number === 'bigint' || (typeof number === 'number' && Number.isFinite(number))) return String(number);
  throw new TypeError(`the end of a range is a number, not ${String(number)}`);
}

function bytes(value: At1Number | Uint8Array): Uint8Array {
  if (isArray(value)) return bytesOf(value, 'a value');
  if (typeof value === 'string') return new TextEncoder().encode(value);
  if (typeof value !== 'bigint' && !Number.isFinite(value)) throw new TypeError(`a value must be a finite number, a string or a Uint8Array, not ${String(value)}`);
  return new TextEncoder().encode(String(value));
}

function answer(job: WasmQuery, width: number, ranges: readonly ByteRange[], as: 'bytes' | undefined): At1Answer<string | Uint8Array> {
  const [count = 0, withoutNumber = 0, groups = 0, skipped = 0, read = 0, blockBytesRead = 0, blockBytesTotal = 0] =
    job.numbers();
  const [data, ends, result] = [job.data(), job.ends(), job.result()];
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  const rows: (string | Uint8Array)[][] = [];
  const columns = width > 0 ? width : count > 0 ? ends.length / count : 0;
  let start = 0;
  let row: (string | Uint8Array)[] = [];
  for (const end of ends) {
    const value = data.subarray(start, end);
    row.push(as === 'bytes' ? value : text.decode(value));
    start = end;
    if (row.length === columns) {
      rows.push(row);
      row = [];
    }
  }
  return {
    rows,
    count,
    result: result === undefined ? undefined : text.decode(result),
    withoutNumber,
    stats: { groups, skipped, read, blockBytesRead, blockBytesTotal, ranges },
  };
}
