export { xzStream, type DecodeStream, type DecodeStreamOptions } from '../stream.js';
