// gzip alone, without its wasm module: `await init(url)` first.
import * as glue from '../../wasm/gzip/unspool.js';
import gzip from '../errors/gzip.js';
import general from '../errors/general.js';
import { moveIn } from '../instance.js';

export const init = moveIn('gzip', glue, general, gzip);

export * from '../common.js';
export * from '../public/gzip.js';
