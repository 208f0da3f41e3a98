/**
 * Decodes streams of Zstandard.
 *
 * @module unspool/zstd-stream
 */
export { zstdStream, type DecodeStream } from '../stream.js';
export { type ZstdDecodeOptions, type ZstdFormat } from '../zstd.js';
