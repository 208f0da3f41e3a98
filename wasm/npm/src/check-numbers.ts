// Checks numbers before the module sees them: it would accept anything.
import { formatted } from './check.js';

/** Checks that a value is a count or an index. */
export function checkWhole(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new TypeError(`${name} must be a whole number, 0 or more, not ${formatted(value)}`);
}

/** Checks that a value is a row number. */
export function checkRow(row: unknown): void {
  if (Number.isSafeInteger(row) && (row as number) >= 0) return;
  throw new TypeError(`a row must be a whole number, 0 or more, not ${formatted(row)}`);
}

/** Checks that a value is a range of rows, if given. */
export function checkRows(rows: unknown): void {
  if (rows !== undefined && !(Array.isArray(rows) && rows.length === 2)) throw new TypeError(`rows must be [start, end], not ${formatted(rows)}`);
  for (const row of rows ?? []) checkRow(row);
}
