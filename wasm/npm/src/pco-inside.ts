// What Pco works with: its bins.
import { checkWhole } from './check.js';
import { room } from './instance.js';
import { limitsOf } from './limits.js';
import type { PcoDecodeOptions } from './pco.js';
import { type Bytes, bytesOf } from './source.js';

const { call } = room('pco');

const VARIABLES = ['lookback', 'primary', 'secondary'] as const;

/** A latent variable: what the numbers of a chunk are split into. */
export type PcoVariable = (typeof VARIABLES)[number];

/**
 * How many latents of a variable lie in each of its bins, in the order of the file; the weights of the bins are what the writer
 * expected. Chunks are counted from 0. Empty if there is no such chunk, or that has no such variable.
 */
export function pcoBinCounts(bytes: Bytes, chunk: number, variable: PcoVariable, options: PcoDecodeOptions = {}): Uint32Array {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  checkWhole('chunk', chunk);
  if (!VARIABLES.includes(variable)) throw new TypeError(`variable must be 'lookback', 'primary' or 'secondary', not ${String(variable)}`);
  return call((wasm) => wasm.pco_count_bins(view, chunk, variable, limits));
}
