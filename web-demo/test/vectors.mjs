// Files of the test suite, and files built for a test.
import { readFileSync } from 'node:fs';

/** Reads a file of `tests/vectors`. */
export const vector = (name) => readFileSync(new URL(`../../tests/vectors/${name}`, import.meta.url));

/** Reads the expected content from the reference implementation. */
export const floats = (name) => new Float32Array(new Uint8Array(vector(name)).buffer);

export const PCO_HEAD = Buffer.from('70636f21020003', 'hex');

/** The start of a Pco chunk that stores 64-bit numbers unchanged, in one bin. */
export function chunkHead(count) {
  const bytes = Buffer.from('02000000001000000000000000000000' + '02', 'hex');
  bytes.writeUIntLE(count - 1, 1, 3);
  return bytes;
}

/** Builds a Pco file of zeros. */
export const zeros = (count) => Buffer.concat([PCO_HEAD, chunkHead(count), Buffer.alloc(8 * count + 1)]);

/** Builds a Pco file of doubles, in order. */
export function doubles(numbers) {
  const bytes = zeros(numbers.length);
  bytes[PCO_HEAD.length] = 6;
  numbers.forEach((number, at) => {
    const place = bytes.length - 1 - 8 * (numbers.length - at);
    bytes.writeDoubleLE(number, place);
    const bits = bytes.readBigUInt64LE(place);
    // Latents are ordered like the numbers.
    bytes.writeBigUInt64LE(BigInt.asUintN(64, bits >> 63n ? ~bits : bits ^ (1n << 63n)), place);
  });
  return bytes;
}

/** Builds a CVC file of one chunk of half floats, from the bits of each. */
export function halves(rows, dimension, bitsOf) {
  const head = Buffer.from(JSON.stringify({ num_vectors: rows, dimension, compression: 'fp16', chunks: [{ rows }] }));
  const numbers = Buffer.alloc(2 * rows * dimension);
  for (let at = 0; at < rows * dimension; at++) numbers.writeUInt16LE(bitsOf(at), 2 * at);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(head.length);
  lengths.writeUInt32LE(numbers.length, 4);
  return Buffer.concat([Buffer.from('CVCF'), lengths.subarray(0, 4), head, lengths.subarray(4), numbers]);
}
