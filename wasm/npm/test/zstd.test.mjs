// Zstandard: whole files of all three flavours, with and without dictionaries.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import {
  decode, decodeInto, decodeZstd, decodeZstdInto, inspect, nodes, UnspoolError, zstdBlockLengths, zstdCodeLengths, zstdFormat, zstdHeader, zstdLiterals, zstdSequences, zstdStateCounts,
} from './all.mjs';
import * as Name from 'unspool/names';

const folder = new URL('../../../tests/vectors/zstd/', import.meta.url);
const read = (path) => new Uint8Array(readFileSync(new URL(path, folder)));
const { files } = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** The vectors that decode quickly. */
const small = files.filter(({ orig_size }) => orig_size < 5e6);

test('decodes and detects every vector, with its dictionary', () => {
  const formats = new Set();
  for (const { file, variant, sha256, dict } of small) {
    const dictionary = dict === null ? undefined : read(dict);
    const bytes = read(file);
    assert.equal(hash(decodeZstd(bytes, dictionary && { dictionary })), sha256, file);
    const decoded = decode(bytes, dictionary && { dictionary });
    assert.equal(hash(decoded.bytes), sha256, file);
    formats.add(decoded.format);
    if (!file.includes('skip-only')) assert.equal(hash(decodeZstd(bytes, { format: variant, ...(dictionary && { dictionary }) })), sha256, file);
  }
  assert.deepEqual([small.length, files.length], [657, 659]);
  assert.ok(formats.has('zstd') && formats.has('zstd-v07'));
});

test('unwraps gzip, and decodes into a given array', () => {
  const { file, sha256, orig_size } = small.find(({ dict, orig_size }) => dict === null && orig_size > 1000);
  const bytes = read(file);
  assert.equal(hash(decode(gzipSync(bytes)).bytes), sha256);
  const room = new Uint8Array(orig_size + 10);
  assert.equal(decodeZstdInto(bytes, room), orig_size);
  assert.equal(hash(room.subarray(0, orig_size)), sha256);
  assert.equal(decodeInto(bytes, room), orig_size);
  assert.throws(() => decodeZstdInto(bytes, new Uint8Array(orig_size - 1)), { name: 'OutputTooSmall' });
});

test('detects the flavour of a file', () => {
  // Skippable frames do not show a flavour.
  for (const { file, variant } of small.filter(({ file }) => !file.includes('skip-'))) assert.equal(zstdFormat(read(file)), variant, file);
  assert.equal(zstdFormat(new Uint8Array([1, 2, 3, 4])), undefined);
});

test('reads headers without decoding', () => {
  const single = small.filter(({ frames }) => frames === 1);
  let frames = 0;
  for (const { file, variant, orig_size, features } of single) {
    const header = zstdHeader(read(file).subarray(0, 18), { format: variant });
    if (header.kind === 'skippable') continue;
    frames++;
    assert.equal(header.hasChecksum, features.includes('checksum.yes'), file);
    assert.ok(header.size === undefined || header.size === orig_size, file);
    assert.ok(header.headLength <= 18, file);
  }
  assert.deepEqual([frames, single.length], [650, 652]);
  const skippable = new Uint8Array([0x53, 0x2a, 0x4d, 0x18, 2, 1, 0, 0]);
  assert.deepEqual(zstdHeader(skippable), { kind: 'skippable', headLength: 8, variant: 3, skipped: 258, size: 0 });
  assert.throws(() => zstdHeader(skippable.subarray(0, 7)), { class: 'Truncated' });
});

test('refuses broken files, and stops bombs at the limit', async () => {
  const { file, orig_size } = small.find(({ variant, dict, features }) => variant === 'zstd' && dict === null && features.includes('checksum.yes') && features.includes('blk.comp'));
  const bytes = read(file);
  const bad = bytes.slice();
  bad[bad.length - 1] ^= 1;
  assert.throws(() => decodeZstd(bad), { name: 'ZstdChecksum', class: 'Checksum', offset: bad.length - 4, part: 'frame 0 › checksum' });
  assert.ok(inspect(bad).error instanceof UnspoolError && inspect(bad).error.name === 'ZstdChecksum');
  assert.throws(() => decode(bytes.subarray(0, bytes.length >> 1)), { class: 'Truncated' });
  assert.throws(() => decodeZstd(bytes, { limits: { maxOutput: orig_size - 1 } }), { name: 'OutputLimit' });
  assert.throws(() => decodeZstd(new TextEncoder().encode('no such file')), UnspoolError);
  assert.throws(() => decodeZstd('text'), TypeError);
  assert.throws(() => decodeZstd(bytes, { format: 'zstd-0.7' }), TypeError);
  const needing = small.find(({ dict, features }) => dict !== null && features.includes('did.1b'));
  assert.throws(() => decodeZstd(read(needing.file)), UnspoolError);
  assert.throws(() => decodeZstd(read(needing.file), { dictionary: new Uint8Array(8) }), UnspoolError);
  for (const call of [zstdSequences, zstdLiterals]) await assert.rejects(call(read(needing.file), 0), { name: 'ZstdDictionaryWanted' });
  await assert.rejects(zstdBlockLengths(read(needing.file)), { name: 'ZstdDictionaryWanted' });
  const empty = new Uint8Array();
  assert.throws(() => decodeZstd(empty), { class: 'Truncated' });
});

