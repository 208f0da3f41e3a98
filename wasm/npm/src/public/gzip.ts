/**
 * Decodes gzip.
 *
 * @module unspool/gzip
 */
export { gzipStream, type DecodeStream, type DecodeStreamOptions } from '../stream.js';
export { decodeGzip, decodeGzipInto, gzipHeader, type GzipDecodeOptions, type GzipHeader } from '../gzip.js';
