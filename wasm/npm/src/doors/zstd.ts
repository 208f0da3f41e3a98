import type { DecodeResults } from '../decode.js';
import { zstdStream } from '../stream.js';
import { decodeZstd, decodeZstdInto } from '../zstd.js';
import { check, type Door } from './door.js';
import { streamOf } from './read-through.js';

/** The functions of Zstandard for the lazy entry. */
export const door: Door<DecodeResults['zstd']> = {
  check,
  decode: (bytes, { limits, dictionary }) => ({ bytes: decodeZstd(bytes, { limits, dictionary }) }),
  into: (bytes, to, { limits, dictionary }) => decodeZstdInto(bytes, to, { limits, dictionary }),
  async open(source, options, load) {
    await load('zstd-stream');
    return { stream: streamOf(source, options, zstdStream) };
  },
};
