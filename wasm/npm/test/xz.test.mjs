// xz: whole files, with filters, several blocks, and checks of every type.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decode, decodeInto, decodeXz, decodeXzInto, inspect, LZMA_KINDS, lzmaChunks, lzmaCounts, lzmaSymbols, nodes, UnspoolError } from './all.mjs';
import { assertChunk, chunksOf } from './unlzma.mjs';

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

test('lists the chunks and symbols of LZMA2, with their costs, as a plain decoder does', async () => {
  const seen = new Map();
  for (const name of ['page.xz', 'blocks.xz', 'unspool.xz']) {
    const bytes = read(name);
    const out = [];
    const starts = [...nodes(inspect(bytes).structure)].filter(({ name }) => name === 'chunk').map(({ start }) => start / 8);
    const expected = [];
    for (const start of starts) if (start >= (expected.at(-1)?.end ?? 0)) expected.push(...chunksOf(bytes, start, out).map((chunk, number) => ({ ...chunk, number })));
    // Filters are not undone.
    if (name !== 'blocks.xz') assert.deepEqual(Uint8Array.from(out), decodeXz(bytes));
    const { chunks, hasMore, error } = await lzmaChunks(bytes);
    assert.deepEqual([chunks.length, hasMore, error], [expected.length, false, undefined]);
    for (const [index, chunk] of chunks.entries()) await assertChunk(bytes, chunk, expected[index], { lzmaCounts, lzmaSymbols, LZMA_KINDS });
    for (const { symbols } of expected) for (const { kind } of symbols) seen.set(kind, (seen.get(kind) ?? 0) + 1);
    assert.deepEqual((await lzmaChunks(new Blob([bytes]), { maxChunks: chunks.length - 1 })), { chunks: chunks.slice(0, -1), hasMore: true, error: undefined });
    const cut = await lzmaChunks(bytes.subarray(0, chunks.at(-1).end - 1));
    assert.deepEqual([cut.chunks, cut.error?.name], [chunks.slice(0, -1), 'Truncated']);
  }
  assert.ok(seen.get('literal') > 100 && seen.get('match') > 100 && seen.get('rep0') > 0, JSON.stringify([...seen]));
  await assert.rejects(lzmaChunks(new Uint8Array(40)), { name: 'UnknownFormat' });
  await assert.rejects(lzmaChunks(gzipSync('text')), TypeError);
  await assert.rejects(lzmaSymbols(file, { block: -1, blockContent: 0, number: 0 }, { start: 0, end: 1 }), TypeError);
});
