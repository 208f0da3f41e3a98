// LZMA without xz around it: `.lzma` files, and raw streams.
import { moduleFor } from './instance.js';
import { checkOptions } from './check.js';
import { checkWhole } from './check-numbers.js';
import { refuse } from './error.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './bytes.js';
import { fillBytes } from './fill.js';

const { call, work } = moduleFor('lzma');

/** A filter of a raw stream, as Python's `lzma` and numcodecs write it. */
export interface LzmaFilter {
  /**
   * Number of the filter: 33 is LZMA2, `2n ** 62n + 1n` LZMA1, 3 delta, and 4 to 11 are x86,
   * PowerPC, IA-64, ARM, ARM-Thumb, SPARC, ARM64 and RISC-V.
   */
  id: number | bigint;
  /** Preset of LZMA, 6 by default; the other properties replace its own. */
  preset?: number | null | undefined;
  /** Dictionary of LZMA in bytes. */
  dict_size?: number | undefined;
  /** High bits of the last byte that select the context of a literal: 3 by default. */
  lc?: number | undefined;
  /** Low bits of the position that do so: 0 by default. */
  lp?: number | undefined;
  /** Low bits of the position that select other contexts: 2 by default. */
  pb?: number | undefined;
  /** Distance of a delta in bytes: 1 by default. */
  dist?: number | undefined;
  /** Position of the first byte of machine code: 0 by default. */
  start_offset?: number | undefined;
  /** Properties that only an encoder uses. */
  [other: string]: unknown;
}

/** Options for decoding LZMA. */
export interface LzmaDecodeOptions {
  /**
   * Filters of a raw stream, in the order of its encoder; LZMA comes last. Without them, the bytes
   * are a `.lzma` file.
   */
  filters?: readonly LzmaFilter[] | undefined;
  /** Limits for this call. */
  limits?: Limits | undefined;
}

/** Decodes a `.lzma` file or a raw stream. `limits.maxOutput` bounds the result. */
export function decodeLzma(bytes: Bytes, options: LzmaDecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits, chain] = [bytesOf(bytes), limitsOf(options, { limits: true, filters: true }), chainOf(options.filters)];
  return work(view, limits, () => call((wasm) => wasm.lzma_decode(view, chain, limits) as Uint8Array<ArrayBuffer>));
}

/**
 * Decodes a `.lzma` file or a raw stream to the start of `to`. Returns the number of bytes
 * written.
 */
export function decodeLzmaInto(bytes: Bytes, to: Uint8Array, options: LzmaDecodeOptions = {}): number {
  const [view, limits, chain] = [bytesOf(bytes), limitsOf(options, { limits: true, filters: true }), chainOf(options.filters)];
  return fillBytes(to, (out) => work(view, limits, () => call((wasm) => wasm.lzma_decode_into(view, chain, out, limits))));
}

/** The header of a `.lzma` file, as its writer stated it. */
export interface LzmaHeader {
  /** High bits of the last byte that select the context of a literal. */
  readonly lc: number;
  /** Low bits of the position that do so. */
  readonly lp: number;
  /** Low bits of the position that select other contexts. */
  readonly pb: number;
  /** Dictionary that decoding needs, in bytes. */
  readonly window: number;
  /** Bytes of the decoded content; `undefined` if an end marker follows it. */
  readonly size: number | undefined;
}

/** Length of the header of a `.lzma` file. */
const HEADER = 13;

/** Reads the header at the start of a `.lzma` file; 13 bytes are enough. Decodes nothing. */
export function lzmaHeader(bytes: Bytes): LzmaHeader {
  const view = bytesOf(bytes);
  const [properties = 0] = view;
  if (properties >= 9 * 5 * 5) throw refuse('XzProperties');
  if (view.length < HEADER) throw refuse('Truncated', view.length, HEADER);
  const data = new DataView(view.buffer, view.byteOffset, HEADER);
  const size = data.getBigUint64(5, true);
  const [lc, rest] = [properties % 9, Math.floor(properties / 9)];
  return { lc, lp: rest % 5, pb: Math.floor(rest / 5), window: data.getUint32(1, true), size: size === 2n ** 64n - 1n ? undefined : Number(size) };
}

const [DELTA, LZMA2, LZMA1] = [3, 33, 2 ** 62];

/** The names of the properties. Those after `start_offset` do not matter to a decoder. */
const PROPERTIES = { id: true, preset: true, dict_size: true, lc: true, lp: true, pb: true, dist: true, start_offset: true, mode: true, nice_len: true, mf: true, depth: true } as const;

/** Logarithms of the dictionaries of the presets 0 to 9. */
const DICTIONARIES = [18, 20, 21, 22, 22, 23, 23, 24, 25, 26];

/** Flag of a preset that only an encoder uses. */
const EXTREME = 2 ** 31;

/** Returns the filters as numbers: the coder, lc, lp, pb and the dictionary, then the others. */
function chainOf(filters: readonly LzmaFilter[] | undefined): Uint32Array | undefined {
  if (filters === undefined) return undefined;
  const last = filters.at(-1);
  // JSON rounds the number of LZMA1.
  const isCoder = ({ id }: LzmaFilter): boolean => Number(id) === LZMA2 || Number(id) === LZMA1;
  if (last === undefined || !isCoder(last) || filters.slice(0, -1).some(isCoder)) throw refuse('XzFilterChain');
  filters.forEach((filter) => checkOptions(filter, PROPERTIES, 'a filter'));
  const { id, preset, lc = 3, lp = 0, pb = 2 } = last;
  const logarithm = DICTIONARIES[(preset ?? 6) % EXTREME];
  if (logarithm === undefined) throw new TypeError(`preset must be 0 to 9, not ${String(preset)}`);
  const { dict_size = 2 ** logarithm } = last;
  const before = filters.slice(0, -1).flatMap(({ id, dist = 1, start_offset = 0 }) => [Number(id), Number(id) === DELTA ? dist : start_offset]);
  const numbers = [Number(id) === LZMA2 ? 2 : 1, lc, lp, pb, dict_size, ...before];
  numbers.forEach((number) => checkWhole('a property of a filter', number));
  if (numbers.some((number) => number >= 2 ** 32)) throw refuse('XzFilterProperties');
  return Uint32Array.from(numbers);
}
