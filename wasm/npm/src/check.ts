// What a caller passes, where the wasm module would take anything for a number.

/** Refuses what are no options, and names among them that are not known: one that is misspelt would be left out in silence. */
export function checkOptions<T extends object>(options: T, known: Readonly<Record<keyof T, true>>, what = 'options'): void {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${what} must be an object, not ${shown(options)}`);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) throw new TypeError(`${what} can be ${Object.keys(known).join(', ')}, not ${unknown}`);
}

/** Refuses what is no count, or no place in a list. */
export function checkWhole(name: string, value: unknown): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return;
  throw new TypeError(`${name} must be a whole number, 0 or more, not ${shown(value)}`);
}

/** Refuses what is no number of a row. */
export function checkRow(row: unknown): void {
  if (Number.isSafeInteger(row) && (row as number) >= 0) return;
  throw new TypeError(`rows are whole numbers from 0 on, not ${shown(row)}`);
}

/** Refuses what is no first row with the row behind the last one. */
export function checkRows(rows: unknown): void {
  if (rows !== undefined && !(Array.isArray(rows) && rows.length === 2)) throw new TypeError(`rows must be [start, end], not ${shown(rows)}`);
  for (const row of rows ?? []) checkRow(row);
}

/** Not all that there is becomes a string. */
const shown = (value: unknown): string => (typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value));
