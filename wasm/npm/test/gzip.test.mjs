// gzip around anything, and what numbers come to.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decode, decodeGzip, decodeGzipInto, decodeInto, decodeOnPair, inspect, nodes, statistics } from 'unspool';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
const wrapped = read('gzip/v1_int8.cvc.gz');
const inside = read('cvc/v1_int8.cvc');

test('what gzip and Node wrote is unwrapped', () => {
  assert.deepEqual(decodeGzip(wrapped), inside);
  assert.equal(new TextDecoder().decode(decodeGzip(read('gzip/two_members.gz'))), 'hello world\n');
  for (const level of [0, 1, 9]) assert.deepEqual(decodeGzip(gzipSync(inside, { level })), inside);
  const room = new Uint8Array(inside.length + 10);
  assert.equal(decodeGzipInto(wrapped, room), inside.length);
  assert.deepEqual(room.subarray(0, inside.length), inside);
  assert.equal(decodeInto(wrapped, room), inside.length);
  assert.throws(() => decodeGzipInto(wrapped, new Uint8Array(inside.length - 1)), { name: 'OutputTooSmall' });
});

test('decode goes on with what is inside, if it knows that', () => {
  assert.deepEqual(decode(wrapped), decode(inside));
  const onpair = read('onpair/cpp/urls_b12.onp');
  assert.deepEqual(decode(gzipSync(onpair)), { format: 'onpair', ...decodeOnPair(onpair) });
  const plain = decode(gzipSync('just text'));
  assert.deepEqual(plain, { format: 'gzip', bytes: new TextEncoder().encode('just text') });
});

test('broken files are refused where they are broken, and bombs at the limit', () => {
  const bad = wrapped.slice();
  bad[bad.length - 5] ^= 1;
  assert.throws(() => decode(bad), { name: 'GzipCrc', class: 'Checksum', code: 705, offset: bad.length - 8 });
  assert.throws(() => decodeGzip(wrapped.subarray(0, 500)), { name: 'Truncated', offset: 500 });
  assert.throws(() => decodeGzip(gzipSync(new Uint8Array(1e7)), { limits: { maxOutput: 1e6 } }), { name: 'OutputLimit' });
  const { structure, error } = inspect(bad);
  assert.equal(error.name, 'GzipCrc');
  assert.deepEqual([...nodes(structure)].map(({ name }) => name), [
    'member', 'magic', 'method', 'flags', 'modified', 'effort', 'operating system', 'name', 'deflate', 'crc-32',
  ]);
});

test('statistics of numbers of every type', () => {
  const values = Float64Array.of(2, 4, 4, 4, 5, 5, 7, 9);
  const { count, min, max, mean, deviation, nans, histogram } = statistics(values);
  assert.deepEqual({ count, min, max, mean, deviation, nans }, { count: 8, min: 2, max: 9, mean: 5, deviation: 2, nans: 0 });
  for (const { low, high, count } of histogram) assert.equal(values.filter((value) => low <= value && value < high).length, count);
  for (const Type of [Uint8Array, Int16Array, Float32Array, BigInt64Array, BigUint64Array]) {
    const array = Type.from(values, Type === BigInt64Array || Type === BigUint64Array ? BigInt : Number);
    assert.equal(statistics(array).mean, 5, Type.name);
  }
  const none = statistics(new Float32Array());
  assert.ok(none.count === 0 && Number.isNaN(none.mean) && none.histogram.length === 0 && none.norms === undefined);
  const odd = statistics(Float64Array.of(NaN, Infinity, 1, 0, -2));
  assert.deepEqual([odd.count, odd.nans, odd.infinite, odd.magnitudes.zeros, odd.magnitudes.negative], [4, 1, 1, 1, 1]);
  assert.throws(() => statistics([1, 2]), TypeError);
});

test('statistics of vectors, and of more numbers than cross over at once', () => {
  const { norms } = statistics(Float32Array.of(3, 4, 6, 8, 0, 0), { dimension: 2 });
  assert.deepEqual([...norms.each], [5, 10, 0]);
  assert.deepEqual([norms.count, norms.min, norms.max, norms.mean], [3, 0, 10, 5]);
  const many = Int32Array.from({ length: 300_000 }, (_, at) => at % 1000);
  const { count, mean, histogram } = statistics(many);
  assert.equal(count, 300_000);
  assert.ok(Math.abs(mean - 499.5) < 1e-9);
  assert.equal(histogram.reduce((sum, { count }) => sum + count, 0), 300_000);
});
