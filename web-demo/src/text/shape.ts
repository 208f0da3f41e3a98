// Detects CSV and JSON Lines by their first rows, and reads the cells of a row.
import { eachEnd, fieldsOf, withoutEnd } from './rows';

/** A table in text. */
export interface Shape {
  readonly kind: 'csv' | 'json';
  readonly columns: readonly string[];
  /** Number of further columns, which are not shown. */
  readonly more: number;
  /** The delimiter of CSV. */
  readonly delimiter: string;
  /** True if the first row names the columns. */
  readonly hasHead: boolean;
}

const DELIMITERS = [',', '\t', ';', '|'];
/** Rows to look at, and columns to show. */
const [LOOKED, COLUMNS] = [64, 100];
/** A name: not empty, not long, and no number or date. */
const NAME = /^[^\d\s+\-.][^]{0,63}$/u;
const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i;

/** Detects a table by the start of content. `isCut` says that more follows. */
export function shapeOf(start: Uint8Array, isCut: boolean): Shape | undefined {
  const json = jsonOf(rowsOf(start, isCut));
  if (json !== undefined) return json;
  const found = DELIMITERS.flatMap((delimiter) => csvOf(rowsOf(start, isCut, delimiter), delimiter) ?? []);
  return found.sort((a, b) => b.columns.length + b.more - a.columns.length - a.more)[0];
}

/** Returns the first rows. Leaves out one that the cut may end. */
function rowsOf(start: Uint8Array, isCut: boolean, delimiter?: string): string[] {
  const rows: string[] = [];
  let from = 0;
  const add = (end: number): boolean => {
    rows.push(utf8.decode(withoutEnd(start.subarray(from, end))));
    from = end;
    return rows.length === LOOKED;
  };
  eachEnd(start, 0, delimiter?.charCodeAt(0), (at) => add(at + 1));
  if (!isCut && from < start.length && rows.length < LOOKED) add(start.length);
  return rows;
}

const utf8 = new TextDecoder('utf-8');

function jsonOf(rows: readonly string[]): Shape | undefined {
  if (rows.length < 2) return undefined;
  const columns = new Set<string>();
  for (const row of rows) {
    const object = objectIn(row);
    if (object === undefined) return undefined;
    for (const name of Object.keys(object)) columns.add(name);
  }
  return columns.size === 0 ? undefined : { kind: 'json', ...shown([...columns]), delimiter: '', hasHead: false };
}

function csvOf(rows: readonly string[], delimiter: string): Shape | undefined {
  const table = rows.map((row) => fieldsOf(row, delimiter));
  const [head, ...others] = table;
  if (head === undefined || head.length < 2 || others.length === 0 || others.some(({ length }) => length !== head.length)) return undefined;
  const hasHead = head.every((name) => NAME.test(name)) && new Set(head).size === head.length;
  // Lines of prose or of a log may have as many commas each.
  const isNumeric = head.some((_, at) => table.every((row) => NUMBER.test(row[at] ?? '')));
  if (!hasHead && (head.length < 3 || !isNumeric)) return undefined;
  return { kind: 'csv', ...shown(hasHead ? head : head.map((_, at) => String(at))), delimiter, hasHead };
}

function shown(columns: readonly string[]): Pick<Shape, 'columns' | 'more'> {
  return { columns: columns.slice(0, COLUMNS), more: Math.max(0, columns.length - COLUMNS) };
}

/** Returns the cells of a row; `undefined` if it is no row of the table. */
export function cellsOf(row: string, { kind, columns, more, delimiter }: Shape): readonly string[] | undefined {
  if (kind === 'csv') {
    const fields = fieldsOf(row, delimiter);
    return fields.length === columns.length + more ? fields.slice(0, columns.length) : undefined;
  }
  const object = objectIn(row);
  return object && columns.map((name) => cellOf(Object.hasOwn(object, name) ? object[name] : ''));
}

const QUOTE = 34;
const EMPTY = new Uint8Array();

/** Returns the bytes of a cell; `undefined` if only `cellsOf` finds it. */
export function cellBytes(row: Uint8Array, { kind, columns, more, delimiter }: Shape, column: number): Uint8Array | undefined {
  if (kind !== 'csv') return undefined;
  const separator = delimiter.charCodeAt(0);
  let [start, end, field] = [0, row.length, 0];
  for (let at = 0; at < row.length; at++) {
    const byte = row[at];
    if (byte === QUOTE) return undefined;
    if (byte !== separator) continue;
    if (field++ === column) end = at;
    if (field === column) start = at + 1;
  }
  return field + 1 === columns.length + more ? row.subarray(start, end) : EMPTY;
}

function cellOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function objectIn(row: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(row);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
