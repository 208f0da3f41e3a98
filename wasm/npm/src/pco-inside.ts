// Pco: how often each bin is used.
import { checkWhole } from './check-numbers.js';
import { loadInspector } from './inspectors.js';
import { inspectorFor } from './inspection.js';
import { limitsOf } from './limits.js';
import type { PcoOptions } from './pco.js';
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
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  checkWhole('chunk', chunk);
  if (!VARIABLES.includes(variable)) throw new TypeError(`variable must be 'lookback', 'primary' or 'secondary', not ${String(variable)}`);
  await loadInspector('pco');
  return inspectorFor('pco').call((wasm) => wasm.pco_count_bins(view, chunk, variable, limits));
}
