// The package with its wasm module inside: importing it is enough.
import { text } from './inlined/unspool.js';
import { embedModule } from './instance.js';

embedModule('unspool', text);

export * from './separate.js';
