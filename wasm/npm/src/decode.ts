// Decodes any format, of which only the one at hand is loaded.
import type { At1File } from './at1.js';
import { type Bytes, bytesOf } from './bytes.js';
import type { CvcData, CvcDecodeOptions, CvcVectors } from './cvc.js';
import type { Door } from './doors/door.js';
import { loadFormat, undetected } from './formats.js';
import type { OnPairStrings } from './onpair.js';
import type { PcoArray, PcoData } from './pco.js';
import { type Format, probe } from './probe.js';
import type { ZstdDecodeOptions } from './zstd.js';

/** Options of {@link decode}. */
export type DecodeOptions = Pick<CvcDecodeOptions, 'limits' | 'checksums'> &
  Pick<ZstdDecodeOptions, 'dictionary'> & {
    /** Aborts before decoding starts. A worker can be aborted while it decodes. */
    signal?: AbortSignal | undefined;
  };

/** The result of {@link decode} for each format. */
export interface DecodeResults {
  /** Files. */
  at1: {
    /** The files of a bundle, or a single file with an empty name. */
    readonly files: readonly At1File[];
  };
  /** Columns of vectors. */
  cvc: {
    /** All columns, in the order of the schema. */
    readonly columns: readonly CvcVectors[];
  };
  /** Content in an unknown format. Known content is decoded, and reported with its own format. */
  gzip: DecodedBytes;
  /** All rows. */
  onpair: OnPairStrings;
  /** Numbers. */
  pco: {
    /** All numbers in one array; several arrays only if the file mixes types. */
    readonly arrays: readonly PcoArray[];
  };
  /** Decoded bytes. */
  xz: DecodedBytes;
  /** Decoded bytes. */
  zstd: DecodedBytes;
  /** Decoded bytes. */
  'zstd-v07': DecodedBytes;
  /** Decoded bytes: empty, as skippable frames hold no content. */
  'zstd-skippable': DecodedBytes;
}

/** The result of a format that holds plain bytes. */
export interface DecodedBytes {
  /** The decoded bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Result of {@link decode}. Checking `format` narrows the type. */
export type Decoded = {
  [F in keyof DecodeResults]: {
    /** The detected format. */
    readonly format: F;
  } & DecodeResults[F];
}[keyof DecodeResults];

/**
 * Detects the format, loads it, and decodes everything. A gzip wrapper is removed first. Do not
 * change the bytes before the result.
 */
export async function decode(bytes: Bytes, options: DecodeOptions = {}): Promise<Decoded> {
  const view = bytesOf(bytes);
  const format = formatOf(view);
  const door = await prepared(format, options);
  const decoded = { format, ...door.decode(view, options) } as Decoded;
  if (decoded.format !== 'gzip') return decoded;
  return isWrapped(decoded.bytes) ? decode(decoded.bytes, options) : decoded;
}

/**
 * Detects the format, loads it, and decodes to the start of `to`. Returns the number of elements
 * written.
 *
 * - Pco: the numbers.
 * - CVC: the values of the only column.
 * - OnPair: the strings, concatenated.
 * - AT-1, gzip, xz, Zstandard: the bytes.
 *
 * A gzip wrapper is removed first, in separate memory. Bytes that do not fill whole elements are
 * refused with `WrongType`. If `to` is too small, the error's `need` is the required length, if
 * known.
 */
export async function decodeInto(bytes: Bytes, to: CvcData<ArrayBufferLike> | PcoData<ArrayBufferLike>, options: DecodeOptions = {}): Promise<number> {
  const view = bytesOf(bytes);
  const format = formatOf(view);
  const door = await prepared(format, options);
  if (format !== 'gzip') return door.into(view, to as never, options);
  const { bytes: content } = door.decode(view, options) as DecodedBytes;
  return isWrapped(content) ? decodeInto(content, to, options) : door.into(content, to as never, options);
}

/** @internal Returns `true` if the content of a gzip file is itself in a known format. */
export function isWrapped(content: Uint8Array): boolean {
  const { format } = probe(content);
  return format !== undefined && format !== 'gzip';
}

/** Loads a format, and checks the options. */
async function prepared(format: Format, options: DecodeOptions): Promise<Door> {
  // They are not checked yet.
  (options as DecodeOptions | null)?.signal?.throwIfAborted();
  const door = await loadFormat(format);
  door.check(options);
  options.signal?.throwIfAborted();
  return door;
}

/** @internal Returns the format of a file, or throws. */
export function formatOf(bytes: Uint8Array): Format {
  const found = probe(bytes);
  if (found.format === undefined) throw undetected(found, bytes.length);
  return found.format;
}
