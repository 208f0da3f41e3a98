// gzip, which any of the other formats may be wrapped in.
import { room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, filled } from './source.js';

const { call, work } = room('gzip');

/** How gzip is unwrapped. */
export interface GzipDecodeOptions {
  limits?: Limits | undefined;
}

/** Decodes a file, all of its members, and verifies their checksums. `limits.maxOutput` bounds what a small file may grow to. */
export function decodeGzip(bytes: Bytes, options: GzipDecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return work(view, limits, () => call((wasm) => wasm.gzip_decode(view, limits) as Uint8Array<ArrayBuffer>));
}

/** Decodes a file to the start of `to`, and gives how many bytes that were. */
export function decodeGzipInto(bytes: Bytes, to: Uint8Array, options: GzipDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return filled(to, (out) => work(view, limits, () => call((wasm) => wasm.gzip_decode_into(view, out, limits))));
}
