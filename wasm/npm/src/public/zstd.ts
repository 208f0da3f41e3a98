/**
 * Decodes Zstandard.
 *
 * @module unspool/zstd
 */
export { decodeZstd, decodeZstdInto, zstdFormat, zstdHeader, type ZstdDecodeOptions, type ZstdFormat, type ZstdHeader } from '../zstd.js';
