// The package with its wasm module inside: importing it is all there is to do.
import { base64 } from './inlined/unspool.js';
import { carry } from './instance.js';

carry('unspool', base64);

export * from './separate.js';
