/**
 * Decodes xz.
 *
 * @module unspool/xz
 */
export { decodeXz, decodeXzInto, xzHeader, type XzDecodeOptions, type XzHeader } from '../xz.js';
