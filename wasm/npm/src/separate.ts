// The package without its wasm module: `await init(url)` first. For pages that cache or audit the
// module separately, and for runtimes that accept only modules compiled ahead of time.
import * as glue from '../wasm/unspool.js';
import * as errors from './errors/all.js';
import { setPathFormatter, registerModule } from './instance.js';
import { pathOf } from './path.js';

setPathFormatter(pathOf);

/** Compiles the wasm module before the first call. See {@link Init}. */
export const init = registerModule('unspool', glue, ...Object.values(errors));

export * from './api.js';
