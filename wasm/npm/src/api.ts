export { init, type ModuleSource } from './init.js';
export { UnspoolError, errorTable, type ErrorClass, type ErrorKind } from './error.js';
export { DEFAULT_LIMITS, type Limits } from './limits.js';
export { probe, type Format, type Probe } from './probe.js';
export { decode, type Decoded, type DecodeOptions } from './decode.js';
export { inspect, nodeAt, nodes, type InspectOptions, type Inspection, type Node, type Structure } from './inspect.js';
export { type ByteRange, type Bytes, type Source } from './source.js';
export {
  decodeCvc,
  openCvc,
  CvcFile,
  CvcColumn,
  type Checksums,
  type CvcChunk,
  type CvcData,
  type CvcDecodeOptions,
  type CvcDtype,
  type CvcOpenOptions,
  type CvcRowOptions,
  type CvcSection,
  type CvcVectors,
} from './cvc.js';
export {
  decodeOnPair,
  openOnPair,
  OnPairColumn,
  type OnPairDecodeOptions,
  type OnPairOpenOptions,
  type OnPairParts,
  type OnPairQuery,
  type OnPairStrings,
} from './onpair.js';
export {
  decodePco,
  decodePcoPages,
  type PcoArray,
  type PcoData,
  type PcoDecodeOptions,
  type PcoDtype,
  type PcoPage,
  type PcoWrapped,
} from './pco.js';
