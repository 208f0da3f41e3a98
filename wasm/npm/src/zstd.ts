// Zstandard, and the two older formats that share its magic numbers.
import { checkOptions } from './check.js';
import { room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf, filled } from './source.js';

const { call, work } = room('zstd');

/** What a frame can be in: RFC 8878, what zstd 0.7 wrote, or the draft 0.2.0 between them. */
export type ZstdFormat = 'zstd' | 'zstd-v07' | 'zstd-draft';

/** How Zstandard is decoded. */
export interface ZstdDecodeOptions {
  limits?: Limits | undefined;
  /** What `zstd --train` wrote, or any bytes that the file was compressed against. */
  dictionary?: Bytes | undefined;
  /** For those who know better than the file, whose blocks tell otherwise. */
  format?: ZstdFormat | undefined;
}

/** The formats by the numbers that the module has for them. */
const FORMATS: readonly (ZstdFormat | undefined)[] = [undefined, 'zstd', 'zstd-v07', 'zstd-draft'];

/** A dictionary and a format for the module. */
export function chosen({ dictionary, format }: ZstdDecodeOptions): [dictionary: Uint8Array | undefined, format: number] {
  const number = FORMATS.indexOf(format);
  if (number < 0) throw new TypeError(`format must be 'zstd', 'zstd-v07' or 'zstd-draft', not ${String(format)}`);
  return [dictionary === undefined ? undefined : bytesOf(dictionary, 'dictionary'), number];
}

/** Decodes a file, all of its frames, and verifies their checksums. `limits.maxOutput` bounds what a small file may grow to. */
export function decodeZstd(bytes: Bytes, options: ZstdDecodeOptions = {}): Uint8Array<ArrayBuffer> {
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { dictionary: true, format: true }), chosen(options)];
  return work(view, limits, () =>
    call((wasm) => wasm.zstd_decode(view, dictionary, format, limits) as Uint8Array<ArrayBuffer>),
  );
}

/** Decodes a file to the start of `to`, and gives how many bytes that were. */
export function decodeZstdInto(bytes: Bytes, to: Uint8Array, options: ZstdDecodeOptions = {}): number {
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { dictionary: true, format: true }), chosen(options)];
  return filled(to, (out) =>
    work(view, limits, () => call((wasm) => wasm.zstd_decode_into(view, out, dictionary, format, limits))),
  );
}

/** Which of the three formats a whole file is in, by its block headers: what a stream, which cannot look ahead, must be told. */
export function zstdFormat(bytes: Bytes): ZstdFormat | undefined {
  const view = bytesOf(bytes);
  return FORMATS[call((wasm) => wasm.zstd_format(view))];
}

/** The header of a frame, or of a skippable frame, whose `size` bytes mean nothing to Zstandard. */
export type ZstdHeader =
  | { kind: 'frame'; length: number; window: number; contentSize?: number; dictionaryId?: number; checksum: boolean }
  | { kind: 'skippable'; length: number; variant: number; size: number };

/** The longest header. */
const HEADER = 18;

/** Reads the header at the start of `bytes`, which need not hold more than 18, without decoding anything. */
export function zstdHeader(bytes: Bytes, options: Pick<ZstdDecodeOptions, 'format'> = {}): ZstdHeader {
  checkOptions(options, { format: true });
  const [view, [, format]] = [bytesOf(bytes).subarray(0, HEADER), chosen(options)];
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
