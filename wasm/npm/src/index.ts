/**
 * Decodes compressed columns. The wasm module is inside: importing the package is enough.
 *
 * `unspool/separate` has the same exports without the module: `await init(url)` first. Entries such
 * as `unspool/pco` have the functions of one format.
 *
 * @module unspool
 */
import { text } from './inlined/unspool.js';
import { embedModule } from './instance.js';

embedModule('unspool', text);

export * from './separate.js';
