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

/** Returns the number with these bits. */
function ofBits(bits: number): number {
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
  const size = exponent === 31 ? (fraction === 0 ? Infinity : NaN) : exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
  return bits >> 15 === 0 ? size : -size;
}

/**
 * Converts numbers of any type to doubles. Rounds 64-bit integers to the nearest; `float16` in a
 * `Uint16Array` are bits.
 */
export function toDoubles(data: ArrayLike<number> | ArrayLike<bigint>, dtype?: string): Float64Array<ArrayBuffer> {
  // Tested by name and by value: an array of another realm has another class.
  if (dtype === 'float16' && Object.prototype.toString.call(data) === '[object Uint16Array]') return Float64Array.from(data as ArrayLike<number>, ofBits);
  if (typeof data[0] !== 'bigint') return new Float64Array(data as ArrayLike<number>);
  const doubles = new Float64Array(data.length);
  for (let at = 0; at < doubles.length; at++) doubles[at] = Number(data[at]);
  return doubles;
}
