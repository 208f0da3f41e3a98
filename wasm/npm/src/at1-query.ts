// AT-1: queries on tables in row groups. Reads only the blocks that can hold matching rows.
import type { At1Query as WasmQuery } from '../wasm/at1/unspool.js';
import { anySignal } from './abort.js';
import { AHEAD, readForeseen } from './ahead.js';
import { type PackedAnswer, unpack } from './at1-rows.js';
import { checkOptions } from './check.js';
import { checkWhole } from './check-numbers.js';
import { type Exports, Handle, moduleFor } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { bytesOf, isArray } from './bytes.js';
import { type ByteRange, type OpenedSource, openSource, toRanges, type Reader, type Source } from './source.js';

const wasmModule = moduleFor('at1');

/** A column: its number from 0, or its name (a JSON path, or a field of the header line). */
export type At1Column = number | string;

/** A number. A string keeps every digit. */
export type At1Number = number | bigint | string;

/** A condition: the column's value is from `from` to `to`, both included. */
export interface At1Range {
  /** Column to test. */
  column: At1Column;
  /** Lower bound; none by default. */
  from?: At1Number | undefined;
  /** Upper bound; none by default. */
  to?: At1Number | undefined;
}

/** A condition: the column has this value. */
export interface At1Equal {
  /** Column to test. */
  column: At1Column;
  /** Compared as a number in a column of numbers, else as bytes. A string is encoded as UTF-8. */
  value: At1Number | Uint8Array;
}

/** Options of {@link queryAt1}. */
export interface At1QueryOptions {
  /** Ranges; a row must be in all of them. */
  where?: readonly At1Range[] | undefined;
  /** Values; a row must have all of them. */
  eq?: readonly At1Equal[] | undefined;
  /** Columns to return, in this order. All by default. */
  select?: readonly At1Column[] | undefined;
  /** Returns the original lines instead: one value per row. */
  lines?: boolean | undefined;
  /** Counts the rows without returning them. */
  count?: boolean | undefined;
  /** Computes the exact sum of a column. */
  sum?: At1Column | undefined;
  /** Finds the smallest number of a column. */
  min?: At1Column | undefined;
  /** Finds the largest number of a column. */
  max?: At1Column | undefined;
  /** Maximum number of rows to return, from the first. */
  limit?: number | undefined;
  /** `bytes` returns values as bytes instead of strings. */
  as?: 'bytes' | undefined;
  /** Limits for this query. */
  limits?: Limits | undefined;
  /** Aborts the query. */
  signal?: AbortSignal | undefined;
}

/** Result of {@link queryAt1}. */
export interface At1Answer<V = string> {
  /** The values of the rows; empty if the query asks for a number. */
  readonly rows: V[][];
  /** Number of rows that meet all conditions, up to the limit. */
  readonly count: number;
  /**
   * The sum, minimum or maximum with every digit; `undefined` if not asked for. Without any number,
   * the sum is `0`, and minimum and maximum are undefined.
   */
  readonly result: string | undefined;
  /** Rows without a number, which sum, minimum and maximum ignore. */
  readonly withoutNumber: number;
  /** Work done by the query. */
  readonly stats: {
    /** Row groups of the table. */
    readonly groups: number;
    /** Row groups ruled out by their zone maps. */
    readonly skipped: number;
    /** Row groups read. */
    readonly read: number;
    /** Bytes of the blocks read. */
    readonly blockBytesRead: number;
    /** Bytes of all blocks. */
    readonly blockBytesTotal: number;
    /** Ranges read, in order: the head, then blocks, including any read ahead in vain. */
    readonly ranges: readonly ByteRange[];
  };
}

const ASKS = ['select', 'lines', 'count', 'sum', 'min', 'max'] as const;

/**
 * Queries a table and returns its values as bytes. The source is a file of codec 7 qcolumnar or 8
 * qjson in memory, in a `Blob` or on a server.
 *
 * From a server with range requests, it fetches the head and the blocks needed, up to six at a
 * time. A block fetched ahead may turn out not to be needed. The hash covers all lines, so it is
 * not verified.
 */
export async function queryAt1(source: Source, options: At1QueryOptions & { as: 'bytes' }): Promise<At1Answer<Uint8Array>>;
/** Queries a table and returns its values as strings, or their number, or a sum. */
export async function queryAt1(source: Source, options?: At1QueryOptions & { as?: undefined }): Promise<At1Answer>;
/** Queries a table with options whose type is known only at run time. */
export async function queryAt1(source: Source, options?: At1QueryOptions): Promise<At1Answer<string | Uint8Array>>;
export async function queryAt1(source: Source, options: At1QueryOptions = {}): Promise<At1Answer<string | Uint8Array>> {
  return unpack(await queryPacked(source, options), options.as);
}

