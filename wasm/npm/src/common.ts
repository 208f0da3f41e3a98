// Exports of every entry of the package.
export type { Init, ModuleSource } from './init.js';
export { UnspoolError, errorTable, type ErrorClass, type ErrorKind, type ErrorName, type PlainError } from './error.js';
export type { HalfFloats } from './half.js';
export { DEFAULT_LIMITS, type Limits } from './limits.js';
export { readBlob, SourceError, type ReadBlobOptions, type ByteRange, type Bytes, type RangeReader, type Source } from './source.js';
