// Decodes any format, of which only the one at hand is loaded.
import type { At1File } from './at1.js';
import type { Bytes } from './bytes.js';
import type { CvcData, CvcDecodeOptions, CvcVectors } from './cvc.js';
import { decodeIntoWith, decodeWith } from './decode-with.js';
import { loadFormat } from './load.js';
import type { OnPairStrings } from './onpair.js';
import type { PcoArray, PcoData } from './pco.js';
import type { ZstdDecodeOptions } from './zstd.js';

/** Options of {@link decode}. */
export type DecodeOptions = Pick<CvcDecodeOptions, 'limits' | 'checksums'> &
  Pick<ZstdDecodeOptions, 'dictionary'> & {
    /** Aborts before decoding starts. A worker can be aborted while it decodes. */
    signal?: AbortSignal | undefined;
  };

/** The result of {@link decode} for each format. */
export interface DecodeResults {
  /** Files. */
  at1: {
    /** The files of a bundle, or a single file with an empty name. */
    readonly files: readonly At1File[];
  };
  /** Columns of vectors. */
  cvc: {
    /** All columns, in the order of the schema. */
    readonly columns: readonly CvcVectors[];
  };
  /** Content in an unknown format. Known content is decoded, and reported with its own format. */
  gzip: DecodedBytes;
  /** Decoded bytes. */
  lzma: DecodedBytes;
  /** All rows. */
  onpair: OnPairStrings;
  /** Numbers. */
  pco: {
    /** All numbers in one array; several arrays only if the file mixes types. */
    readonly arrays: readonly PcoArray[];
  };
  /** Decoded bytes. */
  xz: DecodedBytes;
  /** Decoded bytes. */
  zstd: DecodedBytes;
  /** Decoded bytes. */
  'zstd-v07': DecodedBytes;
  /** Decoded bytes: empty, as skippable frames hold no content. */
  'zstd-skippable': DecodedBytes;
}

/** The result of a format that holds plain bytes. */
export interface DecodedBytes {
  /** The decoded bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Result of {@link decode}. Checking `format` narrows the type. */
export type Decoded = {
  [F in keyof DecodeResults]: {
    /** The detected format. */
    readonly format: F;
  } & DecodeResults[F];
}[keyof DecodeResults];

/**
 * Detects the format, loads it, and decodes everything. A gzip wrapper is removed first. Do not
 * change the bytes before the result.
 */
export async function decode(bytes: Bytes, options: DecodeOptions = {}): Promise<Decoded> {
  return decodeWith(loadFormat, bytes, options);
}

/**
 * Detects the format, loads it, and decodes to the start of `to`. Returns the number of elements
 * written.
 *
 * - Pco: the numbers.
 * - CVC: the values of the only column.
 * - OnPair: the strings, concatenated.
 * - AT-1, gzip, LZMA, xz, Zstandard: the bytes.
 *
 * A gzip wrapper is removed first, in separate memory. Bytes that do not fill whole elements are
 * refused with `WrongType`. If `to` is too small, the error's `need` is the required length, if
 * known.
 */
export async function decodeInto(bytes: Bytes, to: CvcData<ArrayBufferLike> | PcoData<ArrayBufferLike>, options: DecodeOptions = {}): Promise<number> {
  return decodeIntoWith(loadFormat, bytes, to, options);
}
