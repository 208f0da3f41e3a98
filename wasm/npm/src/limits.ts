import { checkOptions } from './check.js';

/**
 * Upper bounds for one file. They are checked against its headers before any memory is allocated.
 */
export interface Limits {
  /** Maximum number of decoded bytes of one call. A typed array holds at most 4 GiB in any case. */
  maxOutput?: number | undefined;
  /** Maximum number of bytes that one request to a server may return. */
  maxInput?: number | undefined;
  /** Maximum window of a streaming decoder, in bytes. */
  maxWindow?: number | undefined;
  /** Maximum length of a header, directory or index, in bytes. */
  maxHeader?: number | undefined;
  /** Maximum number of entries in a list of a header. */
  maxElements?: number | undefined;
  /** Maximum number of columns of a table. */
  maxColumns?: number | undefined;
  /** Maximum nesting depth of structured headers. */
  maxDepth?: number | undefined;
}

/**
 * Default limits: 4 GiB of output and of an answer, a window of 128 MiB, headers of 256 MiB, 16
 * million entries, 4,096 columns.
 */
export const DEFAULT_LIMITS: Readonly<Record<keyof Limits, number>> = Object.freeze({
  maxOutput: 2 ** 32 - 1,
  maxInput: 2 ** 32 - 1,
  maxWindow: 128 * 2 ** 20,
  maxHeader: 256 * 2 ** 20,
  maxElements: 2 ** 24,
  maxColumns: 4096,
  maxDepth: 1000,
});

/** Returns the limits in the order of the module's arguments. */
export function limitNumbers(limits: Limits | undefined): Float64Array {
  if (limits === undefined) return defaultNumbers;
  if (typeof limits !== 'object' || limits === null) throw new TypeError('limits must be an object, such as { maxOutput: 1e9 }');
  const all: Record<keyof Limits, number> = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(limits) as [keyof Limits, unknown][]) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new TypeError(`unknown limit ${name}; expected one of ${Object.keys(DEFAULT_LIMITS).join(', ')}`);
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value >= 0)) throw new TypeError(`limits.${name} must be a number, 0 or more, not ${String(value)}`);
    all[name] = value;
  }
  return inOrder(all);
}

/** Checks the names of the options, and returns their limits as numbers. */
export function limitsOf<T extends { limits?: Limits | undefined }>(options: T, known: Readonly<Record<keyof T, true>>): Float64Array {
  checkOptions(options, known);
  return limitNumbers(options.limits);
}

const inOrder = (all: Readonly<Record<keyof Limits, number>>): Float64Array =>
  Float64Array.of(all.maxOutput, all.maxWindow, all.maxHeader, all.maxElements, all.maxColumns, all.maxDepth);

/** The defaults, created once: building it takes longer than decoding a few hundred numbers. */
export const defaultNumbers = inOrder(DEFAULT_LIMITS);
