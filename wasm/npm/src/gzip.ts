// gzip, which may wrap any other format.
import { moduleFor } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './bytes.js';
import { fillBytes } from './fill.js';

const { call, work } = moduleFor('gzip');

/** Options for decoding gzip. */
export interface GzipDecodeOptions {
  /** Limits for this call. */
  limits?: Limits | undefined;
}

/**
 * Decodes all members of a file and verifies their checksums. `limits.maxOutput` bounds the result.
 */
export function decodeGzip(bytes: Bytes, options: GzipDecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return work(view, limits, () => call((wasm) => wasm.gzip_decode(view, limits) as Uint8Array<ArrayBuffer>));
}

/** Decodes a file to the start of `to`. Returns the number of bytes written. */
export function decodeGzipInto(bytes: Bytes, to: Uint8Array, options: GzipDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return fillBytes(to, (out) => work(view, limits, () => call((wasm) => wasm.gzip_decode_into(view, out, limits))));
}
