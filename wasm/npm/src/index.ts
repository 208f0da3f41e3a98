/**
 * Decodes compressed columns of any format. The format is detected without wasm, and only its own
 * module is loaded.
 *
 * Entries such as `unspool/pco` have the synchronous functions of one format.
 *
 * @module unspool
 */
import type { ReadBlobOptions } from './blob.js';
import type { Bytes } from './bytes.js';
import type { Inspection, InspectOptions } from './inspection.js';
import type { OpenedFile } from './open.js';
import type { OpenedSource, OpenOptions, OpenSourceOptions, Source } from './source.js';

export type { ReadBlobOptions } from './blob.js';
export type { Bytes } from './bytes.js';
export { decode, decodeInto, type Decoded, type DecodedBytes, type DecodeOptions, type DecodeResults } from './decode.js';
export { UnspoolError, type ErrorClass, type ErrorKind, type ErrorName, type PlainError } from './error.js';
export type { HalfFloats } from './half.js';
export type { Inspection, InspectOptions } from './inspection.js';
export type { Limits } from './limits.js';
export type { OpenedFile } from './open.js';
export { probe, type Format, type Probe } from './probe.js';
export { SourceError } from './source-error.js';
export type { ByteRange, OpenedSource, OpenOptions, OpenSourceOptions, RangeReader, Source, SourceVersion } from './source.js';
export type * from './stats.js';
export type { Node, Structure } from './structure.js';
// The types of each format, from `public`.
export type * from './public/at1.js';
export type * from './public/cvc.js';
export type * from './public/gzip.js';
export type * from './public/lzma.js';
export type * from './public/onpair.js';
export type * from './public/pco.js';
export type * from './public/xz.js';
export type * from './public/zstd.js';

/**
 * Detects the format, loads its inspector, and inspects a whole file. For a broken file, returns
 * all fields before the error, and the error of `decode`.
 */
export async function inspect(bytes: Bytes, options: InspectOptions = {}): Promise<Inspection> {
  const { inspect } = await import('./inspect.js');
  return inspect(bytes, options);
}

/**
 * Detects the format, loads it, and opens a file in memory, in a `Blob` or on a server. Reads only
 * its head.
 */
export async function open(file: Source, options: OpenOptions = {}): Promise<OpenedFile> {
  const { openFile } = await import('./open.js');
  return openFile(file, options);
}

/**
 * Opens a file of any kind for reads, without looking into it. Any function that takes a file takes
 * the result. They then read the same version, and a server answers the first request only once.
 */
export async function openSource(file: Source, options: OpenSourceOptions = {}): Promise<OpenedSource> {
  const { openSource } = await import('./source.js');
  return openSource(file, options);
}

/** Reads all bytes of a `Blob`. */
export async function readBlob(blob: Blob, options: ReadBlobOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  const { readBlob } = await import('./blob.js');
  return readBlob(blob, options);
}
