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

/** Formats a value; `String` throws for some objects. */
export const formatted = (value: unknown): string => (typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value));
