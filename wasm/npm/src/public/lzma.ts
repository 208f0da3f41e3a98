/**
 * Decodes LZMA without xz around it: `.lzma` files and raw streams.
 *
 * @module unspool/lzma
 */
export { lzmaStream, type DecodeStream, type DecodeStreamOptions } from '../stream.js';
export { decodeLzma, decodeLzmaInto, type LzmaDecodeOptions, type LzmaFilter } from '../lzma.js';
