// Detects formats, without wasm.
import { type Bytes, bytesOf } from './bytes.js';
import type { DecodeResults } from './decode.js';

/** A format that this package decodes. */
export type Format = keyof DecodeResults;

/** Result of {@link probe}. */
export type Probe =
  | {
      /** The detected format. */
      readonly format: Format;
      /** Absent. */
      readonly needed?: never;
    }
  | {
      /** Unknown, as the input is too short. */
      readonly format: undefined;
      /** Number of bytes needed to detect the format. */
      readonly needed: number;
    }
  | {
      /** Not a known format. */
      readonly format: undefined;
      /** Absent. */
      readonly needed?: never;
    };

/** The first bytes of each format, as in the core. */
const MAGICS: readonly (readonly [format: Format, ...magic: number[]])[] = [
  ['zstd', 0x28, 0xb5, 0x2f, 0xfd],
  ['zstd-v07', 0x27, 0xb5, 0x2f, 0xfd],
  ['xz', 0xfd, 0x37, 0x7a, 0x58, 0x5a, 0],
  ['pco', 0x70, 0x63, 0x6f, 0x21],
  ['onpair', 0x4f, 0x4e, 0x50, 0x41, 0x49, 0x52, 0x30, 0x31],
  ['cvc', 0x43, 0x56, 0x43, 0x46],
  ['at1', 0x41, 0x54, 0x31, 2],
  ['at1', 0x41, 0x54, 0x31, 3],
  ['gzip', 0x1f, 0x8b, 8],
  // The low half of the first byte is free.
  ['zstd-skippable', 0x50, 0x2a, 0x4d, 0x18],
];

/** Detects the format from the first bytes; eight are always enough. */
export function probe(bytes: Bytes): Probe {
  const prefix = bytesOf(bytes);
  let needed = Infinity;
  for (const [format, ...magic] of MAGICS) {
    const isSame = magic.every((byte, at) => {
      const found = prefix[at];
      return found === undefined || found === byte || (format === 'zstd-skippable' && at === 0 && (found & 0xf0) === byte);
    });
    if (!isSame) continue;
    if (prefix.length >= magic.length) return { format };
    needed = Math.min(needed, magic.length);
  }
  return needed === Infinity ? { format: undefined } : { format: undefined, needed };
}
