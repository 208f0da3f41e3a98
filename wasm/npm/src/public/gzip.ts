/**
 * Decodes gzip.
 *
 * @module unspool/gzip
 */
export { gzipStream, type DecodeStream, type DecodeStreamOptions } from '../stream.js';
export { decodeGzip, decodeGzipInto, type GzipDecodeOptions } from '../gzip.js';
