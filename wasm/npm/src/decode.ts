import { type At1File, decodeAt1Files, decodeAt1Into } from './at1.js';
import { checkOptions } from './check.js';
import { type CvcData, type CvcVectors, type CvcDecodeOptions, decodeCvcColumns, decodeCvcInto } from './cvc.js';
import { refuse } from './error.js';
import { decodeGzip } from './gzip.js';
import { decodeOnPair, decodeOnPairInto, type OnPairStrings } from './onpair.js';
import { decodePcoArrays, decodePcoInto, type PcoArray, type PcoData } from './pco.js';
import { limitNumbers } from './limits.js';
import { type Format, probe } from './probe.js';
import { type Bytes, bytesOf, filled } from './source.js';
import { decodeXz, decodeXzInto } from './xz.js';
import { decodeZstd, decodeZstdInto, type ZstdDecodeOptions } from './zstd.js';

/** How {@link decode} goes about it. */
export type DecodeOptions = Pick<CvcDecodeOptions, 'limits' | 'checksums'> & Pick<ZstdDecodeOptions, 'dictionary'>;

const KNOWN = { limits: true, checksums: true, dictionary: true } as const;

/** The formats, and what each decodes to. */
export interface Results {
  at1: {
    /** The files of a bundle; of any other file the one that it is, without a name. */
    readonly files: readonly At1File[];
  };
  cvc: {
    /** Every column, in the order of the schema. */
    readonly columns: readonly CvcVectors[];
  };
  /** What is wrapped is unwrapped, and decoded if it is of a format that this build knows: its `format` is that of the inside. */
  gzip: Content;
  onpair: OnPairStrings;
  pco: {
    /** All numbers: one array, or none, but for the few files that mix types. */
    readonly arrays: readonly PcoArray[];
  };
  xz: Content;
  zstd: Content;
  'zstd-v07': Content;
  'zstd-skippable': Content;
}

/** A format that holds bytes of any kind. */
interface Content {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What {@link decode} makes of a file; `format` tells which. */
export type Decoded = { [F in keyof Results]: { readonly format: F } & Results[F] }[keyof Results];

/** How a format is decoded, and how to memory of the caller's. Each gets the options that it knows. */
interface Decoder<R> {
  readonly all: (bytes: Uint8Array, options: DecodeOptions) => R;
  /** gzip has none: what it wraps is decoded as what it is. */
  readonly into?: (bytes: Uint8Array, to: never, options: DecodeOptions) => number;
}

const ZSTD: Decoder<Content> = {
  all: (bytes, { limits, dictionary }) => ({ bytes: decodeZstd(bytes, { limits, dictionary }) }),
  into: (bytes, to, { limits, dictionary }) => decodeZstdInto(bytes, to, { limits, dictionary }),
};

const DECODERS: { readonly [F in Format]: Decoder<Results[F]> } = {
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

/** Finds out what the bytes are, and decodes all of them. A gzip wrapping is taken off first. */
export function decode(bytes: Bytes, options: DecodeOptions = {}): Decoded {
  const view = bytesOf(bytes);
  checkOptions(options, KNOWN);
  const format = formatOf(view);
  const decoded = { format, ...DECODERS[format].all(view, options) } as Decoded;
  if (decoded.format !== 'gzip') return decoded;
  return isWrapped(decoded.bytes) ? decode(decoded.bytes, options) : decoded;
}

/** Whether what was in gzip is a file to decode. */
function isWrapped(content: Uint8Array): boolean {
  const { format } = probe(content);
  return format !== undefined && format !== 'gzip';
}

/**
 * Finds out what the bytes are, and decodes them to the start of `to`: numbers of a Pco file, the values of the only column of a
 * CVC file, the strings of an OnPair file one right behind the other, what was compressed to an AT-1, gzip, xz or Zstandard file as it was. Gives how many
 * elements of `to` were written; bytes that are no whole number of them are refused with `WrongType`. A gzip wrapping is taken off first, in memory of its own. Where they do not fit, the error says in `need` how many there are, if that is known.
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

/** What was in gzip: a file to decode, or what is wanted. */
function unwrapInto(content: Uint8Array, to: CvcData<ArrayBufferLike> | PcoData<ArrayBufferLike>, options: DecodeOptions): number {
  if (isWrapped(content)) return decodeInto(content, to, options);
  return filled(to, (out) => {
    if (content.length > out.length) throw refuse('OutputTooSmall', 0, content.length);
    out.set(content);
    return content.length;
  });
}

/** The format of a whole file, or its refusal. */
function formatOf(bytes: Uint8Array): Format {
  const { format, needed } = probe(bytes);
  if (format !== undefined) return format;
  throw needed === undefined ? refuse('UnknownFormat') : refuse('Truncated', bytes.length, needed);
}
