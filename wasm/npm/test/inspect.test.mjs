import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect, nodeAt, nodes } from 'unspool';
import { bad, read, valid } from './vectors.mjs';

test('leaves tile every valid file', () => {
  for (const entry of valid) {
    const { format, size, structure, error, checksums } = inspect(read(entry.file));
    assert.equal(format, 'cvc');
    assert.equal(size, entry.size);
    assert.equal(error, undefined, entry.name);
    assert.equal(structure.leftOut, 0);
    assert.equal(checksums.right + checksums.unchecked, entry.num_chunks);
    const leaves = [...nodes(structure)].filter(({ part, start, end }) => part !== undefined && end > start);
    leaves.sort((a, b) => a.start - b.start);
    let at = 0;
    for (const { start, end } of leaves) {
      assert.equal(start, at, entry.name);
      at = end;
    }
    assert.equal(at, size * 8, entry.name);
  }
});

test('nodes have names, values, parts and depth', () => {
  const { structure } = inspect(read('v1_fp16.cvc'));
  assert.deepEqual(nodeAt(structure, 0), { name: 'magic', value: 'CVCF', part: 'framing', start: 0, end: 32, depth: 0 });
  const all = [...nodes(structure)];
  assert.equal(all.length, structure.length);
  const header = all.find(({ name }) => name === 'header');
  assert.equal(header.part, undefined);
  assert.deepEqual([header.start, header.end], [12 * 8, 209 * 8]);
  const rows = all.filter(({ name }) => name === 'num_vectors');
  assert.deepEqual(rows.map(({ value, depth }) => [value, depth]), [['100', 1]]);
  const chunks = all.filter(({ name, depth }) => name === 'chunk' && depth === 0);
  assert.deepEqual(chunks.map(({ value }) => value), ['0', '1', '2', '3']);
  assert.throws(() => nodeAt(structure, structure.length), RangeError);
  assert.throws(() => nodeAt(structure, -1), RangeError);
});

test('a broken file keeps the part that was understood, and says where it breaks', () => {
  const { structure, error } = inspect(read('bad/payload_flip.cvc'));
  assert.equal(error.name, 'CvcCrc');
  assert.equal(error.class, 'Checksum');
  assert.equal(error.offset, 213);
  assert.ok([...nodes(structure)].some(({ name, start }) => name === 'crc-32' && start === 213 * 8));
  for (const { file } of bad) {
    const bytes = read(`bad/${file}`);
    const found = inspect(bytes);
    for (const { start, end } of nodes(found.structure)) assert.ok(start <= end && end <= bytes.length * 8, file);
  }
  const garbage = inspect(new TextEncoder().encode('GIF89a'));
  assert.equal(garbage.format, undefined);
  assert.equal(garbage.error.name, 'UnknownFormat');
  assert.equal(garbage.structure.length, 0);
});

test('nodes that do not fit are counted', () => {
  const bytes = read('v1_fp16.cvc');
  const all = inspect(bytes).structure.length;
  const { structure } = inspect(bytes, { maxNodes: 5 });
  assert.deepEqual([structure.length, structure.leftOut], [5, all - 5]);
});

test('a hundred thousand chunks', () => {
  const chunks = Array(100_000).fill('{"rows":1}').join(',');
  const json = `{"chunks":[${chunks}],"compression":"fp16","dimension":0,"num_vectors":100000}`;
  const bytes = new Uint8Array(12 + json.length + 8 * 100_000);
  bytes.set(new TextEncoder().encode('CVCF\x01\0\0\0'));
  new DataView(bytes.buffer).setUint32(8, json.length, true);
  bytes.set(new TextEncoder().encode(json), 12);
  const { structure, error } = inspect(bytes);
  assert.equal(error, undefined);
  assert.ok(structure.length > 500_000 && structure.leftOut === 0, `${structure.length}`);
  const last = nodeAt(structure, structure.length - 1);
  assert.equal(last.end, bytes.length * 8);
});
