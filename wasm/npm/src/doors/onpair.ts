import type { DecodeResults } from '../decode.js';
import { decodeOnPair, decodeOnPairInto } from '../onpair.js';
import { openOnPairFile } from '../onpair-file.js';
import { check, type Door } from './door.js';

/** The functions of OnPair for the lazy entry. */
export const door: Door<DecodeResults['onpair']> = {
  check,
  decode: (bytes, { limits }) => decodeOnPair(bytes, { limits }),
  into: (bytes, to, { limits }) => decodeOnPairInto(bytes, to, { limits }),
  open: async (source, options) => ({ strings: await openOnPairFile(source, options) }),
};
