import { decodeAt1Files, decodeAt1Into } from '../at1.js';
import { type At1Answer, type At1QueryOptions, queryAt1 } from '../at1-query.js';
import { describeAt1 } from '../at1-table.js';
import { at1Text } from '../at1-text.js';
import type { DecodeResults } from '../decode.js';
import { UnspoolError } from '../error.js';
import type { OpenOptions } from '../source.js';
import { check, type Door, inherit } from './door.js';

/** The functions of AT-1 for the lazy entry. */
export const door: Door<DecodeResults['at1']> = {
  check,
  decode: (bytes, { limits }) => ({ files: decodeAt1Files(bytes, { limits }) }),
  into: (bytes, to, { limits }) => decodeAt1Into(bytes, to, { limits }),
  async open(source, options) {
    const table = await describeAt1(source, options).catch((error: unknown) => {
      // Other codecs have no table.
      if (error instanceof UnspoolError && error.class === 'Unsupported') return undefined;
      throw error;
    });
    return {
      table,
      query: (own: At1QueryOptions = {}): Promise<At1Answer<string | Uint8Array>> => queryAt1(source, inherit(own, options)),
      text: (own: OpenOptions = {}) => at1Text(source, inherit(own, options)),
    };
  },
};
