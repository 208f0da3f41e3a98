export { decodeXz, decodeXzInto, type XzDecodeOptions } from '../xz.js';
