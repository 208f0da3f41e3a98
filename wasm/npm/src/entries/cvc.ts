// CVC alone, with a wasm module of its own inside.
import { base64 } from '../inlined/cvc.js';
import { carry } from '../instance.js';

carry('cvc', base64);

export * from './cvc-separate.js';
