/**
 * Decodes LZMA without xz around it: `.lzma` files and raw streams.
 *
 * @module unspool/lzma
 */
export { lzmaStream, type DecodeStream, type DecodeStreamOptions } from '../stream.js';
export { decodeLzma, decodeLzmaInto, lzmaHeader, type LzmaDecodeOptions, type LzmaFilter, type LzmaHeader } from '../lzma.js';
