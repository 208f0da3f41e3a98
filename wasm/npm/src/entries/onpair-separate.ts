// OnPair alone, without its wasm module: `await init(url)` first.
import * as glue from '../../wasm/onpair/unspool.js';
import onpair from '../errors/onpair.js';
import general from '../errors/general.js';
import { moveIn } from '../instance.js';

export const init = moveIn('onpair', glue, general, onpair);

export * from '../common.js';
export * from '../public/onpair.js';
