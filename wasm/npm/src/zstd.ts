// Zstandard, and the two older formats with its magic numbers.
import { checkOptions } from './check.js';
import { moduleFor } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './bytes.js';
import { fillBytes } from './fill.js';

const { call, work } = moduleFor('zstd');

/** A flavour of Zstandard: RFC 8878, zstd 0.7, or the draft 0.2.0 between them. */
export type ZstdFormat = 'zstd' | 'zstd-v07' | 'zstd-draft';

/** Options for decoding Zstandard. */
export interface ZstdDecodeOptions {
  /** Limits for this call. */
  limits?: Limits | undefined;
  /** A dictionary: the output of `zstd --train`, or any bytes the file was compressed against. */
  dictionary?: Bytes | undefined;
  /** Overrides the flavour, which is otherwise detected from the blocks. */
  format?: ZstdFormat | undefined;
}

/** The flavours in the order of the module's numbers. */
const FORMATS: readonly (ZstdFormat | undefined)[] = [undefined, 'zstd', 'zstd-v07', 'zstd-draft'];

/** Checks dictionary and flavour, and returns them as the module's arguments. */
export function formatArguments({ dictionary, format }: ZstdDecodeOptions): [dictionary: Uint8Array | undefined, format: number] {
  const number = FORMATS.indexOf(format);
  if (number < 0) throw new TypeError(`format must be 'zstd', 'zstd-v07' or 'zstd-draft', not ${String(format)}`);
  return [dictionary === undefined ? undefined : bytesOf(dictionary, 'dictionary'), number];
}

/**
 * Decodes all frames of a file and verifies their checksums. `limits.maxOutput` bounds the result.
 */
export function decodeZstd(bytes: Bytes, options: ZstdDecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { limits: true, dictionary: true, format: true }), formatArguments(options)];
  return work(view, limits, () =>
    call((wasm) => wasm.zstd_decode(view, dictionary, format, limits) as Uint8Array<ArrayBuffer>),
  );
}

/** Decodes a file to the start of `to`. Returns the number of bytes written. */
export function decodeZstdInto(bytes: Bytes, to: Uint8Array, options: ZstdDecodeOptions = {}): number {
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { limits: true, dictionary: true, format: true }), formatArguments(options)];
  return fillBytes(to, (out) =>
    work(view, limits, () => call((wasm) => wasm.zstd_decode_into(view, out, dictionary, format, limits))),
  );
}

/**
 * Detects the flavour of a whole file from its block headers. A stream cannot look ahead, so pass
 * it the result.
 */
export function zstdFormat(bytes: Bytes): ZstdFormat | undefined {
  const view = bytesOf(bytes);
  return FORMATS[call((wasm) => wasm.zstd_format(view))];
}

/** The header of a frame, or of a skippable frame, which Zstandard ignores. */
export type ZstdHeader =
  | {
      /** A frame with content. */
      readonly kind: 'frame';
      /** Length of the header in bytes. */
      readonly headLength: number;
      /** Window that decoding needs, in bytes. */
      readonly window: number;
      /** ID of the dictionary, if the frame needs one. */
      readonly dictionaryId: number | undefined;
      /** True if the frame ends with a checksum. */
      readonly hasChecksum: boolean;
      /** Bytes of the decoded content of the frame, if the header has it. */
      readonly size: number | undefined;
    }
  | {
      /** A skippable frame. */
      readonly kind: 'skippable';
      /** Length of the header in bytes. */
      readonly headLength: number;
      /** Number in the magic number, 0 to 15. */
      readonly variant: number;
      /** Bytes that are skipped. */
      readonly skipped: number;
      /** The frame has no content. */
      readonly size: 0;
    };

/** Maximum length of a header. */
const HEADER = 18;

/** Reads the header at the start of `bytes`; 18 bytes are enough. Decodes nothing. */
export function zstdHeader(bytes: Bytes, options: Pick<ZstdDecodeOptions, 'format'> = {}): ZstdHeader {
  checkOptions(options, { format: true });
  const [view, [, format]] = [bytesOf(bytes).subarray(0, HEADER), formatArguments(options)];
  const [headLength = 0, window = 0, size = 0, dictionaryId, checksum] = call((wasm) => wasm.zstd_frame(view, format));
  if (dictionaryId === undefined) return { kind: 'skippable', headLength, variant: window, skipped: size, size: 0 };
  return { kind: 'frame', headLength, window, dictionaryId: dictionaryId > 0 ? dictionaryId : undefined, hasChecksum: checksum === 1, size: size >= 0 ? size : undefined };
}
