/**
 * Decodes streams of xz.
 *
 * @module unspool/xz-stream
 */
export { xzStream, type DecodeStream, type DecodeStreamOptions } from '../stream.js';
