// LZMA without xz: `.lzma` files and raw streams, against what the command `xz` wrote.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LZMA_KINDS, lzmaChunks, lzmaCounts, lzmaSymbols } from 'unspool/inspect';
import { decodeLzma, decodeLzmaInto, lzmaStream } from 'unspool/lzma';
import { assertChunk, streamOf } from './unlzma.mjs';

const read = (name) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${name}`, import.meta.url)));
const page = read('xz/page.csv');
const LZMA1 = 2n ** 62n + 1n;

/** Files, and the filters of raw streams, as `tests/vectors/lzma/README.md` lists them. */
const files = [
  ['page.lzma', undefined],
  ['properties.lzma', undefined],
  ['page.lzma1', [{ id: LZMA1, preset: 6, dict_size: 65_536 }]],
  ['page.lzma1', [{ id: Number(LZMA1) }]],
  ['delta.lzma1', [{ id: 3, dist: 4 }, { id: LZMA1, preset: 0, lc: 1, lp: 3, pb: 4 }]],
  ['page.lzma2', [{ id: 33, preset: 6, dict_size: 65_536, mode: 2, nice_len: 64 }]],
  ['filters.lzma2', [{ id: 7 }, { id: 3 }, { id: 33, preset: 2 ** 31 }]],
];

test('decodes every vector, also into a given array', () => {
  for (const [name, filters] of files) {
    const file = read(`lzma/${name}`);
    assert.deepEqual(decodeLzma(file, { filters }), page, name);
    const room = new Uint8Array(page.length + 10);
    assert.equal(decodeLzmaInto(file, room, { filters }), page.length, name);
    assert.deepEqual(room.subarray(0, page.length), page, name);
    assert.throws(() => decodeLzmaInto(file, room.subarray(0, page.length - 1), { filters }), { class: 'OutputTooSmall' }, name);
    assert.throws(() => decodeLzma(file, { filters, limits: { maxOutput: page.length - 1 } }), { name: 'OutputLimit' }, name);
    for (let cut = 0; cut < file.length; cut += 37) assert.throws(() => decodeLzma(file.subarray(0, cut), { filters }), { class: 'Truncated', offset: cut }, `${name} ${cut}`);
    assert.throws(() => decodeLzma(Uint8Array.of(...file, 0), { filters }), { name: 'XzTrailing', offset: file.length }, name);
  }
});

test('decodes a stream in pieces', async () => {
  const file = read('lzma/page.lzma');
  for (const size of [1, 100, file.length]) {
    const pieces = Array.from({ length: Math.ceil(file.length / size) }, (_, at) => file.subarray(at * size, (at + 1) * size));
    assert.deepEqual(new Uint8Array(await new Response(ReadableStream.from(pieces).pipeThrough(lzmaStream())).arrayBuffer()), page);
  }
  const cut = ReadableStream.from([file.subarray(0, 500)]).pipeThrough(lzmaStream());
  await assert.rejects(new Response(cut).arrayBuffer(), { name: 'Truncated', offset: 500 });
});

test('refuses filters that do not exist or do not fit', () => {
  const decode = (...filters) => decodeLzma(read('lzma/page.lzma2'), { filters });
  const lzma2 = { id: 33 };
  for (const [chain, name] of [
    [[], 'XzFilterChain'],
    [[lzma2, { id: 3 }], 'XzFilterChain'],
    [[lzma2, lzma2], 'XzFilterChain'],
    [[{ id: 12 }, lzma2], 'XzFilter'],
    [[{ id: 3, dist: 0 }, lzma2], 'XzFilterProperties'],
    [[{ id: 3, dist: 257 }, lzma2], 'XzFilterProperties'],
    [[{ id: 7, start_offset: 2 }, lzma2], 'XzFilterProperties'],
    [[{ id: 33, dict_size: 2 ** 32 }], 'XzFilterProperties'],
    [[{ id: LZMA1, lc: 5 }], 'XzProperties'],
    [[{ id: 3 }, { id: 3 }, { id: 3 }, { id: 3 }, lzma2], 'BadArgument'],
  ]) {
    assert.throws(() => decode(...chain), { name }, JSON.stringify(chain, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
  }
  assert.throws(() => decode({ id: 33, preset: 10 }), TypeError);
  assert.throws(() => decode({ id: 33, dict_size: -1 }), TypeError);
  assert.throws(() => decode({ id: 33, dictSize: 4096 }), TypeError);
  // A header that is none.
  assert.throws(() => decodeLzma(Uint8Array.of(0xff)), { name: 'XzProperties', offset: 0 });
});

test('lists the symbols of a .lzma file, with their costs, as a plain decoder does', async () => {
  let marked = 0;
  for (const name of ['page.lzma', 'unspool.lzma']) {
    const bytes = read(`lzma/${name}`);
    const out = [];
    const expected = { ...streamOf(bytes, out), number: 0 };
    assert.deepEqual(Uint8Array.from(out), decodeLzma(bytes), name);
    const { chunks, error } = await lzmaChunks(bytes);
    assert.deepEqual([chunks.length, error], [1, undefined], name);
    await assertChunk(bytes, chunks[0], expected, { lzmaCounts, lzmaSymbols, LZMA_KINDS });
    marked += chunks[0].symbols[7];
  }
  assert.ok(marked > 0);
});
