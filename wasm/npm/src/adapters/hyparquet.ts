/**
 * Decompressors for hyparquet.
 *
 * @module unspool/hyparquet
 */
import { decodeGzip } from '../entries/gzip.js';
import { decodeZstd } from '../entries/zstd.js';

/** Decodes a page to at most `outputLength` bytes. */
export type Decompressor = (input: Uint8Array, outputLength: number) => Uint8Array;

/** Decompressors by the names of Parquet. */
export interface Compressors {
  /** Decodes Zstandard. */
  readonly ZSTD: Decompressor;
  /** Decodes gzip. */
  readonly GZIP: Decompressor;
}

/** The option `compressors` of hyparquet. A page that exceeds its stated length is refused. */
export const compressors: Compressors = {
  ZSTD: (input, outputLength) => decodeZstd(input, { limits: { maxOutput: outputLength } }),
  GZIP: (input, outputLength) => decodeGzip(input, { limits: { maxOutput: outputLength } }),
};
