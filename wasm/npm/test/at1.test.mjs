// AT-1: whole files, bundles and queries.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { at1Text, decode, decodeAt1, decodeAt1Files, decodeAt1Into, decodeInto, describeAt1, inspect, nodes, queryAt1, UnspoolError } from './all.mjs';

const folder = new URL('../../../tests/vectors/at1/', import.meta.url);
const read = (name) => new Uint8Array(readFileSync(new URL(`${name}.at1`, folder)));
const { queries } = JSON.parse(readFileSync(new URL('queries.json', folder), 'utf8'));
const hash = (rows) => createHash('sha256').update(rows).digest('hex');
const joined = (rows) => Buffer.from(rows.map((row) => row.join('\t')).join('\n'), 'utf8');

const original = (name) => new URL(`${name}.orig`, folder);
/** The vectors with an original; the other files of the folder are for queries. */
const names = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')).vectors.map(({ name }) => name);

test('decodes every vector, and its structure covers the file', () => {
  for (const name of names) {
    const [bytes, expected] = [read(name), new Uint8Array(readFileSync(original(name)))];
    assert.deepEqual(decodeAt1(bytes), expected, name);
    assert.deepEqual(decode(bytes), { format: 'at1', files: [{ name: '', bytes: expected }] }, name);
    const { structure, error } = inspect(bytes);
    assert.equal(error, undefined, name);
    let at = 0;
    for (const { part, start, end } of nodes(structure)) {
      if (part === undefined) continue;
      assert.equal(start, at, name);
      at = end;
    }
    assert.equal(at, bytes.length * 8, name);
  }
  assert.equal(names.length, 183);
});

test('decodes every table to text by row group, including lines between rows', async () => {
  const pieces = async (source, options) => {
    const found = [];
    for await (const piece of at1Text(source, options)) found.push(piece);
    return found;
  };
  let tables = 0;
  for (const name of names) {
    const bytes = read(name);
    const found = await pieces(bytes).catch((error) => error.name);
    // Other codecs have no row groups.
    if (found === 'At1NotQueryable' || found === 'At1QueryFrames') continue;
    assert.deepEqual(Buffer.concat(found), readFileSync(original(name)), name);
    tables++;
  }
  assert.equal(tables, 52);
  const bytes = read('c8_events');
  const whole = await pieces(new Blob([bytes]));
  assert.equal(whole.length, (await describeAt1(bytes)).groupCount);
  const { length } = decodeAt1(bytes);
  // The limit applies to each piece, not to their sum.
  assert.equal((await pieces(bytes, { limits: { maxOutput: length / 2 } })).length, whole.length);
  await assert.rejects(pieces(bytes, { limits: { maxOutput: 1000 } }), { name: 'OutputLimit' });
  // Pieces of a broken file that were returned before the error are a prefix of the text.
  const trailer = (hash) => new Uint8Array([...bytes, ...hash, 0xa1, 0x53, 0x36, 0x01]);
  const right = createHash('sha256').update(decodeAt1(bytes)).digest();
  assert.equal((await pieces(trailer(right))).length, whole.length);
  const wrong = trailer(new Uint8Array(32));
  const before = [];
  await assert.rejects(async () => {
    for await (const piece of at1Text(wrong)) before.push(piece);
  }, { name: 'At1Hash', class: 'Checksum' });
  assert.equal(before.length, whole.length - 1);
  await assert.rejects(pieces(bytes.subarray(0, 5000)), { class: 'Truncated' });
  // A consumer that stops early leaves no handle open.
  for await (const piece of at1Text(bytes)) {
    assert.deepEqual(piece, whole[0]);
    break;
  }
});

test('reports the errors in the manifest, and stops bombs at the limit', () => {
  const bytes = read('c8_events');
  const { length } = decodeAt1(bytes);
  assert.throws(() => decodeAt1(bytes, { limits: { maxOutput: length - 1 } }), { name: 'OutputLimit' });
  assert.throws(() => decodeAt1(bytes.subarray(0, 100)), UnspoolError);
  assert.throws(() => decodeAt1(new TextEncoder().encode('no such file')), UnspoolError);
  assert.throws(() => decodeAt1('text'), TypeError);
  const ended = { right: 0, reject: 0, limit: 0, either: 0 };
  for (const { name, expect, ...opinions } of JSON.parse(readFileSync(new URL('bad/manifest.json', folder), 'utf8')).vectors) {
    const bad = new Uint8Array(readFileSync(new URL(`bad/${name}.at1`, folder)));
    try {
      const { files } = decode(bad);
      const known = [opinions.reference_out_sha256, opinions.python_out_sha256];
      assert.ok(expect === 'either' && known.includes(hash(files[0].bytes)), `${name} is accepted`);
      ended.right++;
    } catch (error) {
      assert.ok(error instanceof UnspoolError && error.class !== 'Internal', `${name}: ${error}`);
      if (expect === 'limit') assert.equal(error.class, 'Limit', name);
      assert.ok(inspect(bad).error instanceof UnspoolError, name);
      ended[expect]++;
    }
  }
  assert.deepEqual(ended, { right: 8, reject: 150, limit: 2, either: 29 });
});

