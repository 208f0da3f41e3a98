/**
 * Decodes and queries AT-1: logs and tables.
 *
 * @module unspool/at1
 */
export { at1Header, decodeAt1, decodeAt1Files, decodeAt1Into, type At1DecodeOptions, type At1File, type At1Header } from '../at1.js';
export {
  queryAt1, type At1Answer, type At1Column, type At1Equal, type At1Number, type At1QueryOptions, type At1Range,
} from '../at1-query.js';
export { describeAt1, type At1Table } from '../at1-table.js';
export { at1Text } from '../at1-text.js';
export { at1Stream, type DecodeStream, type DecodeStreamOptions } from '../stream.js';
