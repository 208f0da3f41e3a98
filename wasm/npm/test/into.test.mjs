// Decoding into memory of the caller.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import {
  decode, decodeCvc, decodeCvcInto, decodeGzipInto, decodeInto, decodeOnPair, decodeOnPairInto, decodePco, decodePcoInto, decodeZstd, decodeZstdInto,
  openOnPair, statistics,
} from './all.mjs';
import { bytesOf, valid } from './vectors.mjs';

const vectors = new URL('../../../tests/vectors/', import.meta.url);
const read = (path) => new Uint8Array(readFileSync(new URL(path, vectors)));
const pco = read('pco/assets/v1_0_0_conv1.pco');
const onpair = read('onpair/cpp/urls_b12.onp');
const cvc = read('cvc/med_fp16.cvc');

test('decodes numbers into an array of their type or into bytes', () => {
  const { data: expected } = decodePco(pco);
  assert.ok(expected instanceof Int32Array && expected.length === 2000);
  const room = new Int32Array(2100).fill(-7);
  assert.equal(decodePcoInto(pco, room), 2000);
  assert.deepEqual(room.subarray(0, 2000), expected);
  assert.ok(room.subarray(2000).every((value) => value === -7), 'the bytes after it are left alone');
  const bytes = new Uint8Array(8001);
  assert.equal(decodeInto(pco, bytes.subarray(1)), 8000, 'also where nothing is aligned');
  assert.deepEqual(bytes.subarray(1), bytesOf(expected));
  assert.throws(() => decodePcoInto(pco, new Float64Array(2000)), { name: 'WrongType' });
  assert.throws(() => decodePcoInto(pco, new Int32Array(1999)), { name: 'OutputTooSmall', class: 'OutputTooSmall', need: 2000 });
  assert.throws(() => decodePcoInto(pco, [1, 2]), TypeError);
});

test('refuses bytes that do not fill whole elements', () => {
  const file = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 1, 2, 3);
  assert.equal(decodeZstd(file).length, 3);
  for (const into of [decodeZstdInto, decodeInto]) {
    assert.throws(() => into(file, new Uint16Array(2)), { name: 'WrongType', class: 'Misuse' });
    assert.equal(into(file, new Uint8Array(3)), 3);
  }
  const strings = gzipSync(new Uint8Array(6001));
  assert.throws(() => decodeGzipInto(strings, new Uint32Array(2000)), { name: 'WrongType' });
  assert.equal(decodeGzipInto(gzipSync(new Uint8Array(6000)), new Uint32Array(2000)), 1500);
});

test('decodes half floats as bits into a Uint16Array, and as numbers if the engine has them', () => {
  for (const [file, into] of [['pco/k_f16_arange.pco', decodePcoInto]]) {
    const expected = bytesOf(decode(read(file)).arrays[0].data);
    const bits = new Uint16Array(expected.length / 2);
    assert.equal(into(read(file), bits), bits.length);
    assert.deepEqual(bytesOf(bits), expected);
    if (globalThis.Float16Array) assert.equal(into(read(file), new Float16Array(bits.length)), bits.length);
    for (const Other of [Int16Array, Uint8ClampedArray, Float32Array]) assert.throws(() => into(read(file), new Other(4 * bits.length)), { name: 'WrongType' });
  }
});

test('accepts an output of another realm, and refuses a detached one', () => {
  const foreign = runInNewContext('new Float64Array(4000)');
  assert.throws(() => decodePcoInto(pco, foreign), { name: 'WrongType' });
  assert.throws(() => decodeCvcInto(cvc, foreign), { name: 'WrongType' });
  assert.equal(decodePcoInto(pco, runInNewContext('new Int32Array(2000)')), 2000);
  const gone = new Int32Array(2000);
  structuredClone(gone, { transfer: [gone.buffer] });
  for (const nothing of [gone, null, undefined, 7, [1], new DataView(new ArrayBuffer(8))]) {
    for (const into of [decodePcoInto, decodeCvcInto, decodeInto]) assert.throws(() => into(into === decodeCvcInto ? cvc : pco, nothing), TypeError);
  }
});

