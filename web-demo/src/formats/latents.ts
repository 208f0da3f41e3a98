// Latents of Pco: unsigned integers in the order of the numbers they represent.
import { half, value } from '../format';

/** Formats the number that a latent represents. */
export function valueOfLatent(latent: bigint, dtype: string): string {
  const bits = bitsOf(dtype);
  const [top, mask] = [1n << BigInt(bits - 1), (1n << BigInt(bits)) - 1n];
  const within = latent & mask;
  if (dtype.startsWith('u')) return String(within);
  if (dtype.startsWith('i')) return String(within - top);
  const word = within & top ? within ^ top : ~within & mask;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, word, true);
  return value(bits === 16 ? half(Number(word)) : bits === 32 ? view.getFloat32(0, true) : view.getFloat64(0, true));
}

/** Returns the width of a number type in bits. */
export function bitsOf(dtype: string): number {
  return Number(/\d+$/.exec(dtype)?.[0] ?? 64);
}