const varint = (number) => (number < 128 ? [number] : [(number & 127) | 128, ...varint(number >> 7)]);
const utf8 = (text) => [...new TextEncoder().encode(text)];

/** Builds a file of stored streams. */
function at1(codec, streams) {
  const string = (bytes) => [...varint(bytes.length), ...bytes];
  return Uint8Array.from([65, 84, 49, 2, codec, ...varint(streams.length), ...streams.flatMap(([name, bytes]) => [...string(utf8(name)), 2, ...string(bytes)])]);
}

test('decodes a bundle to named files', () => {
  const raw = (text) => [65, 84, 49, 2, 255, 2, ...utf8(text)];
  const manifest = utf8('[{"name":"a.txt"},{"name":"b/\u00fc.txt"}]');
  const bundle = at1(12, [['manifest', manifest], ['e0', raw('one')], ['e1', raw('second')]]);
  const expected = [['a.txt', 'one'], ['b/\u00fc.txt', 'second']].map(([name, text]) => ({ name, bytes: new TextEncoder().encode(text) }));
  assert.deepEqual(decodeAt1Files(bundle), expected);
  assert.deepEqual(decode(gzipSync(bundle)), { format: 'at1', files: expected });
  assert.throws(() => decodeAt1(bundle), { name: 'At1BundleWhole' });
  assert.throws(() => decodeAt1Files(bundle, { limits: { maxOutput: 8 } }), { class: 'Limit' });
  const outside = at1(12, [['manifest', utf8('[{"name":"../a"}]')], ['e0', raw('one')]]);
  assert.throws(() => decodeAt1Files(outside), { name: 'At1UnsafeName' });
  assert.equal(inspect(bundle).error, undefined);
});
/** The queries whose files are in the repository. */
const known = queries.filter(({ vector }) => vector !== 'big_c7_trades');

const options = (query) => ({
  where: query.where
    .filter(({ eq }) => eq === undefined)
    .map(({ col, lo, hi }) => ({ column: col, from: lo ?? undefined, to: hi ?? undefined })),
  eq: query.where.filter(({ eq }) => eq !== undefined).map(({ col, eq }) => ({ column: col, value: eq })),
});

test('answers every query vector from memory and from a Blob', async () => {
  assert.equal(known.length, 10);
  for (const query of known) {
    const bytes = read(query.vector);
    for (const source of [bytes, new Blob([bytes])]) {
      const { rows, count, stats } = await queryAt1(source, { ...options(query), select: query.select });
      assert.equal(count, query.n_rows);
      assert.equal(hash(joined(rows)), query.rows_tsv_sha256, query.vector);
      assert.ok(stats.blockBytesRead <= query.block_bytes_read);
      const lines = await queryAt1(source, { ...options(query), lines: true });
      assert.equal(hash(joined(lines.rows)), query.full_lines_sha256, query.vector);
      assert.equal((await queryAt1(source, { ...options(query), count: true })).count, query.n_rows);
    }
  }
});

test('queries by name, as bytes, with sums and with a limit', async () => {
  const file = read('c8_events');
  const { rows } = await queryAt1(file, { select: ['ts', 'type'], limit: 2 });
  assert.equal(rows.length, 2);
  const whole = await queryAt1(file);
  assert.deepEqual(rows, whole.rows.slice(0, 2).map(([type, ts]) => [ts, type]));
  const sum = whole.rows.reduce((sum, [, ts]) => sum + BigInt(ts), 0n);
  assert.equal((await queryAt1(file, { sum: 'ts' })).result, String(sum));
  const smallest = whole.rows.map(([, ts]) => BigInt(ts)).reduce((a, b) => (b < a ? b : a));
  assert.equal((await queryAt1(file, { min: 1 })).result, String(smallest));
  assert.equal((await queryAt1(file, { max: 'ts', where: [{ column: 'ts', to: smallest }] })).result, String(smallest));
  assert.equal((await queryAt1(file, { max: 'ts', where: [{ column: 'ts', to: -1 }] })).result, undefined);
  const [[value]] = (await queryAt1(file, { select: [0], limit: 1, as: 'bytes' })).rows;
  assert.deepEqual(value, new TextEncoder().encode(whole.rows[0][0]));
});

