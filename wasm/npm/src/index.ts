// The package with its wasm module inside: importing it is all there is to do.
import { base64 } from './inlined.js';
import { provide } from './instance.js';

provide(() => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));

export * from './api.js';
