// The package without its wasm module: `await init(url)` first. For pages that want to cache or to audit the module by
// itself, and for runtimes that only take modules compiled ahead of time.
import * as glue from '../wasm/unspool.js';
import * as errors from './errors/all.js';
import { learnPaths, moveIn } from './instance.js';
import { pathOf } from './path.js';

learnPaths(pathOf);

/** Compiles the wasm module ahead of the first call. See {@link Init}. */
export const init = moveIn('unspool', glue, ...Object.values(errors));

export * from './api.js';
