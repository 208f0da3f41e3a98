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
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { dictionary: true, format: true }), formatArguments(options)];
  return work(view, limits, () =>
    call((wasm) => wasm.zstd_decode(view, dictionary, format, limits) as Uint8Array<ArrayBuffer>),
  );
}

/** Decodes a file to the start of `to`. Returns the number of bytes written. */
export function decodeZstdInto(bytes: Bytes, to: Uint8Array, options: ZstdDecodeOptions = {}): number {
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { dictionary: true, format: true }), formatArguments(options)];
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

/** The header of a frame, or of a skippable frame of `size` bytes that Zstandard ignores. */
export type ZstdHeader =
  | {
      /** A frame with content. */
      kind: 'frame';
      /** Length of the header in bytes. */
      length: number;
      /** Window that decoding needs, in bytes. */
      window: number;
      /** Length of the content, if the header has it. */
      contentSize?: number;
      /** ID of the dictionary, if the frame needs one. */
      dictionaryId?: number;
      /** True if the frame ends with a checksum. */
      checksum: boolean;
    }
  | {
      /** A skippable frame. */
      kind: 'skippable';
      /** Length of the header in bytes. */
      length: number;
      /** Number in the magic number, 0 to 15. */
      variant: number;
      /** Length of the frame's data in bytes. */
      size: number;
    };

/** Maximum length of a header. */
const HEADER = 18;

/** Reads the header at the start of `bytes`; 18 bytes are enough. Decodes nothing. */
export function zstdHeader(bytes: Bytes, options: Pick<ZstdDecodeOptions, 'format'> = {}): ZstdHeader {
  checkOptions(options, { format: true });
  const [view, [, format]] = [bytesOf(bytes).subarray(0, HEADER), formatArguments(options)];
  const [length = 0, window = 0, size = 0, dictionaryId, checksum] = call((wasm) => wasm.zstd_frame(view, format));
  if (dictionaryId === undefined) return { kind: 'skippable', length, variant: window, size };
  return {
    kind: 'frame',
    length,
    window,
    ...(size >= 0 && { contentSize: size }),
    ...(dictionaryId > 0 && { dictionaryId }),
    checksum: checksum === 1,
  };
}
