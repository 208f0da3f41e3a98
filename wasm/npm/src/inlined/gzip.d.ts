/** The wasm module, written by scripts/inline.mjs. */
export const base64: string;
