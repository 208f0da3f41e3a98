// Files of the test suite, and some that are made for a test.
import { readFileSync } from 'node:fs';

/** A file of `tests/vectors`. */
export const vector = (name) => readFileSync(new URL(`../../tests/vectors/${name}`, import.meta.url));

/** What the reference implementation decoded one to. */
export const floats = (name) => new Float32Array(new Uint8Array(vector(name)).buffer);

export const PCO_HEAD = Buffer.from('70636f21020003', 'hex');

/** What a chunk of Pco starts with whose numbers of 64 bits stand in the file as they are, in one bin. */
export function chunkHead(count) {
  const bytes = Buffer.from('02000000001000000000000000000000' + '02', 'hex');
  bytes.writeUIntLE(count - 1, 1, 3);
  return bytes;
}

/** A Pco file of so many zeros. */
export const zeros = (count) => Buffer.concat([PCO_HEAD, chunkHead(count), Buffer.alloc(8 * count + 1)]);

/** A Pco file of these floats of 64 bits, in their order. */
export function doubles(numbers) {
  const bytes = zeros(numbers.length);
  bytes[PCO_HEAD.length] = 6;
  numbers.forEach((number, at) => {
    const place = bytes.length - 1 - 8 * (numbers.length - at);
    bytes.writeDoubleLE(number, place);
    const bits = bytes.readBigUInt64LE(place);
    // Latents lie in the order of the numbers.
    bytes.writeBigUInt64LE(BigInt.asUintN(64, bits >> 63n ? ~bits : bits ^ (1n << 63n)), place);
  });
  return bytes;
}
