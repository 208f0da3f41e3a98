import { checkOptions } from './check.js';

/** What the caller is willing to spend on a file. Compared with what a header claims before any work is done for it. */
export interface Limits {
  /** Most bytes that one call may decode to. A typed array takes 4 GiB at most, whatever stands here. */
  maxOutput?: number | undefined;
  /** Most bytes of history that a streaming decoder may be asked to keep. */
  maxWindow?: number | undefined;
  /** Most bytes that a header, a directory or an index may take. */
  maxHeader?: number | undefined;
  /** Most entries of anything that a header lists. */
  maxElements?: number | undefined;
  /** Most columns of a table. */
  maxColumns?: number | undefined;
  /** Deepest nesting of structured headers. */
  maxDepth?: number | undefined;
}

/** Each has a number. */
type AllLimits = Readonly<Record<keyof Limits, number>>;

/** Ordinary limits: 4 GiB of output, headers of 256 MiB, 16 million entries. */
export const DEFAULT_LIMITS: AllLimits = Object.freeze({
  maxOutput: 2 ** 32 - 1,
  maxWindow: 128 * 2 ** 20,
  maxHeader: 256 * 2 ** 20,
  maxElements: 2 ** 24,
  maxColumns: 4096,
  maxDepth: 1000,
});

/** The limits in the order in which the wasm module takes them. */
export function limitNumbers(limits: Limits | undefined): Float64Array {
  if (limits === undefined) return defaultNumbers;
  if (typeof limits !== 'object' || limits === null) throw new TypeError('limits must be an object, such as { maxOutput: 1e9 }');
  const all: Record<keyof Limits, number> = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(limits) as [keyof Limits, unknown][]) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new TypeError(`there is no limit called ${name}`);
    if (value === undefined) continue;
    if (typeof value !== 'number' || !(value >= 0)) throw new TypeError(`limits.${name} must be a number, 0 or more`);
    all[name] = value;
  }
  return inOrder(all);
}

/** The limits among options, of which no other may be there than those that are known besides. */
export function limitsOf<T extends { limits?: Limits | undefined }>(options: T, known: Readonly<Record<Exclude<keyof T, 'limits'>, true>>): Float64Array {
  checkOptions(options, { limits: true, ...known } as Readonly<Record<keyof T, true>>);
  return limitNumbers(options.limits);
}

const inOrder = (all: AllLimits): Float64Array =>
  Float64Array.of(all.maxOutput, all.maxWindow, all.maxHeader, all.maxElements, all.maxColumns, all.maxDepth);

/** Made once: for a file of a few hundred numbers it takes longer than some of them. */
const defaultNumbers = inOrder(DEFAULT_LIMITS);
