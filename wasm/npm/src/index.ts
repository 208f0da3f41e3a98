// The package with its wasm module inside: importing it is all there is to do.
import { text } from './inlined/unspool.js';
import { carry } from './instance.js';

carry('unspool', text);

export * from './separate.js';
