// gzip around files of any format.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decode, decodeGzip, decodeGzipInto, decodeInto, decodeOnPair, inspect, nodes } from './all.mjs';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
const wrapped = read('gzip/v1_int8.cvc.gz');
const inside = read('cvc/v1_int8.cvc');

test('unwraps files written by gzip and Node', () => {
  assert.deepEqual(decodeGzip(wrapped), inside);
  assert.equal(new TextDecoder().decode(decodeGzip(read('gzip/two_members.gz'))), 'hello world\n');
  for (const level of [0, 1, 9]) assert.deepEqual(decodeGzip(gzipSync(inside, { level })), inside);
  const room = new Uint8Array(inside.length + 10);
  assert.equal(decodeGzipInto(wrapped, room), inside.length);
  assert.deepEqual(room.subarray(0, inside.length), inside);
  assert.throws(() => decodeGzipInto(wrapped, new Uint8Array(inside.length - 1)), { name: 'OutputTooSmall' });
});

test('decodes the content of a gzip file if its format is known', () => {
  assert.deepEqual(decode(wrapped), decode(inside));
  const onpair = read('onpair/cpp/urls_b12.onp');
  assert.deepEqual(decode(gzipSync(onpair)), { format: 'onpair', ...decodeOnPair(onpair) });
  const plain = decode(gzipSync('just text'));
  assert.deepEqual(plain, { format: 'gzip', bytes: new TextEncoder().encode('just text') });
});

test('decodes the content of a gzip file into a given array', () => {
  const values = decode(inside).columns[0].data;
  const room = new Float32Array(values.length + 1);
  assert.equal(decodeInto(wrapped, room), values.length);
  assert.deepEqual(room.subarray(0, values.length), values);
  const numbers = new Int32Array(2000);
  assert.equal(decodeInto(gzipSync(read('pco/assets/v1_0_0_conv1.pco')), numbers), 2000);
  assert.throws(() => decodeInto(wrapped, new Int32Array(values.length)), { name: 'WrongType' });
  const text = new Uint8Array(9);
  assert.equal(decodeInto(gzipSync('just text'), text), 9);
  assert.equal(new TextDecoder().decode(text), 'just text');
  assert.throws(() => decodeInto(gzipSync('just text'), text.subarray(1)), { name: 'OutputTooSmall', need: 9 });
});

test('refuses broken files at their offset, and stops bombs at the limit', () => {
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
