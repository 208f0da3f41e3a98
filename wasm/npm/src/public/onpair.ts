/**
 * Decodes and searches OnPair: columns of strings.
 *
 * @module unspool/onpair
 */
export {
  decodeOnPair,
  decodeOnPairInto,
  onPairHeader,
  openOnPair,
  OnPairColumn,
  type OnPairDecodeOptions,
  type OnPairHeader,
  type OnPairOpenOptions,
  type OnPairParts,
  type OnPairQuery,
  type OnPairSalvage,
  type OnPairStrings,
  salvageOnPair,
} from '../onpair.js';
export { openOnPairFile, OnPairFile, type OnPairFileReadOptions, type OnPairFileSearchOptions } from '../onpair-file.js';
