// gzip around files of any format.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { constants, gzipSync } from 'node:zlib';
import { decode, decodeGzip, decodeGzipInto, decodeInto, decodeOnPair, gzipBlocks, gzipCodes, gzipSymbols, inspect, nodes } from './all.mjs';
import { blocksOf } from './inflate.mjs';

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

/** Text and noise of 300 KB, which encoders divide into many blocks. */
const mixed = (() => {
  const words = 'the symbols of a block each have bits and a place in the content'.split(' ');
  let state = 34;
  const next = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) >>> 16;
  const text = Array.from({ length: 40_000 }, () => words[next() % words.length]).join(' ');
  return Buffer.concat([Buffer.from(text), Buffer.from(Array.from({ length: 70_000 }, () => next() & 255))]);
})();

test('lists the blocks and symbols of DEFLATE as a plain reader does', async () => {
  const files = [
    ...[0, 1, 6, 9].map((level) => gzipSync(mixed, { level })),
    gzipSync(mixed, { strategy: constants.Z_FIXED }), gzipSync(mixed, { strategy: constants.Z_HUFFMAN_ONLY }), gzipSync('', {}), wrapped,
  ];
  const seen = new Set();
  for (const file of files) {
    const expected = blocksOf(file, inspect(file).structure.start[[...nodes(inspect(file).structure)].findIndex(({ name }) => name === 'deflate')] / 8);
    const { blocks, hasMore, error } = await gzipBlocks(file);
    assert.deepEqual([blocks.length, hasMore, error], [expected.length, false, undefined]);
    const content = decodeGzip(file);
    let at = 0;
    for (const [index, block] of blocks.entries()) {
      const { symbols, lengths, ...plain } = expected[index];
      seen.add(block.type);
      assert.deepEqual({ start: block.start, data: block.data, end: block.end, type: block.type, isLast: block.isLast }, plain);
      const matches = symbols.filter(({ length }) => length > 0);
      const literals = symbols.filter(({ literal }) => literal !== undefined);
      assert.deepEqual([block.literals, block.matches, block.content.start, block.member], [literals.length, matches.length, at, 0]);
      const found = await gzipSymbols(file, block, { start: 0, end: symbols.length });
      assert.deepEqual([...found.starts], symbols.map(({ start }) => start));
      assert.deepEqual([...found.ends], symbols.map(({ end }) => end));
      assert.deepEqual([...found.lengths], symbols.map(({ length = 0, stored = 0 }) => length + stored));
      assert.deepEqual([...found.values], symbols.map(({ literal, distance, ended }) => literal ?? distance ?? (ended ? 256 : 0)));
      symbols.forEach(({ literal, length = 0, stored = 0, distance }, symbol) => {
        assert.equal(found.places[symbol], at);
        if (literal !== undefined) assert.equal(content[at++], literal);
        else {
          if (length > 0) assert.equal(content[at], content[at - distance]);
          at += length + stored;
        }
      });
      assert.equal(block.content.end, at);
      // Any page of the list is a part of it, also beyond its end.
      const middle = symbols.length >> 1;
      assert.deepEqual((await gzipSymbols(file, block, { start: middle, end: middle + 3 })).starts, found.starts.subarray(middle, middle + 3));
      assert.equal((await gzipSymbols(file, block, { start: symbols.length, end: symbols.length + 9 })).starts.length, 0);
      const codes = await gzipCodes(file, block);
      const used = (of) => {
        const counts = new Float64Array(of.length);
        of.forEach((_, symbol) => (counts[symbol] = symbols.filter((one) => (of.length === 288 ? (one.literal ?? one.symbol ?? (one.ended ? 256 : -1)) : one.code) === symbol).length));
        return counts;
      };
      if (symbols.length < 100 || index === 0) {
        assert.deepEqual(codes.literalCounts, used(codes.literalLengths));
        assert.deepEqual(codes.distanceCounts, used(codes.distanceLengths));
      }
      const padded = (list, length) => Uint8Array.from({ length }, (_, symbol) => list?.[symbol] ?? 0);
      assert.deepEqual([codes.literalLengths, codes.distanceLengths], [padded(lengths[0], 288), padded(lengths[1], 32)]);
    }
    assert.equal(at, content.length);
  }
  assert.deepEqual([...seen].sort(), ['dynamic', 'fixed', 'stored']);
});

test('lists blocks of several members, up to a limit or an error', async () => {
  const file = read('gzip/two_members.gz');
  assert.deepEqual((await gzipBlocks(new Blob([file]))).blocks.map(({ member, isLast }) => [member, isLast]), [[0, true], [1, true]]);
  const large = gzipSync(mixed, { level: 1 });
  const { blocks } = await gzipBlocks(large);
  assert.ok(blocks.length > 3);
  const few = await gzipBlocks(large, { maxBlocks: 2 });
  assert.deepEqual(few, { blocks: blocks.slice(0, 2), hasMore: true, error: undefined });
  assert.equal((await gzipBlocks(large, { maxBlocks: blocks.length })).hasMore, false);
  const cut = await gzipBlocks(large.subarray(0, large.length - 9));
  assert.deepEqual([cut.blocks, cut.error?.name, cut.error?.offset], [blocks.slice(0, -1), 'Truncated', large.length - 9]);
  // A longer header than a piece, and pieces of a caller.
  const name = Buffer.alloc(3 * 2 ** 20, 'n');
  const headed = Buffer.concat([large.subarray(0, 3), Buffer.from([8]), large.subarray(4, 10), name, Buffer.from([0]), large.subarray(10)]);
  const reads = [];
  const source = { size: headed.length, read: ({ start, end }) => (reads.push(end - start), headed.subarray(start, end)) };
  assert.equal((await gzipBlocks(source)).blocks.length, blocks.length);
  assert.ok(reads.length > 2 && Math.max(...reads) <= 4 * 2 ** 20, String(reads));
  await assert.rejects(gzipSymbols(Uint8Array.of(7), { start: 0, content: blocks[0].content }, { start: 0, end: 1 }), { name: 'GzipDeflate' });
  await assert.rejects(gzipBlocks(large, { maxBlocks: -1 }), TypeError);
  await assert.rejects(gzipCodes(large, { start: NaN, content: blocks[0].content }), TypeError);
  await assert.rejects(gzipBlocks(large, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});
