// The package without its wasm module: `await init(url)` first. For pages that want to cache or to audit the module by
// itself, and for runtimes that only take modules compiled ahead of time.
import * as glue from '../wasm/unspool.js';
import at1 from './errors/at1.js';
import cvc from './errors/cvc.js';
import general from './errors/general.js';
import gzip from './errors/gzip.js';
import json from './errors/json.js';
import onpair from './errors/onpair.js';
import pco from './errors/pco.js';
import xz from './errors/xz.js';
import zstd from './errors/zstd.js';
import { moveIn } from './instance.js';

/** Compiles the wasm module ahead of the first call. See {@link Init}. */
export const init = moveIn('unspool', glue, general, zstd, xz, pco, onpair, cvc, at1, gzip, json);

export * from './api.js';
