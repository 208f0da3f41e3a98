// Half floats.

/**
 * What half floats come in: a `Float16Array` where the engine has one, else their bits. The first is known to TypeScript where its
 * `lib` is one that has it.
 */
export type HalfFloats<B extends ArrayBufferLike = ArrayBuffer> =
  | Uint16Array<B>
  | (typeof globalThis extends { Float16Array: { prototype: infer Any; new (length: number): infer Own } }
      ? ArrayBufferLike extends B ? Any : Own
      : never);

/** The one that this engine has. */
export const HalfFloats = (globalThis as { Float16Array?: typeof Uint16Array }).Float16Array ?? Uint16Array;