/** @internal Runs a query. Returns the values of all rows in one buffer. */
export async function queryPacked(source: Source, options: At1QueryOptions): Promise<PackedAnswer> {
  const limits = limitsOf(options, { limits: true, where: true, eq: true, select: true, lines: true, count: true, sum: true, min: true, max: true, limit: true, as: true, signal: true });
  if (options.as !== undefined && options.as !== 'bytes') throw new TypeError("as must be 'bytes'");
  const ranges: ByteRange[] = [];
  // Aborts reads ahead once there is an answer or an error.
  const over = new AbortController();
  const opened = await openSource(source, { limits: options.limits, signal: anySignal(options.signal, over.signal) });
  const reader = recording(opened, ranges);
  const { make, width, limit } = prepare(opened, options, limits);
  const query = new Handle(wasmModule, make);
  try {
    await drive(query, reader, limit === Infinity);
    return query.call((job) => pack(job, width, ranges));
  } finally {
    query.free();
    over.abort();
  }
}

/** Wraps a reader to record what is read. */
function recording(reader: Reader, ranges: ByteRange[]): Reader {
  return {
    size: reader.size,
    read(range) {
      ranges.push(range);
      return reader.read(range);
    },
  };
}

/**
 * Drives a query to its end. Reads later ranges ahead: all of them if the query wants all rows,
 * else one more with each step.
 */
async function drive(query: Handle<WasmQuery>, reader: Reader, wantsAll: boolean): Promise<void> {
  const read = readForeseen(reader);
  let bytes: Uint8Array | undefined;
  for (let asked = 0; ; asked++) {
    const given = bytes;
    if (!query.call((job) => job.step(given))) return;
    const later = toRanges(query.call((job) => job.needs()));
    const needed = later.pop() ?? { start: 0, end: 0 };
    bytes = await read(needed, wantsAll ? later : later.slice(0, Math.max(0, asked - 1)));
  }
}

/** Translates the query for the module. `width` is the number of values per row, or 0 for all. */
function prepare({ size, isRemote }: OpenedSource, options: At1QueryOptions, limits: Float64Array): { make: (wasm: Exports) => WasmQuery; width: number; limit: number } {
  for (const list of ['where', 'eq', 'select'] as const) {
    if (!Array.isArray(options[list] ?? [])) throw new TypeError(`${list} must be an array`);
  }
  for (const range of options.where ?? []) checkOptions(range, { column: true, from: true, to: true }, 'ranges');
  for (const equal of options.eq ?? []) checkOptions(equal, { column: true, value: true }, 'values');
  const asked = ASKS.filter((ask) => options[ask] !== undefined && options[ask] !== false);
  if (asked.length > 1) throw new TypeError(`a query takes only one of ${asked.join(' and ')}`);
  const [ask] = asked;
  const limit = options.limit ?? Infinity;
  if (limit !== Infinity) checkWhole('limit', limit);
  const ranges = (options.where ?? []).map(({ column, from, to }) => [...place(column), digits(from), digits(to)] as const);
  const values = (options.eq ?? []).map(({ column, value }) => [...place(column), bytes(value)] as const);
  const single = options.sum ?? options.min ?? options.max;
  const columns = (options.select ?? (single === undefined ? [] : [single])).map(place);
  const make = (wasm: Exports): WasmQuery => {
    const job = new wasm.At1Query(size, ask === 'select' ? 'columns' : (ask ?? 'rows'), limit, isRemote ? AHEAD - 1 : 0, limits);
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
  throw new TypeError(`a column must be a whole number, 0 or more, or a name, not ${String(column)}`);
}

function digits(number: At1Number | undefined): string | undefined {
  if (number === undefined || typeof number === 'string') return number;
  if (typeof number === 'bigint' || (typeof number === 'number' && Number.isFinite(number))) return String(number);
  throw new TypeError(`a bound must be a finite number or a string, not ${String(number)}`);
}

function bytes(value: At1Number | Uint8Array): Uint8Array {
  if (isArray(value)) return bytesOf(value, 'a value');
  if (typeof value === 'string') return new TextEncoder().encode(value);
  if (typeof value !== 'bigint' && !Number.isFinite(value)) throw new TypeError(`a value must be a finite number, a string or a Uint8Array, not ${String(value)}`);
  return new TextEncoder().encode(String(value));
}

function pack(job: WasmQuery, width: number, ranges: readonly ByteRange[]): PackedAnswer {
  const [count = 0, withoutNumber = 0, groups = 0, skipped = 0, read = 0, blockBytesRead = 0, blockBytesTotal = 0] =
    job.numbers();
  const [data, ends, result] = [job.data(), job.ends(), job.result()];
  const stats = { groups, skipped, read, blockBytesRead, blockBytesTotal, ranges };
  return { data, ends, columns: width > 0 ? width : count > 0 ? ends.length / count : 0, count, result: result && new TextDecoder().decode(result), withoutNumber, stats };
}