test('accepts strings and needles of another realm', async () => {
  const foreign = (array) => runInNewContext(`${array.constructor.name}.from(numbers)`, { numbers: [...array] });
  const { bytes } = decodeOnPair(onpair);
  assert.equal(decodeOnPairInto(onpair, runInNewContext(`new Uint8Array(${bytes.length})`)), bytes.length);
  const column = openOnPair(onpair);
  const own = new TextEncoder().encode('google');
  assert.deepEqual(column.search({ contains: foreign(own) }), column.search({ contains: own }));
  column.release();
  const parts = { dictBytes: new Uint8Array([97]), dictOffsets: new Uint32Array([0, 1]), codes: new Uint16Array([0, 0]), codeOffsets: new BigUint64Array([0n, 1n, 2n]) };
  const made = openOnPair(Object.fromEntries(Object.entries(parts).map(([name, array]) => [name, foreign(array)])));
  assert.equal(made.text(1), 'a');
  made.release();
  assert.equal(statistics(foreign(new BigInt64Array([1n, 3n]))).mean, 2);
  const gone = new Float64Array(3);
  structuredClone(gone, { transfer: [gone.buffer] });
  assert.throws(() => statistics(gone), /transferred/);
});

test('decodes strings concatenated', () => {
  const { bytes, offsets } = decodeOnPair(onpair);
  const room = new Uint8Array(bytes.length);
  assert.equal(decodeInto(onpair, room), bytes.length);
  assert.deepEqual(room, bytes);
  assert.equal(decodeOnPairInto(onpair, room, { rows: [5, 7] }), offsets[7] - offsets[5]);
  assert.deepEqual(room.subarray(0, offsets[7] - offsets[5]), bytes.subarray(offsets[5], offsets[7]));
  assert.throws(() => decodeOnPairInto(onpair, room.subarray(1)), { name: 'OutputTooSmall', need: bytes.length });
});

test('decodes vectors into an array of their type, floats or bytes', () => {
  let columns = 0;
  for (const { file } of valid) {
    const bytes = read(`cvc/${file}`);
    for (const { column, data, shape } of decode(bytes).columns) {
      const options = column === '' ? {} : { column };
      if (data.length === 0) continue;
      const room = new data.constructor(data.length + 3);
      assert.equal(decodeCvcInto(bytes, room, options), data.length, `${file} ${column}`);
      assert.deepEqual(bytesOf(room.subarray(0, data.length)), bytesOf(data));
      const floats = new Float32Array(data.length);
      assert.equal(decodeCvcInto(bytes, floats, options), data.length);
      assert.deepEqual(bytesOf(floats), bytesOf(decodeCvc(bytes, { ...options, as: 'float32' }).data));
      assert.throws(() => decodeCvcInto(bytes, room.subarray(4), options), { name: 'OutputTooSmall', need: shape[0] * shape[1] });
      columns++;
    }
  }
  assert.ok(columns > 40, `${columns}`);
  assert.throws(() => decodeCvcInto(cvc, new Int32Array(400 * 64)), { name: 'WrongType' });
  const some = new Float32Array(128);
  assert.equal(decodeCvcInto(cvc, some, { rows: [3, 5] }), 128);
  assert.deepEqual(some, decodeCvc(cvc, { rows: [3, 5] }).data);
});

test('grows no memory in steady state', () => {
  const numbers = new Int32Array(2000);
  const strings = new Uint8Array(decodeOnPair(onpair).bytes.length);
  const vectors = new Float32Array(400 * 64);
  const round = () => {
    decodePcoInto(pco, numbers);
    decodeOnPairInto(onpair, strings);
    decodeCvcInto(cvc, vectors);
  };
  for (let warm = 0; warm < 20; warm++) round();
  const { arrayBuffers } = process.memoryUsage();
  for (let count = 0; count < 300; count++) round();
  // 300 outputs would take 70 MB.
  assert.ok(process.memoryUsage().arrayBuffers - arrayBuffers < 5e6, `${process.memoryUsage().arrayBuffers - arrayBuffers}`);
});
