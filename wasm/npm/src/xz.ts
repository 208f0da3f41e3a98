// xz: blocks of LZMA2, which filters may have prepared.
import { room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, filled } from './source.js';

const { call, work } = room('xz');

/** How xz is decoded. */
export interface XzDecodeOptions {
  limits?: Limits | undefined;
}

/** Decodes a file, all of its streams, and verifies their checks. `limits.maxOutput` bounds what a small file may grow to. */
export function decodeXz(bytes: Bytes, options: XzDecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return work(view, limits, () => call((wasm) => wasm.xz_decode(view, limits) as Uint8Array<ArrayBuffer>));
}

/** Decodes a file to the start of `to`, and gives how many bytes that were. */
export function decodeXzInto(bytes: Bytes, to: Uint8Array, options: XzDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return filled(to, (out) => work(view, limits, () => call((wasm) => wasm.xz_decode_into(view, out, limits))));
}
