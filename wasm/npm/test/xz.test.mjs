// xz: whole files, with filters, several blocks, and checks of every type.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decode, decodeInto, decodeXz, decodeXzInto, inspect, nodes, UnspoolError } from './all.mjs';

const read = (name) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/xz/${name}`, import.meta.url)));
const page = read('page.csv');
const file = read('page.xz');

test('decodes files of one block, several blocks and several streams', () => {
  assert.equal(new TextDecoder().decode(decodeXz(read('unspool.xz'))), 'unspool unspool unspool');
  for (const bytes of [file, read('blocks.xz')]) {
    assert.deepEqual(decodeXz(bytes), page);
    assert.deepEqual(decode(bytes), { format: 'xz', bytes: page });
  }
  assert.deepEqual(decode(gzipSync(file)), { format: 'xz', bytes: page });
  const row = Buffer.concat([file, new Uint8Array(8), file]);
  assert.deepEqual(decodeXz(row), new Uint8Array(Buffer.concat([page, page])));
});

test('decodes into a given array', () => {
  const room = new Uint8Array(page.length + 10);
  assert.equal(decodeXzInto(file, room), page.length);
  assert.deepEqual(room.subarray(0, page.length), page);
  assert.equal(decodeInto(file, room), page.length);
  assert.throws(() => decodeXzInto(file, new Uint8Array(page.length - 1)), { name: 'OutputTooSmall', need: page.length });
});

test('refuses broken files, and stops bombs at the limit', () => {
  const bad = read('blocks.xz');
  for (const at of [0, 7, bad.length >> 1, bad.length - 3]) {
    const flipped = bad.slice();
    flipped[at] ^= 1;
    assert.throws(() => decodeXz(flipped), UnspoolError, `byte ${at}`);
    assert.ok(inspect(flipped).error instanceof UnspoolError, `byte ${at}`);
  }
  assert.throws(() => decode(file.subarray(0, file.length >> 1)), { class: 'Truncated' });
  assert.throws(() => decodeXz(file, { limits: { maxOutput: page.length - 1 } }), { name: 'OutputLimit' });
  assert.throws(() => decodeXz('text'), TypeError);
});

test('covers a file with its structure, and verifies its checks', () => {
  for (const name of ['unspool.xz', 'page.xz', 'blocks.xz']) {
    const bytes = read(name);
    const { structure, error, checksums } = inspect(bytes);
    assert.equal(error, undefined, name);
    let at = 0;
    for (const { part, start, end } of nodes(structure)) {
      if (part === undefined) continue;
      assert.equal(start, at, name);
      at = end;
    }
    assert.equal(at, bytes.length * 8, name);
    assert.ok(checksums.right > 0, name);
  }
});
