// gzip, which may wrap any other format.
import { refuse } from './error.js';
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
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  return work(view, limits, () => call((wasm) => wasm.gzip_decode(view, limits) as Uint8Array<ArrayBuffer>));
}

/** Decodes a file to the start of `to`. Returns the number of bytes written. */
export function decodeGzipInto(bytes: Bytes, to: Uint8Array, options: GzipDecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  return fillBytes(to, (out) => work(view, limits, () => call((wasm) => wasm.gzip_decode_into(view, out, limits))));
}

/** The header of a file, as its writer stated it. */
export interface GzipHeader {
  /** Name of the file. */
  readonly name: string | undefined;
  /** Time of the last change. */
  readonly modified: Date | undefined;
  /** Length of the header in bytes. */
  readonly headLength: number;
  /** Not stated: the last four bytes of a member have the size of its content modulo 2^32. */
  readonly size: undefined;
}

const [HEADER_CRC, EXTRA, NAME, COMMENT] = [2, 4, 8, 16];

/** Reads the header at the start of a file. `bytes` may end after it. Decodes nothing. */
export function gzipHeader(bytes: Bytes): GzipHeader {
  const view = bytesOf(bytes);
  const short = (need: number): void => {
    if (view.length < need) throw refuse('Truncated', view.length, need);
  };
  if ((view[0] ?? 0x1f) !== 0x1f || (view[1] ?? 0x8b) !== 0x8b) throw refuse('GzipMagic');
  short(10);
  const [method, flags = 0] = view.subarray(2, 4);
  if (method !== 8) throw refuse('GzipMethod', 2);
  if (flags > 31) throw refuse('GzipReservedFlag', 3);
  const data = new DataView(view.buffer, view.byteOffset, view.length);
  let headLength = 10;
  if ((flags & EXTRA) !== 0) {
    short(headLength + 2);
    headLength += 2 + data.getUint16(headLength, true);
    short(headLength);
  }
  /** Returns a text that ends with a zero. */
  const text = (): string => {
    const [start, end] = [headLength, view.indexOf(0, headLength)];
    if (end < 0) throw refuse('Truncated', view.length, view.length + 1);
    headLength = end + 1;
    return new TextDecoder('latin1').decode(view.subarray(start, end));
  };
  const name = (flags & NAME) !== 0 ? text() : undefined;
  if ((flags & COMMENT) !== 0) text();
  if ((flags & HEADER_CRC) !== 0) headLength += 2;
  short(headLength);
  const seconds = data.getUint32(4, true);
  return { name, modified: seconds > 0 ? new Date(1000 * seconds) : undefined, headLength, size: undefined };
}
