/** What the caller is willing to spend on a file. Compared with what a header claims before any work is done for it. */
export interface Limits {
  /** Most bytes that one call may decode to. A typed array takes 4 GiB at most, whatever stands here. */
  maxOutput?: number;
  /** Most bytes of history that a streaming decoder may be asked to keep. */
  maxWindow?: number;
  /** Most bytes that a header, a directory or an index may take. */
  maxHeader?: number;
  /** Most entries of anything that a header lists. */
  maxElements?: number;
  /** Most columns of a table. */
  maxColumns?: number;
  /** Deepest nesting of structured headers. */
  maxDepth?: number;
}

/** Ordinary limits: 4 GiB of output, headers of 256 MiB, 16 million entries. */
export const DEFAULT_LIMITS: Readonly<Required<Limits>> = Object.freeze({
  maxOutput: 2 ** 32 - 1,
  maxWindow: 128 * 2 ** 20,
  maxHeader: 256 * 2 ** 20,
  maxElements: 2 ** 24,
  maxColumns: 4096,
  maxDepth: 1000,
});

/** The limits in the order in which the wasm module takes them. */
export function limitNumbers(limits?: Limits): Float64Array {
  if (limits === undefined) return defaultNumbers;
  if (typeof limits !== 'object' || limits === null) throw new TypeError('limits must be an object, such as { maxOutput: 1e9 }');
  const all = { ...DEFAULT_LIMITS, ...limits };
  for (const name of Object.keys(limits)) {
    const value: unknown = all[name as keyof Limits];
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new TypeError(`there is no limit called ${name}`);
    if (typeof value !== 'number' || !(value >= 0)) throw new TypeError(`limits.${name} must be a number, 0 or more`);
  }
  return inOrder(all);
}

const inOrder = (all: Required<Limits>): Float64Array =>
  Float64Array.of(all.maxOutput, all.maxWindow, all.maxHeader, all.maxElements, all.maxColumns, all.maxDepth);

/** Made once: for a file of a few hundred numbers it takes longer than some of them. */
const defaultNumbers = inOrder(DEFAULT_LIMITS);
