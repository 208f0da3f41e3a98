import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect, nodeAt, nodes, outline } from './all.mjs';
import * as Name from 'unspool/names';
import { bad, read, text, valid } from './vectors.mjs';

/** Serves a sparse file of these parts, each at its offset, and counts the bytes read. */
function serve(size, parts) {
  const asked = [];
  const { fetch } = globalThis;
  globalThis.fetch = async (_, { headers }) => {
    const [start, end] = /(\d+)-(\d+)/.exec(headers.get('Range')).slice(1).map(Number);
    const bytes = new Uint8Array(Math.min(end + 1, size) - start);
    for (const [at, part] of parts) {
      for (let i = Math.max(at, start); i < Math.min(at + part.length, start + bytes.length); i++) bytes[i - start] = part[i - at];
    }
    asked.push(bytes.length);
    return new Response(bytes, { status: 206, headers: { 'Content-Range': `bytes ${start}-${start + bytes.length - 1}/${size}` } });
  };
  return { asked, restore: () => (globalThis.fetch = fetch) };
}

test('tiles every valid file with leaves', () => {
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

test('never changes the number of a name', () => {
  // A new name adds a line; no line may change.
  const golden = text('golden/names.txt').trimEnd().split('\n');
  const names = Object.entries(Name).sort(([, a], [, b]) => a - b);
  assert.deepEqual(names.map(([name, id]) => `${id} ${name}`), golden);
});

test('returns ids, names, values, parts and depths of nodes', () => {
  const { structure } = inspect(read('v1_fp16.cvc'));
  assert.deepEqual(nodeAt(structure, 0), { id: Name.Magic, name: 'magic', value: 'CVCF', part: 'framing', start: 0, end: 32, depth: 0 });
  const all = [...nodes(structure)];
  assert.equal(all.length, structure.length);
  const header = all.find(({ id }) => id === Name.Header);
  assert.equal(header.part, undefined);
  assert.deepEqual([header.start, header.end], [12 * 8, 209 * 8]);
  const rows = all.filter(({ id }) => id === Name.NumVectors);
  assert.deepEqual(rows.map(({ value, depth }) => [value, depth]), [['100', 1]]);
  const chunks = all.filter(({ id, depth }) => id === Name.Chunk && depth === 0);
  assert.deepEqual(chunks.map(({ value }) => value), ['0', '1', '2', '3']);
  assert.throws(() => nodeAt(structure, structure.length), RangeError);
  assert.throws(() => nodeAt(structure, -1), RangeError);
});

test('keeps the fields before an error, and reports its offset', () => {
  const { structure, error } = inspect(read('bad/payload_flip.cvc'));
  assert.equal(error.name, 'CvcCrc');
  assert.equal(error.class, 'Checksum');
  assert.equal(error.offset, 213);
  assert.ok([...nodes(structure)].some(({ id, start }) => id === Name.Crc32 && start === 213 * 8));
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

test('counts nodes that do not fit', () => {
  const bytes = read('v1_fp16.cvc');
  const all = inspect(bytes).structure.length;
  const { structure } = inspect(bytes, { maxNodes: 5 });
  assert.deepEqual([structure.length, structure.leftOut], [5, all - 5]);
});

test('inspects a hundred thousand chunks', () => {
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

/** Reads a vector of another format. */
const vector = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));

test('outlines the blocks of a large Zstandard file from their headers', async () => {
  const text = vector('zstd/rfc8878/text-1025.zst');
  // Two frames, with two gigabytes between them that are never read.
  const gap = new Uint8Array(8);
  new DataView(gap.buffer).setUint32(0, 0x184d2a50, true);
  new DataView(gap.buffer).setUint32(4, 2e9, true);
  const size = 2 * text.length + 8 + 2e9;
  const parts = [[0, text], [text.length, gap], [text.length + 8 + 2e9, text]];
  const { asked, restore } = serve(size, parts);
  try {
    let heard = 0;
    const found = await outline('https://example.test/large.zst', { onProgress: (done, total) => (heard = done / total) });
    const groups = [...nodes(found.structure)].filter(({ depth, part }) => depth === 0 && part === undefined);
    assert.deepEqual(groups.map(({ start, end }) => [start / 8, end / 8]), [[0, text.length], [text.length, text.length + 8 + 2e9], [text.length + 8 + 2e9, size]]);
    assert.deepEqual([found.format, found.size, found.error], ['zstd', size, undefined]);
    assert.ok(asked.reduce((sum, length) => sum + length) < 200_000, String(asked));
    assert.ok(heard > 0.9);
  } finally {
    restore();
  }
  const cut = await outline(text.subarray(0, 600));
  assert.deepEqual([cut.error.class, cut.error.offset], ['Truncated', 600]);
  assert.equal(await outline(vector('at1/c0_ssh.at1')), undefined);
  // A draft file, which its first bytes do not reveal.
  const draft = vector('zstd/draft/text-1025.zst');
  assert.equal((await outline(draft, { format: 'zstd-draft' })).error, undefined);
  await assert.rejects(outline(draft, { format: 'gzip' }), TypeError);
});

test('outlines the chunks of a CVC file from their lengths', async () => {
  const places = ({ structure }) => [...nodes(structure)].filter(({ id }) => OF_CHUNKS.includes(id)).map(({ name, value, start, end }) => [name, value, start, end]);
  const OF_CHUNKS = [Name.Magic, Name.Json, Name.Rows, Name.Chunk, Name.PayloadLength, Name.Crc32, Name.Column, Name.TrailingBytes];
  for (const entry of valid) {
    const bytes = read(entry.file);
    const [found, whole] = [await outline(new Blob([bytes, 'behind it'])), inspect(Buffer.concat([bytes, Buffer.from('behind it')]))];
    assert.deepEqual([found.format, found.error, whole.error], ['cvc', undefined, undefined], entry.name);
    assert.deepEqual(places(found), places(whole), entry.name);
  }
  const bytes = read('v1_fp16.cvc');
  for (const cut of [6, 12, 20, 600, bytes.length - 1]) {
    const [found, whole] = [await outline(bytes.subarray(0, cut)), inspect(bytes.subarray(0, cut))];
    assert.deepEqual([found.error.toJSON(), [...nodes(found.structure)]], [whole.error.toJSON(), [...nodes(whole.structure)]], `cut at ${cut}`);
  }
  const huge = await outline(bytes, { limits: { maxHeader: 10 } });
  assert.equal(huge.error.name, 'HeaderLimit');
  // A chunk of three gigabytes: only its length is read.
  const size = 3 * 2 ** 30;
  const json = Buffer.from(`{"chunks":[{"rows":${size / 4}},{"rows":0}],"compression":"fp16","dimension":2,"num_vectors":${size / 4}}`);
  const words = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer);
  const head = Buffer.concat([Buffer.from('CVCF'), words(json.length), json, words(size)]);
  const parts = [[0, head], [head.length + size, words(0)]];
  const { asked, restore } = serve(head.length + size + 4, parts);
  try {
    const found = await outline('https://example.test/large.cvc');
    assert.equal(found.error, undefined);
    const payloads = [...nodes(found.structure)].filter(({ id }) => id === Name.Values).map(({ value, start, end }) => [value, (end - start) / 8]);
    assert.deepEqual(payloads, [['fp16', size], ['fp16', 0]]);
    assert.ok(asked.reduce((sum, length) => sum + length) < 200_000, String(asked));
  } finally {
    restore();
  }
});

test('reads evenly spaced headers ahead, and no others', async () => {
  /** Builds a file of chunks with this many rows of one kilobyte. */
  const made = (rows) => {
    const json = Buffer.from(JSON.stringify({ chunks: rows.map((rows) => ({ rows })), compression: 'fp16', dimension: 512, num_vectors: rows.reduce((sum, rows) => sum + rows) }));
    const bytes = Buffer.alloc(8 + json.length + rows.reduce((sum, rows) => sum + 4 + 1024 * rows, 0));
    bytes.write('CVCF');
    bytes.writeUInt32LE(json.length, 4);
    json.copy(bytes, 8);
    let at = 8 + json.length;
    for (const count of rows) at = bytes.writeUInt32LE(1024 * count, at) + 1024 * count;
    return bytes;
  };
  const plain = globalThis.fetch;
  /** Counts the reads, and the most in flight. */
  const asked = async (bytes) => {
    let [count, going, most] = [0, 0, 0];
    globalThis.fetch = async (url, { headers }) => {
      const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.get('Range'));
      [count, going] = [count + 1, going + 1];
      most = Math.max(most, going);
      await new Promise((resolve) => setTimeout(resolve, 5));
      going--;
      return new Response(bytes.subarray(Number(start), Number(end) + 1), { status: 206, headers: { 'Content-Range': `bytes ${start}-${end}/${bytes.length}` } });
    };
    try {
      const found = await outline('https://example.test/chunks.cvc');
      assert.deepEqual([...nodes(found.structure)].map(({ start, end }) => [start, end]), [...nodes(inspect(bytes).structure)].map(({ start, end }) => [start, end]));
      return { count, most };
    } finally {
      globalThis.fetch = plain;
    }
  };
  const even = await asked(made(Array(40).fill(300)));
  assert.ok(even.most === 6 && even.count <= 42, JSON.stringify(even));
  const uneven = await asked(made(Array.from({ length: 40 }, (_, at) => 200 + 7 * at)));
  assert.ok(uneven.most === 1 && uneven.count <= 42, JSON.stringify(uneven));
});

test('outlines the blocks of an xz file from its index', async () => {
  const one = vector('xz/blocks.xz');
  for (const bytes of [one, vector('xz/page.xz'), new Uint8Array([...one, ...one])]) {
    const blocks = ({ structure }) => [...nodes(structure)].filter(({ id }) => id === Name.Block).map(({ start, end }) => [start, end]);
    const found = await outline(new Blob([bytes]));
    assert.ok(blocks(found).length > 0);
    assert.deepEqual(blocks(found), blocks(inspect(bytes)));
    const leaves = [...nodes(found.structure)].filter(({ part }) => part !== undefined);
    assert.equal(leaves.reduce((sum, { start, end }) => sum + end - start, 0), 8 * bytes.length);
  }
});

test('outlines the tables of an OnPair file from their counts', async () => {
  const bytes = vector('onpair/cpp/urls_b12.onp');
  const found = await outline(new Blob([bytes, 'behind it']));
  assert.deepEqual([found.format, found.size, found.error], ['onpair', bytes.length + 9, undefined]);
  const place = (structure, wanted) => [...nodes(structure)].filter(({ id }) => id === wanted).map(({ value, start, end }) => [value, start, end]);
  const whole = inspect(bytes).structure;
  for (const id of [Name.Magic, Name.BitsACode, Name.DictionaryLength, Name.TokenOffsetCount, Name.CodeWordCount, Name.RowOffsetCount, Name.TokenOffsets, Name.RowOffsets]) {
    assert.equal(place(whole, id).length, 1, whole.names[id]);
    assert.deepEqual(place(found.structure, id), place(whole, id), whole.names[id]);
  }
  let end = 0;
  for (const leaf of nodes(found.structure)) [, end] = [assert.equal(leaf.start, end), leaf.end];
  assert.equal(end, 8 * found.size);
  for (const cut of [8, 12, 20_000]) {
    const { error } = await outline(bytes.subarray(0, cut));
    assert.deepEqual([error.class, error.offset, error.need], ['Truncated', cut, inspect(bytes.subarray(0, cut)).error.need]);
  }
  assert.equal((await outline(Uint8Array.from(bytes, (byte, at) => (at === 8 ? 17 : byte)))).error.name, 'OnPairBits');
});

test('outlines the chunks of a Pco file one by one', async () => {
  const places = ({ structure }) => [...nodes(structure)].filter(({ id }) => [Name.Chunk, Name.Page, Name.PageOfNumbers].includes(id)).map(({ start, end }) => [start, end]);
  const short = vector('pco/assets/v1_0_0_conv1.pco');
  // A million 64-bit numbers in one bin, stored as they are: more than one read.
  const chunk = Buffer.concat([Buffer.from('02feff0f00100000000000000000000002', 'hex'), Buffer.alloc(8 * 0x0fffff, 1)]);
  const long = Buffer.concat([Buffer.from('70636f21020003', 'hex'), chunk, chunk, Buffer.from([0]), Buffer.from('behind it')]);
  for (const bytes of [short, long]) {
    const [found, whole] = [await outline(new Blob([bytes])), inspect(bytes)];
    assert.deepEqual([found.error, whole.error], [undefined, undefined]);
    assert.deepEqual(places(found), places(whole));
    const leaves = [...nodes(found.structure)].filter(({ part }) => part !== undefined);
    assert.equal(leaves.reduce((sum, { start, end }) => sum + end - start, 0), 8 * bytes.length);
  }
  // With a small node budget, every chunk is still listed.
  const few = await outline(long, { maxNodes: 30 });
  assert.deepEqual([few.structure.leftOut, places(few).length], [0, 4]);
  for (const bytes of [long.subarray(0, -30), short.subarray(0, 1000), long.map((byte, at) => (at === 7 ? 99 : byte))]) {
    const [found, whole] = [await outline(bytes), inspect(bytes)];
    assert.deepEqual(found.error.toJSON(), { ...whole.error.toJSON(), part: found.error.part });
  }
});
