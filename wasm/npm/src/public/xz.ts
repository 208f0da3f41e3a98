/**
 * Decodes xz.
 *
 * @module unspool/xz
 */
export { decodeXz, decodeXzInto, type XzDecodeOptions } from '../xz.js';
