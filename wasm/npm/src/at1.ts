// AT-1: decodes whole files.
import { refuse } from './error.js';
import { moduleFor } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './bytes.js';
import { fillBytes } from './fill.js';

const { call, work } = moduleFor('at1');

/** Options for decoding AT-1. */
export interface At1DecodeOptions {
  /** Limits for this call. */
  limits?: Limits | undefined;
}

/** A file from an AT-1 bundle. */
export interface At1File {
  /** Relative path with `/` between its parts; empty if the input is not a bundle. */
  readonly name: string;
  /** Content of the file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Decodes a file and verifies its hash. A bundle of several files is refused with
 * `At1BundleWhole`; use {@link decodeAt1Files} for it.
 */
export function decodeAt1(bytes: Bytes, options: At1DecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  return work(view, limits, () => call((wasm) => wasm.at1_decode(view, limits) as Uint8Array<ArrayBuffer>));
}

/**
 * Decodes a file that is not a bundle to the start of `to`. Returns the number of bytes written.
 */
export function decodeAt1Into(bytes: Bytes, to: Uint8Array, options: At1DecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  return fillBytes(to, (out) => work(view, limits, () => call((wasm) => wasm.at1_decode_into(view, out, limits))));
}

/**
 * Decodes all files of a bundle, or the single file. No name leads out of the folder that it is
 * joined to.
 */
export function decodeAt1Files(bytes: Bytes, options: At1DecodeOptions = {}): At1File[] {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  return work(view, limits, () =>
    call((wasm) => {
      const found = wasm.at1_files(view, limits);
      const files: At1File[] = [];
      for (let name; (name = found.name(files.length)) !== undefined; ) files.push({ name, bytes: found.content(files.length) as Uint8Array<ArrayBuffer> });
      found.free();
      return files;
    }),
  );
}

/** The codecs, by their numbers. */
const CODECS = ['ssh', 'json', 'osm', 'log', 'columnar', 'vcf', 'jsondoc', 'qcolumnar', 'qjson', 'dicom', 'embed', 'qjson2', 'bundle'] as const;

/** The header of a file, as its writer stated it. */
export interface At1Header {
  /** Codec of the content. `qcolumnar` and `qjson` can be queried: see `describeAt1`. */
  readonly codec: (typeof CODECS)[number] | 'raw';
  /** True if the content is split into frames. */
  readonly isFramed: boolean;
  /** Not stated. */
  readonly size: undefined;
}

/** Reads the header at the start of a file; five bytes are enough. Decodes nothing. */
export function at1Header(bytes: Bytes): At1Header {
  const [a = 0x41, t = 0x54, one = 0x31, container = 2, number] = bytesOf(bytes);
  if (a !== 0x41 || t !== 0x54 || one !== 0x31 || (container !== 2 && container !== 3)) throw refuse('At1Magic');
  if (number === undefined) throw refuse('Truncated', bytesOf(bytes).length, 5);
  const codec = number === 255 ? 'raw' : CODECS[number];
  if (codec === undefined) throw refuse('At1Codec', 4);
  return { codec, isFramed: container === 3, size: undefined };
}