test('covers a file with its structure, and verifies its checksums', () => {
  for (const { file, features } of small.filter(({ dict }) => dict === null).slice(0, 40)) {
    const bytes = read(file);
    const { structure, error, checksums } = inspect(bytes);
    assert.equal(error, undefined, file);
    let at = 0;
    for (const { part, start, end } of nodes(structure)) {
      if (part === undefined) continue;
      assert.equal(start, at, file);
      at = end;
    }
    assert.equal(at, bytes.length * 8, file);
    if (features.includes('checksum.yes')) assert.ok(checksums.right > 0, file);
  }
});

test('returns the bits of every sequence and literal, and the length of every block', async () => {
  let [coded, sequential] = [0, 0];
  const files = small.filter(({ dict, frames, orig_size }) => dict === null && frames === 1 && orig_size < 300_000).slice(0, 60);
  for (const { file } of files) {
    const bytes = read(file);
    const format = zstdFormat(bytes);
    const content = decodeZstd(bytes);
    const all = [...nodes(inspect(bytes).structure)];
    const blocks = all.filter(({ id, part, value }) => id === Name.Block && part === undefined && value === 'compressed');
    const lengths = await zstdBlockLengths(bytes, { format });
    assert.equal(lengths.length, blocks.length, file);
    const plain = all.filter(({ id }) => id === Name.RawBytes).reduce((sum, { start, end }) => sum + (end - start) / 8, 0);
    const sum = lengths.reduce((sum, length) => sum + length, plain);
    if (!all.some(({ id, part }) => id === Name.Byte && part === 'data')) assert.equal(sum, content.length, file);
    // Blocks are counted with those that are not compressed.
    const numbers = all.filter(({ id, part }) => id === Name.Block && part === undefined).flatMap(({ value }, at) => (value === 'compressed' ? [at] : []));
    for (const [at, block] of numbers.slice(0, 3).entries()) {
      const within = all.filter(({ start, end }) => start >= blocks[at].start && end <= blocks[at].end);
      const bitsOf = (id) => within.filter((node) => node.id === id && node.part !== undefined).map(({ start, end }) => [start, end]);
      const { starts, ends, literalLengths, matchLengths } = await zstdSequences(bytes, block, { format });
      const literals = await zstdLiterals(bytes, block, { format });
      const holds = ([first, last], streams) => streams.some(([start, end]) => start <= first && last <= end);
      // Sequences follow each other from the end of their bits to the start.
      const [stream] = bitsOf(Name.SequenceBits);
      starts.forEach((start, index) => {
        assert.ok(holds([start, ends[index]], [stream]), `${file}: sequence ${index}`);
        assert.equal(ends[index + 1] ?? stream[0], index + 1 < ends.length ? start : stream[0]);
      });
      if (starts.length > 0) assert.equal(starts.at(-1), stream[0], file);
      sequential += starts.length;
      const streams = bitsOf(Name.HuffmanStream);
      literals.starts.forEach((start, index) => assert.ok(holds([start, literals.ends[index]], streams), `${file}: literal ${index}`));
      const count = lengths[at] - matchLengths.reduce((sum, length) => sum + length, 0);
      assert.equal(literals.starts.length, streams.length > 0 ? count : 0, file);
      assert.ok(literalLengths.reduce((sum, length) => sum + length, 0) <= count, file);
      coded += literals.starts.length;
    }
  }
  assert.ok(files.length >= 30 && coded > 10_000 && sequential > 1000, `${files.length} ${coded} ${sequential}`);
});

test('returns sequences that rebuild the content, and code lengths that fill their space', async () => {
  const file = read('rfc8878/text-1025.zst');
  const text = decodeZstd(file);
  const { literalLengths, matchLengths, offsets } = await zstdSequences(file, 0);
  assert.ok(offsets.length > 20);
  let at = 0;
  offsets.forEach((offset, sequence) => {
    at += literalLengths[sequence];
    const end = at + matchLengths[sequence];
    assert.deepEqual(text.subarray(at, end), text.subarray(at - offset, end - offset), `${sequence}`);
    at = end;
  });
  assert.ok(at <= text.length);
  // The input may end after the block, but not before it.
  assert.deepEqual((await zstdSequences(file.subarray(0, file.length - 4), 0)).offsets, offsets);
  await assert.rejects(zstdSequences(file.subarray(0, 8), 0), { name: 'Truncated' });

  const tables = [...nodes(inspect(file).structure)].filter(({ part, start, end }) => part === 'table' && end - start > 8);
  for (const { id, value, start, end } of tables) {
    const description = file.subarray(start / 8, end / 8);
    if (id === Name.HuffmanCode) {
      const lengths = await zstdCodeLengths(description);
      assert.equal(lengths.reduce((sum, length) => sum + (length > 0 ? 2 ** -length : 0), 0), 1);
    } else assert.equal((await zstdStateCounts(description)).reduce((sum, count) => sum + Math.abs(count), 0), 2 ** Number(value));
  }
  assert.ok(tables.length >= 3);
  await assert.rejects(zstdCodeLengths(new Uint8Array(2)), { name: 'ZstdTree' });
  await assert.rejects(zstdStateCounts(Uint8Array.of(15)), { name: 'ZstdTable' });
});

test('inspects a frame half a gibibyte into a file, past 32-bit bit offsets', () => {
  const entry = files.find(({ variant, dict, features }) => variant === 'zstd' && dict === null && features.includes('huf.tree.fse'));
  const frame = read(entry.file);
  const skipped = 2 ** 29 + 10;
  const deep = new Uint8Array(8 + skipped + frame.length);
  const head = new DataView(deep.buffer);
  head.setUint32(0, 0x184d2a50, true);
  head.setUint32(4, skipped, true);
  deep.set(frame, 8 + skipped);
  assert.equal(hash(decodeZstd(deep)), entry.sha256);
});
