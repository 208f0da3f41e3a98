// OnPair: the tables of a container, from the counts before them.
import { refuse } from './error.js';
import type { ByteRange } from './source.js';

/** The magic bytes of a container. One byte with the code width follows. */
const MAGIC = 'ONPAIR01';

/** The code width, and the entries of each table. */
export interface OnPairTables {
  readonly bits: number;
  readonly tokens: ByteRange;
  readonly tokenOffsets: ByteRange;
  readonly codes: ByteRange;
  readonly rowOffsets: ByteRange;
}

/** Finds the tables of a container of this length. Yields the ranges that it reads. */
export function* tablesOf(size: number): Generator<ByteRange, OnPairTables, Uint8Array> {
  let at = MAGIC.length + 1;
  const head = yield { start: 0, end: at };
  if (!MAGIC.startsWith(String.fromCharCode(...head.subarray(0, MAGIC.length)))) throw refuse('OnPairMagic');
  const bits = head[MAGIC.length];
  if (bits === undefined) throw refuse('Truncated', size, at);
  if (bits < 1 || bits > 16) throw refuse('OnPairBits', MAGIC.length);
  const ranges: ByteRange[] = [];
  for (const width of [1, 4, 8, 4]) {
    const start = at + 4;
    if (start > size) throw refuse('Truncated', size, start);
    const [entries = 0] = toUint32(yield { start: at, end: start });
    at = start + entries * width;
    if (at > size) throw refuse('Truncated', size, at);
    ranges.push({ start, end: at });
  }
  const [tokens, tokenOffsets, codes, rowOffsets] = ranges as [ByteRange, ByteRange, ByteRange, ByteRange];
  return { bits, tokens, tokenOffsets, codes, rowOffsets };
}

/** Views little-endian bytes as numbers. */
export function toUint32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer, 0, bytes.length >> 2);
}
