import type { DecodeResults } from '../decode.js';
import { decodeXz, decodeXzInto } from '../xz.js';
import { xzStream } from '../stream.js';
import { check, type Door } from './door.js';
import { streamOf } from './read-through.js';

/** The functions of xz for the lazy entry. */
export const door: Door<DecodeResults['xz']> = {
  check,
  decode: (bytes, { limits }) => ({ bytes: decodeXz(bytes, { limits }) }),
  into: (bytes, to, { limits }) => decodeXzInto(bytes, to, { limits }),
  async open(source, options, load) {
    await load('xz-stream');
    return { stream: streamOf(source, options, xzStream) };
  },
};
