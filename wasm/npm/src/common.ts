// Exports of every entry of the package.
export type { Init, InitOptions, ModuleSource } from './init.js';
export { errorTable } from './error-table.js';
export { UnspoolError, type ErrorClass, type ErrorKind, type ErrorName, type PlainError } from './error.js';
export type { HalfFloats } from './half.js';
export { DEFAULT_LIMITS, type Limits } from './limits.js';
export { readBlob, type ReadBlobOptions } from './blob.js';
export type { Bytes } from './bytes.js';
export type { ByteRange, OpenedSource, OpenOptions, OpenSourceOptions, RangeReader, Source, SourceVersion } from './source.js';
export { SourceError } from './source-error.js';
