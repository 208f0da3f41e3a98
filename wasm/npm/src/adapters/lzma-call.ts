// The configuration of `numcodecs.lzma`.
import type { LzmaFilter } from '../lzma.js';

/** A function that decodes chunks, and its options. */
export type LzmaCall = readonly [name: 'decodeLzma' | 'decodeXz', options: { readonly filters?: readonly LzmaFilter[] }];

/** Returns the function for chunks of this configuration. */
export function lzmaCall(configuration: unknown): LzmaCall {
  // The numbers are those of Python's `lzma`: xz, `.lzma`, and raw streams.
  const { format = 1, filters } = (configuration ?? {}) as { format?: number; filters?: readonly LzmaFilter[] | null };
  switch (format) {
    case 1: return ['decodeXz', {}];
    case 2: return ['decodeLzma', {}];
    case 3: return ['decodeLzma', { filters: filters ?? [] }];
    default: throw new TypeError(`numcodecs.lzma has the formats 1, 2 and 3, not ${format}`);
  }
}
