import { type At1File, decodeAt1Files, decodeAt1Into } from './at1.js';
import { checkOptions } from './check.js';
import { type CvcData, type CvcVectors, type CvcDecodeOptions, decodeCvcColumns, decodeCvcInto } from './cvc.js';
import { refuse } from './error.js';
import { decodeGzip } from './gzip.js';
import { decodeOnPair, decodeOnPairInto, type OnPairStrings } from './onpair.js';
import { decodePcoArrays, decodePcoInto, type PcoArray, type PcoData } from './pco.js';
import { limitNumbers } from './limits.js';
import { type Format, probe } from './probe.js';
import { type Bytes, bytesOf, fillBytes } from './source.js';
import { decodeXz, decodeXzInto } from './xz.js';
import { decodeZstd, decodeZstdInto, type ZstdDecodeOptions } from './zstd.js';

/** Options of {@link decode}. */
export type DecodeOptions = Pick<CvcDecodeOptions, 'limits' | 'checksums'> & Pick<ZstdDecodeOptions, 'dictionary'>;

/** The names of the options. */
const KNOWN = { limits: true, checksums: true, dictionary: true } as const;

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

/** The functions that decode a format. Each gets only the options it knows. */
interface Decoder<R> {
  readonly all: (bytes: Uint8Array, options: DecodeOptions) => R;
  /** Absent for gzip: its content is decoded in its own format. */
  readonly into?: (bytes: Uint8Array, to: never, options: DecodeOptions) => number;
}

const ZSTD: Decoder<DecodedBytes> = {
  all: (bytes, { limits, dictionary }) => ({ bytes: decodeZstd(bytes, { limits, dictionary }) }),
  into: (bytes, to, { limits, dictionary }) => decodeZstdInto(bytes, to, { limits, dictionary }),
};

const DECODERS: { readonly [F in Format]: Decoder<DecodeResults[F]> } = {
  at1: {
    all: (bytes, { limits }) => ({ files: decodeAt1Files(bytes, { limits }) }),
    into: (bytes, to, { limits }) => decodeAt1Into(bytes, to, { limits }),
  },
  cvc: {
    all: (bytes, options) => ({ columns: decodeCvcColumns(bytes, options) }),
    into: (bytes, to, { limits, checksums }) => decodeCvcInto(bytes, to, { limits, checksums }),
  },
  gzip: { all: (bytes, { limits }) => ({ bytes: decodeGzip(bytes, { limits }) }) },
  onpair: {
    all: (bytes, { limits }) => decodeOnPair(bytes, { limits }),
    into: (bytes, to, { limits }) => decodeOnPairInto(bytes, to, { limits }),
  },
  pco: {
    all: (bytes, options) => ({ arrays: decodePcoArrays(bytes, limitNumbers(options.limits)) }),
    into: (bytes, to, { limits }) => decodePcoInto(bytes, to, { limits }),
  },
  xz: {
    all: (bytes, { limits }) => ({ bytes: decodeXz(bytes, { limits }) }),
    into: (bytes, to, { limits }) => decodeXzInto(bytes, to, { limits }),
  },
  zstd: ZSTD,
  'zstd-v07': ZSTD,
  'zstd-skippable': ZSTD,
};

/** Detects the format and decodes everything. A gzip wrapper is removed first. */
export function decode(bytes: Bytes, options: DecodeOptions = {}): Decoded {
  const view = bytesOf(bytes);
  checkOptions(options, KNOWN);
  const format = formatOf(view);
  const decoded = { format, ...DECODERS[format].all(view, options) } as Decoded;
  if (decoded.format !== 'gzip') return decoded;
  return isWrapped(decoded.bytes) ? decode(decoded.bytes, options) : decoded;
}

/** Returns `true` if the content of a gzip file is itself in a known format. */
function isWrapped(content: Uint8Array): boolean {
  const { format } = probe(content);
  return format !== undefined && format !== 'gzip';
}

/**
 * Detects the format and decodes to the start of `to`. Returns the number of elements written.
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
export function decodeInto(bytes: Bytes, to: CvcData<ArrayBufferLike> | PcoData<ArrayBufferLike>, options: DecodeOptions = {}): number {
  const view = bytesOf(bytes);
  checkOptions(options, KNOWN);
  const format = formatOf(view);
  if (format === 'gzip') return unwrapInto(decodeGzip(view, { limits: options.limits }), to, options);
  const { into } = DECODERS[format];
  if (into === undefined) throw refuse('FormatNotBuilt');
  return into(view, to as never, options);
}

/** Copies the content of a gzip file, or decodes it if it is in a known format. */
function unwrapInto(content: Uint8Array, to: CvcData<ArrayBufferLike> | PcoData<ArrayBufferLike>, options: DecodeOptions): number {
  if (isWrapped(content)) return decodeInto(content, to, options);
  return fillBytes(to, (out) => {
    if (content.length > out.length) throw refuse('OutputTooSmall', 0, content.length);
    out.set(content);
    return content.length;
  });
}

/** Returns the format of a file, or throws. */
function formatOf(bytes: Uint8Array): Format {
  const { format, needed } = probe(bytes);
  if (format !== undefined) return format;
  throw needed === undefined ? refuse('UnknownFormat') : refuse('Truncated', bytes.length, needed);
}
