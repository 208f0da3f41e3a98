import type { DecodeResults } from '../decode.js';
import { readThrough } from '../read-through.js';
import { zstdStream } from '../stream.js';
import { decodeZstd, decodeZstdInto } from '../zstd.js';
import { check, type Door } from './door.js';

/** The functions of Zstandard for the lazy entry. */
export const door: Door<DecodeResults['zstd']> = {
  check,
  decode: (bytes, { limits, dictionary }) => ({ bytes: decodeZstd(bytes, { limits, dictionary }) }),
  into: (bytes, to, { limits, dictionary }) => decodeZstdInto(bytes, to, { limits, dictionary }),
  async open(source, { limits, signal }, load) {
    await load('zstd-stream');
    return { stream: (dictionary?: Uint8Array | ArrayBuffer) => readThrough(source, zstdStream({ limits, dictionary }), signal) };
  },
};
