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

/** The first bytes of each format in hexadecimal, as in the core. */
const MAGICS: readonly (readonly [format: Format, magic: string])[] = [
  ['zstd', '28b52ffd'],
  ['zstd-v07', '27b52ffd'],
  ['xz', 'fd377a585a00'],
  ['pco', '70636f21'],
  ['onpair', '4f4e504149523031'],
  ['cvc', '43564346'],
  ['at1', '41543102'],
  ['at1', '41543103'],
  ['gzip', '1f8b08'],
  ['zstd-skippable', '502a4d18'],
];

/** Length of the header of a `.lzma` file, and one byte. */
const LZMA = 14;

/**
 * The start of a `.lzma` file in hexadecimal, or less of it. The format has no magic number: these
 * are the headers that encoders write, as in the core. Four bytes are a power of two or one and a
 * half of it, from 4,096 on, or all ones. Eight are less than 256 GiB, or all ones; a part of them
 * says nothing. The last is 0.
 */
const LZMA_HEADER =
  /^5d($|(00|ff).{0,4}$|(00([1-468c]0|18)0000|0000(0[1-468c]|[1-468c]0|18)00|000000(0[1-468c]|[1-468c]0|18)|00800100|00008001|f{8})(.{0,14}$|(.{8}[0-3].0{6}|f{16})($|00)))/;

/** Detects the format from the first bytes; 14 are always enough. */
export function probe(bytes: Bytes): Probe {
  const prefix = bytesOf(bytes).subarray(0, LZMA);
  const start = Array.from(prefix, (byte) => (256 + byte).toString(16).slice(1)).join('');
  const isLzma = LZMA_HEADER.test(start);
  let needed = isLzma ? LZMA : Infinity;
  if (prefix.length === needed) return { format: 'lzma' };
  // The low half of the first byte of a skippable frame is free.
  const same = start.replace(/^5./, '50');
  for (const [format, magic] of MAGICS) {
    if (same.startsWith(magic)) return { format };
    if (magic.startsWith(same)) needed = Math.min(needed, magic.length / 2);
  }
  return needed === Infinity ? { format: undefined } : { format: undefined, needed };
}
