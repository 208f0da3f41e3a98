// OnPair alone, with a wasm module of its own inside.
import { base64 } from '../inlined/onpair.js';
import { carry } from '../instance.js';

carry('onpair', base64);

export * from './onpair-separate.js';