test('reads only the head and the needed blocks from a server', async () => {
  const bytes = read('c7_wide');
  const ranges = [];
  const server = createServer((request, response) => {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range);
    const last = Math.min(Number(end), bytes.length - 1);
    ranges.push([Number(start), last + 1]);
    response.writeHead(206, { 'Content-Range': `bytes ${start}-${last}/${bytes.length}` });
    response.end(bytes.subarray(Number(start), last + 1));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const url = `http://127.0.0.1:${server.address().port}/table.at1`;
    const { rows } = await queryAt1(url, { select: [3, 249] });
    assert.deepEqual(rows, (await queryAt1(bytes, { select: [3, 249] })).rows);
    assert.ok(ranges.length > 1);
  } finally {
    server.close();
  }
});

test('refuses invalid queries', async () => {
  const file = read('c8_events');
  const kind = async (options, source = file) => {
    try {
      await queryAt1(source, options);
    } catch (error) {
      return error.name;
    }
    return undefined;
  };
  assert.equal(await kind({ select: ['nothing'] }), 'At1NoSuchColumn');
  assert.equal(await kind({ select: [3] }), 'At1NoSuchColumn');
  assert.equal(await kind({ where: [{ column: 'ts', from: 'soon' }] }), 'At1QueryNumber');
  assert.equal(await kind({}, read('c8_events').subarray(0, 100)), 'Truncated');
  assert.equal(await kind({}, Uint8Array.of(65, 84, 49, 2, 4, 0)), 'At1NotQueryable');
  assert.equal(await kind({ limits: { maxOutput: 10 } }), 'OutputLimit');
  // A misspelt name would be ignored, and the result would answer another query.
  const misspelt = [{ were: [] }, { where: [{ column: 'ts', form: 1 }] }, { eq: [{ column: 'ts', values: 1 }] }];
  for (const wrong of [...misspelt, { sum: 0, count: true }, { limit: -1 }, { select: [-1] }, { as: 'text' }, { where: [{ column: 0, to: NaN }] }]) {
    assert.equal(await kind(wrong), 'TypeError', JSON.stringify(wrong));
  }
});

test('describes a table without reading its blocks', async () => {
  const bytes = read('c8_events');
  for (const source of [bytes, new Blob([bytes])]) {
    const table = await describeAt1(source);
    const { rows, stats } = await queryAt1(source);
    assert.equal(table.codec, 'qjson');
    assert.equal(table.rowCount, rows.length);
    assert.equal(table.groupCount, stats.groups);
    assert.deepEqual(table.columns.map(({ name }) => name), ['type', 'ts', 'val']);
    assert.equal(table.lengths.reduce((sum, length) => sum + length, 0), stats.blockBytesTotal);
    // Zone maps bound the values of their groups, and blocks are adjacent.
    const ts = rows.map(([, ts]) => Number(ts));
    for (let group = 0; group < table.groupCount; group++) {
      const here = ts.slice(group * table.rowsPerGroup, (group + 1) * table.rowsPerGroup);
      const block = group * 3 + 1;
      assert.ok(table.low[block] <= Math.min(...here) && table.high[block] >= Math.max(...here));
      assert.equal(table.blocks.end[block] - table.blocks.start[block], table.lengths[block]);
      assert.equal(table.blocks.start[block], table.blocks.end[block - 1]);
    }
    // After the head, a query reads only blocks.
    const [head, ...ranges] = stats.ranges;
    assert.equal(head.start, 0);
    assert.equal(ranges.reduce((sum, { start, end }) => sum + end - start, 0), stats.blockBytesRead);
    assert.ok(ranges.every(({ start, end }) => start >= table.blocks.start[0] && end <= table.blocks.end.at(-1)));
  }
  const wide = await describeAt1(read('c7_wide'));
  assert.equal(wide.codec, 'qcolumnar');
  assert.equal(wide.columns.length, 250);
  const kind = (bytes) => describeAt1(bytes).then(() => undefined, (error) => error.name);
  assert.equal(await kind(bytes.subarray(0, 100)), 'Truncated');
  assert.equal(await kind(read('c4_ragged')), 'At1NotQueryable');
  // A head with any byte changed is described, or refused with an error of the package.
  for (let at = 0; at < 700; at++) {
    const changed = bytes.slice();
    changed[at] ^= 0x55;
    try {
      await describeAt1(changed);
    } catch (error) {
      assert.ok(error instanceof UnspoolError && error.class !== 'Internal', `byte ${at}: ${error}`);
    }
  }
});

test('decodes files into memory of the caller', () => {
  for (const name of names) {
    const expected = readFileSync(original(name));
    const room = new Uint8Array(expected.length + 1).fill(7);
    assert.equal(decodeInto(read(name), room), expected.length, name);
    assert.deepEqual(room.subarray(0, -1), new Uint8Array(expected), name);
    assert.equal(room.at(-1), 7);
    if (expected.length === 0) continue;
    assert.throws(() => decodeAt1Into(read(name), room.subarray(2)), { name: 'OutputTooSmall', need: expected.length }, name);
  }
});
