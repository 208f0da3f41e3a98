export {
  decodeOnPair,
  decodeOnPairInto,
  openOnPair,
  OnPairColumn,
  type OnPairDecodeOptions,
  type OnPairOpenOptions,
  type OnPairParts,
  type OnPairQuery,
  type OnPairStrings,
} from '../onpair.js';
