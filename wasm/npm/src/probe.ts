import type { Results } from './decode.js';
import { call } from './instance.js';
import { type Bytes, bytesOf } from './source.js';

/** A format that a file can be in. This build decodes all of them. */
export type Format = keyof Results;

/** What {@link probe} makes of the start of a file. */
export type Probe =
  | { readonly format: Format; readonly needed?: never }
  /** Too short to tell: this many bytes of the file decide. */
  | { readonly format: undefined; readonly needed: number }
  /** No known format starts like this. */
  | { readonly format: undefined; readonly needed?: never };

/** Tells by its first bytes which format a file is in. Eight bytes are always enough. */
export function probe(bytes: Bytes): Probe {
  const prefix = bytesOf(bytes).subarray(0, 16);
  const found: unknown = call((wasm) => wasm.probe(prefix));
  if (typeof found === 'string') return { format: found as Format };
  return typeof found === 'number' ? { format: undefined, needed: found } : { format: undefined };
}
