import type { DecodeResults } from '../decode.js';
import { limitNumbers } from '../limits.js';
import { decodePcoArrays, decodePcoInto, pcoHeader } from '../pco.js';
import { check, type Door } from './door.js';

/** Length of a header, and one byte. */
const HEADER = 18;

/** The functions of Pco for the lazy entry. */
export const door: Door<DecodeResults['pco']> = {
  check,
  decode: (bytes, { limits }) => ({ arrays: decodePcoArrays(bytes, limitNumbers(limits)) }),
  into: (bytes, to, { limits }) => decodePcoInto(bytes, to, { limits }),
  open: async (source) => ({ header: pcoHeader(await source.read({ start: 0, end: HEADER })) }),
};
