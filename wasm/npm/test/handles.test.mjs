// What an error and a handle say of themselves.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode, decodeCvc, inspect, openCvc, openOnPair, UnspoolError } from 'unspool';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));

test('an error tells in which part of the structure it lies', () => {
  const broken = read('cvc/bad/payload_flip.cvc');
  assert.throws(() => decode(broken), { name: 'CvcCrc', part: 'chunk 0' });
  assert.equal(inspect(broken).error.part, 'chunk 0');
  assert.equal(inspect(broken).error.toJSON().part, 'chunk 0');
  const pco = read('pco/k_u32_arange.pco');
  assert.throws(() => decode(pco.subarray(0, pco.length - 2)), ({ part }) => /^page › page metadata/.test(part));
  // What is wrong with the call is in no part of the file.
  assert.throws(() => decodeCvc(read('cvc/v1_int8.cvc'), { column: 'nobody' }), { name: 'CvcNoSuchColumn', part: undefined });
  assert.throws(() => decode(new Uint8Array([1, 2, 3])), ({ name, part }) => name === 'UnknownFormat' && part === undefined);
});

test('an error survives as plain data', () => {
  const { error } = inspect(read('cvc/bad/payload_flip.cvc'));
  const again = UnspoolError.from(JSON.parse(JSON.stringify(error)));
  assert.ok(again instanceof UnspoolError);
  assert.deepEqual(again.toJSON(), error.toJSON());
});

test('handles can be disposed of, and come back when they are used again', async () => {
  const column = openOnPair(read('onpair/cpp/urls_b12.onp'));
  const first = column.text(0);
  column[Symbol.dispose]();
  assert.equal(column.text(0), first);
  const file = await openCvc(read('cvc/v1_lossless_med.cvc'));
  const rows = await file.column().rows(0, 3);
  file[Symbol.dispose]();
  assert.deepEqual(await file.column().rows(0, 3), rows);
});
