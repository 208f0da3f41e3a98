/**
 * Decompressors for hyparquet.
 *
 * @module unspool/hyparquet
 */
import { decodeGzip } from '../entries/gzip.js';
import { decodeZstd } from '../entries/zstd.js';

/** Decodes a page to `outputLength` bytes. */
type Decompressor = (input: Uint8Array, outputLength: number) => Uint8Array;

/** The option `compressors` of hyparquet. A page that exceeds its stated length is refused. */
export const compressors: { readonly ZSTD: Decompressor; readonly GZIP: Decompressor } = {
  ZSTD: (input, outputLength) => decodeZstd(input, { limits: { maxOutput: outputLength } }),
  GZIP: (input, outputLength) => decodeGzip(input, { limits: { maxOutput: outputLength } }),
};
