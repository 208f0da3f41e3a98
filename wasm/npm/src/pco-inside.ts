// Pco: how often each bin is used, and the bits of each number.
import { checkWhole } from './check-numbers.js';
import { loadInspector } from './inspectors.js';
import { inspectorFor } from './inspection.js';
import { limitsOf } from './limits.js';
import type { PcoOptions } from './pco.js';
import type { ByteRange } from './source.js';
import { type Bytes, bytesOf } from './bytes.js';

const VARIABLES: readonly PcoVariable[] = ['lookback', 'primary', 'secondary'];

/** A latent variable of a chunk. */
export type PcoVariable = 'lookback' | 'primary' | 'secondary';

/**
 * Returns the number of latents in each bin of a variable, in the order of the file. The weights in
 * the file are the writer's estimate. Chunks are counted from 0. Empty if the file has no such
 * chunk, or the chunk no such variable.
 */
export async function pcoBinCounts(bytes: Bytes, chunk: number, variable: PcoVariable, options: PcoOptions = {}): Promise<Uint32Array> {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  checkWhole('chunk', chunk);
  if (!VARIABLES.includes(variable)) throw new TypeError(`variable must be 'lookback', 'primary' or 'secondary', not ${String(variable)}`);
  await loadInspector('pco');
  return inspectorFor('pco').call((wasm) => wasm.pco_count_bins(view, chunk, variable, limits));
}

/** A latent of a chunk, and its bits in the file. */
export interface PcoLatent {
  /** The latent variable that it belongs to. */
  readonly variable: PcoVariable;
  /** Index in the chunk of the first number that depends on it. */
  readonly number: number;
  /** Index of its bin. */
  readonly bin: number;
  /** The bits read with its tANS symbol. They choose the bin of the latent four later. */
  readonly symbol: ByteRange;
  /** The bits of its offset from the lower bound of the bin. */
  readonly offset: ByteRange;
}

/** A condition on latents: those of some numbers of the chunk, or with some bits of the file. */
export type PcoLatentsWanted =
  | {
      /** Numbers of the chunk, counted from 0. */
      readonly numbers: ByteRange;
    }
  | {
      /** Bits of the file, counted from 0. */
      readonly bits: ByteRange;
    };

/**
 * Returns latents of the chunk that starts at a byte of the file; empty if none starts there. Those
 * in the metadata of a page are not among them.
 */
export async function pcoLatents(bytes: Bytes, at: number, wanted: PcoLatentsWanted, options: PcoOptions = {}): Promise<PcoLatent[]> {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  checkWhole('at', at);
  const byBits = 'bits' in wanted;
  const { start, end } = byBits ? wanted.bits : wanted.numbers;
  checkWhole('start', start);
  checkWhole('end', end);
  await loadInspector('pco');
  const all = inspectorFor('pco').call((wasm) => wasm.pco_latents(view, at, byBits, start, end, limits));
  return Array.from({ length: all.length / 7 }, (_, index) => {
    const [variable = 0, number = 0, bin = 0, ...bits] = all.subarray(7 * index, 7 * index + 7);
    const [from = 0, to = 0, first = 0, after = 0] = bits;
    return { variable: VARIABLES[variable] ?? 'primary', number, bin, symbol: { start: from, end: to }, offset: { start: first, end: after } };
  });
}
