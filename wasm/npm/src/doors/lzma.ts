import type { DecodeResults } from '../decode.js';
import { decodeLzma, decodeLzmaInto } from '../lzma.js';
import { lzmaStream } from '../stream.js';
import { check, type Door } from './door.js';
import { streamOf } from './read-through.js';

/** The functions of LZMA for the lazy entry. */
export const door: Door<DecodeResults['lzma']> = {
  check,
  decode: (bytes, { limits }) => ({ bytes: decodeLzma(bytes, { limits }) }),
  into: (bytes, to, { limits }) => decodeLzmaInto(bytes, to, { limits }),
  async open(source, options, load) {
    await load('lzma');
    return { stream: streamOf(source, options, lzmaStream) };
  },
};
