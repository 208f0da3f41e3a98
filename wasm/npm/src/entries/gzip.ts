// gzip alone, with a wasm module of its own inside.
import { base64 } from '../inlined/gzip.js';
import { carry } from '../instance.js';

carry('gzip', base64);

export * from './gzip-separate.js';
