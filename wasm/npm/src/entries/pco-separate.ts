// Pco alone, without its wasm module: `await init(url)` first.
import * as glue from '../../wasm/pco/unspool.js';
import pco from '../errors/pco.js';
import general from '../errors/general.js';
import { moveIn } from '../instance.js';

export const init = moveIn('pco', glue, general, pco);

export * from '../common.js';
export * from '../public/pco.js';
