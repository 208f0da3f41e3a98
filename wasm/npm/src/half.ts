// Half floats.

/**
 * An array of half floats: a `Float16Array`, or their bits as a `Uint16Array` if the engine has
 * none. TypeScript knows the former only with a `lib` that declares it.
 */
export type HalfFloats<B extends ArrayBufferLike = ArrayBuffer> =
  | Uint16Array<B>
  | (typeof globalThis extends { Float16Array: { prototype: infer Any; new (length: number): infer Own } }
      ? ArrayBufferLike extends B ? Any : Own
      : never);

/** The class that this engine has. */
export const HalfFloats = (globalThis as { Float16Array?: typeof Uint16Array }).Float16Array ?? Uint16Array;
