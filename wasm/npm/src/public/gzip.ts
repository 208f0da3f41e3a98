export { decodeGzip, decodeGzipInto, type GzipDecodeOptions } from '../gzip.js';
