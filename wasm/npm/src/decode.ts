import { type CvcVectors, type CvcDecodeOptions, decodeCvcColumns } from './cvc.js';
import { refuse } from './error.js';
import { decodeOnPair, type OnPairStrings } from './onpair.js';
import { decodePcoArrays, type PcoArray } from './pco.js';
import { probe } from './probe.js';
import { type Bytes, bytesOf } from './source.js';

/** What {@link decode} makes of a file; `format` tells which. */
export type Decoded =
  | {
      readonly format: 'cvc';
      /** Every column, in the order of the schema. */
      readonly columns: readonly CvcVectors[];
    }
  | ({ readonly format: 'onpair' } & OnPairStrings)
  | {
      readonly format: 'pco';
      /** All numbers: one array, or none, but for the few files that mix types. */
      readonly arrays: readonly PcoArray[];
    };

/** How {@link decode} goes about it. */
export type DecodeOptions = Pick<CvcDecodeOptions, 'limits' | 'checksums'>;

/** Finds out what the bytes are, and decodes all of them. */
export function decode(bytes: Bytes, options: DecodeOptions = {}): Decoded {
  const view = bytesOf(bytes);
  const { format, needed } = probe(view);
  if (format === 'cvc') return { format, columns: decodeCvcColumns(view, options) };
  if (format === 'onpair') return { format, ...decodeOnPair(view, options) };
  if (format === 'pco') return { format, arrays: decodePcoArrays(view, options) };
  if (format !== undefined) throw refuse('FormatNotBuilt');
  throw needed === undefined ? refuse('UnknownFormat') : refuse('Truncated', view.length);
}
