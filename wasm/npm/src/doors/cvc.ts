import { decodeCvcColumns, decodeCvcInto, openCvc } from '../cvc.js';
import type { DecodeResults } from '../decode.js';
import { check, type Door } from './door.js';

/** The functions of CVC for the lazy entry. */
export const door: Door<DecodeResults['cvc']> = {
  check,
  decode: (bytes, { limits, checksums }) => ({ columns: decodeCvcColumns(bytes, { limits, checksums }) }),
  into: (bytes, to, { limits, checksums }) => decodeCvcInto(bytes, to, { limits, checksums }),
  open: async (source, options) => ({ vectors: await openCvc(source, options) }),
};
