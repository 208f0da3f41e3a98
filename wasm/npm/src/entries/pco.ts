// Pco alone, with a wasm module of its own inside.
import { base64 } from '../inlined/pco.js';
import { carry } from '../instance.js';

carry('pco', base64);

export * from './pco-separate.js';
