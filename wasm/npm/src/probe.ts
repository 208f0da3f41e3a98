import type { DecodeResults } from './decode.js';
import { call } from './instance.js';
import { type Bytes, bytesOf } from './source.js';

/** A format that this build decodes. */
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

/** Detects the format from the first bytes; eight are always enough. */
export function probe(bytes: Bytes): Probe {
  const prefix = bytesOf(bytes).subarray(0, 16);
  const found: unknown = call((wasm) => wasm.probe(prefix));
  if (typeof found === 'string') return { format: found as Format };
  return typeof found === 'number' ? { format: undefined, needed: found } : { format: undefined };
}
