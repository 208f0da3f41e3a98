// xz: LZMA2 blocks and their filters.
import { moduleFor } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './bytes.js';
import { fillBytes } from './fill.js';

const { call, work } = moduleFor('xz');

/** Options for decoding xz. */
export interface XzDecodeOptions {
  /** Limits for this call. */
  limits?: Limits | undefined;
}

/**
 * Decodes all streams of a file and verifies their checks. `limits.maxOutput` bounds the result.
 */
export function decodeXz(bytes: Bytes, options: XzDecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return work(view, limits, () => call((wasm) => wasm.xz_decode(view, limits) as Uint8Array<ArrayBuffer>));
}

/** Decodes a file to the start of `to`. Returns the number of bytes written. */
export function decodeXzInto(bytes: Bytes, to: Uint8Array, options: XzDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return fillBytes(to, (out) => work(view, limits, () => call((wasm) => wasm.xz_decode_into(view, out, limits))));
}
