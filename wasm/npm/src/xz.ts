// xz: LZMA2 blocks and their filters.
import { refuse } from './error.js';
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
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  return work(view, limits, () => call((wasm) => wasm.xz_decode(view, limits) as Uint8Array<ArrayBuffer>));
}

/** Decodes a file to the start of `to`. Returns the number of bytes written. */
export function decodeXzInto(bytes: Bytes, to: Uint8Array, options: XzDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  return fillBytes(to, (out) => work(view, limits, () => call((wasm) => wasm.xz_decode_into(view, out, limits))));
}

/** The header of a file, as its writer stated it. */
export interface XzHeader {
  /** Check of each block; `undefined` if it is reserved. */
  readonly check: 'none' | 'crc32' | 'crc64' | 'sha256' | undefined;
  /** Number of blocks in all streams; `undefined` if `bytes` do not end with an index. */
  readonly blockCount: number | undefined;
  /** Bytes of the decoded content; `undefined` if `bytes` do not end with an index. */
  readonly size: number | undefined;
}

const CHECKS: Readonly<Record<number, XzHeader['check']>> = { 0: 'none', 1: 'crc32', 4: 'crc64', 10: 'sha256' };
const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];
/** Length of a stream header, and of a footer. */
const HEADER = 12;

/**
 * Reads the header at the start of a file, and the index at its end. Decodes nothing and verifies
 * no checksum.
 */
export function xzHeader(bytes: Bytes): XzHeader {
  const view = bytesOf(bytes);
  if (MAGIC.some((byte, at) => (view[at] ?? byte) !== byte)) throw refuse('XzMagic');
  if (view.length < HEADER) throw refuse('Truncated', view.length, HEADER);
  let [blockCount, size, end] = [0, 0, view.length];
  while (end > 0) {
    const stream = streamBefore(view, end);
    if (stream === undefined) return { check: CHECKS[view[7] ?? -1], blockCount: undefined, size: undefined };
    blockCount += stream.count;
    size += stream.size;
    end = stream.start;
  }
  return { check: CHECKS[view[7] ?? -1], blockCount, size };
}

/** Reads the index of the stream that ends at `end`, or at zeros before it. */
function streamBefore(view: Uint8Array, end: number): { start: number; count: number; size: number } | undefined {
  const data = new DataView(view.buffer, view.byteOffset, view.length);
  while (end > 4 && data.getUint32(end - 4) === 0) end -= 4;
  const footer = end - HEADER;
  if (footer < HEADER || data.getUint16(end - 2) !== 0x595a) return undefined;
  let at = footer - 4 * (data.getUint32(footer + 4, true) + 1);
  let start = at;
  if (at < HEADER || view[at++] !== 0) return undefined;
  const read = (): number => {
    let [number, scale] = [0, 1];
    for (; at < footer; scale *= 128) {
      const byte = view[at++] ?? 0;
      number += (byte & 127) * scale;
      if (byte < 128) return number;
    }
    return NaN;
  };
  const count = read();
  let size = 0;
  // Each record has at least two bytes.
  if (!(2 * count <= footer - at)) return undefined;
  for (let record = 0; record < count; record++) {
    start -= 4 * Math.ceil(read() / 4);
    size += read();
  }
  start -= HEADER;
  return start >= 0 && MAGIC.every((byte, place) => view[start + place] === byte) ? { start, count, size } : undefined;
}
