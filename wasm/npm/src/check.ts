// Checks arguments before the module sees them: it would accept anything as a number.

/** Checks that options are an object without unknown names: a misspelt name would be ignored. */
export function checkOptions<T extends object>(options: T, known: Readonly<Record<keyof T, true>>, what = 'options'): void {
  if (typeof options !== 'object' || options === null) {
    // `buffers.map(decodePco)` passes an index.
    const hint = typeof options === 'number' ? '; in map, write (bytes) => decode(bytes)' : '';
    throw new TypeError(`${what} must be an object, not ${formatted(options)}${hint}`);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw new TypeError(`unknown name ${unknown} in ${what}; expected one of ${Object.keys(known).join(', ')}`);
}

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

/** Formats a value; `String` throws for some objects. */
const formatted = (value: unknown): string => (typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value));
