// AT-1: the files that were compressed.
import { room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, filled } from './source.js';

const { call, work } = room('at1');

/** How AT-1 is decoded. */
export interface At1DecodeOptions {
  limits?: Limits | undefined;
}

/** One of the files that were compressed. */
export interface At1File {
  /** A relative path, with `/` between its parts; empty where the file is no bundle, which knows no names. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Decodes a file, byte for byte what was compressed, and verifies its hash. A bundle, which is several files, is refused with
 * `At1BundleWhole`; see {@link decodeAt1Files}.
 */
export function decodeAt1(bytes: Bytes, options: At1DecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return work(view, limits, () => call((wasm) => wasm.at1_decode(view, limits) as Uint8Array<ArrayBuffer>));
}

/** Decodes a file that is no bundle to the start of `to`, and gives how many bytes that were. */
export function decodeAt1Into(bytes: Bytes, to: Uint8Array, options: At1DecodeOptions = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return filled(to, (out) => work(view, limits, () => call((wasm) => wasm.at1_decode_into(view, out, limits))));
}

/** Decodes all files of a bundle; of any other file, the one that it is. No name leads out of the folder that it is joined to. */
export function decodeAt1Files(bytes: Bytes, options: At1DecodeOptions = {}): At1File[] {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, {})];
  return work(view, limits, () =>
    call((wasm) => {
      const found = wasm.at1_files(view, limits);
      const files = found.names().map((name, index) => ({ name, bytes: found.content(index) as Uint8Array<ArrayBuffer> }));
      found.free();
      return files;
    }),
  );
}
