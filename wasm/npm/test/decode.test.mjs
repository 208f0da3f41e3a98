import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import {
  at1Stream, at1Text, cvcHeader, decode, decodeAt1, decodeAt1Files, decodeAt1Into, decodeCvc, decodeCvcInto, decodeGzip, decodeInto, decodeOnPair, decodeOnPairInto,
  decodePco, decodePcoInto, decodePcoPages, decodeXz, decodeZstd, decodeZstdInto, DEFAULT_LIMITS, describeAt1, gzipStream, inspect, nodeAt, openCvc,
  openOnPair, outline, pcoBinCounts, pcoLatents, probe, queryAt1, salvageOnPair, salvagePco, statistics, UnspoolError, xzStream, zstdHeader, zstdSequences, zstdStream,
} from './all.mjs';
import { bad, bytesOf, expected, read, text, valid } from './vectors.mjs';

const [at1, onpair, pco] = ['at1/c7_derived_chain.at1', 'onpair/cpp/urls_b12.onp', 'pco/assets/v1_0_0_conv1.pco'].map((path) => read(`../${path}`));

const arrays = {
  float32: Float32Array,
  float16: globalThis.Float16Array ?? Uint16Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int8: Int8Array,
  uint8: Uint8Array,
};

test('decodes every vector bit for bit, from memory and from a Blob', async () => {
  const seen = new Set();
  assert.equal(valid.length, 61);
  for (const entry of valid) {
    const bytes = read(entry.file);
    const columns = expected(entry);
    const whole = decode(bytes);
    assert.equal(whole.format, 'cvc');
    assert.equal(whole.columns.length, columns.length);
    const file = await openCvc(new Blob([bytes]));
    assert.deepEqual(file.version, entry.format_version, entry.name);
    assert.equal(file.rowCount, entry.num_vectors);
    assert.equal(file.chunkCount, entry.num_chunks);
    assert.equal(file.chunks.at(-1)?.end ?? 0, file.rowCount);
    if (Array.isArray(entry.chunk_rows)) {
      assert.deepEqual(file.chunks.map(({ start, end }) => end - start), entry.chunk_rows);
    }
    for (const [index, column] of columns.entries()) {
      const now = decodeCvc(bytes, column.name === '' ? {} : { column: column.name });
      const later = await file.columns[index].rows();
      for (const found of [whole.columns[index], now, later]) {
        const what = `${entry.name} ${column.name}`;
        assert.deepEqual(bytesOf(found.data), column.bytes, what);
        assert.equal(found.column, column.name);
        assert.equal(found.dtype, column.dtype, what);
        assert.ok(found.data instanceof arrays[column.dtype], what);
        assert.deepEqual(found.shape, [file.rowCount, column.shape[1]], what);
        const checks = found.checksums;
        const chunks = entry.num_chunks;
        assert.deepEqual(checks, { right: file.hasChecksums ? chunks : 0, wrong: 0, unchecked: file.hasChecksums ? 0 : chunks });
      }
      seen.add(column.dtype);
    }
  }
  assert.equal(seen.size, 6, [...seen].join());
});

test('decodes any rows, with and without checksums, as stored and as float32', async () => {
  let tried = 0;
  for (const entry of valid) {
    const bytes = read(entry.file);
    const file = await openCvc(new Blob([bytes]));
    for (const [index, column] of expected(entry).entries()) {
      const [rows] = column.shape;
      const width = rows > 0 ? column.bytes.length / rows : 0;
      for (const [start, end] of [[0, rows], [0, 0], [rows, rows], [rows >> 1, rows], [rows >> 2, rows >> 1], [0, Math.min(1, rows)]]) {
        for (const checksums of ['verify', 'skip']) {
          const found = await file.columns[index].rows(start, end, { checksums });
          assert.deepEqual(bytesOf(found.data), column.bytes.subarray(start * width, end * width), `${entry.name} ${start}..${end}`);
          const floats = await file.columns[index].rows(start, end, { checksums, as: 'float32' });
          assert.equal(floats.dtype, 'float32');
          assert.equal(floats.data.length, found.data.length);
          if (found.dtype !== 'float16') {
            assert.deepEqual(floats.data, Float32Array.from(found.data, Number), `${entry.name} ${start}..${end} as float32`);
          }
          tried++;
        }
      }
    }
  }
  assert.ok(tried > 500);
});

test('reports the same error as the core for every bad file', () => {
  // The core's expectations: `name: Kind: class at byte N: words`, or `name: accepted`.
  const golden = new Map(text('golden/cvc-bad.txt').trimEnd().split('\n').map((line) => line.split(/: (.*)/).slice(0, 2)));
  assert.equal(golden.size, bad.length);
  for (const { name, file } of bad) {
    let verdict = 'accepted';
    try {
      decode(read(`bad/${file}`));
    } catch (error) {
      // `decode` refuses bytes without the magic of CVC; the function of the format says why.
      assert.ok(error instanceof UnspoolError, `${name}: ${error}`);
      const precise = ['UnknownFormat', 'Truncated'].includes(error.name) ? thrown(() => decodeCvc(read(`bad/${file}`))) : error;
      verdict = `${precise.name}: ${precise.message}`;
      assert.ok(Number.isSafeInteger(precise.code) && precise.code > 0);
      assert.ok(precise.offset >= 0 && precise.offset <= read(`bad/${file}`).length, name);
      assert.equal(precise.message.includes(`at byte ${precise.offset}`), true);
    }
    // Numbers above 2^53 are rounded here.
    const expected = golden.get(name).replace(/\(needs (\d+)\)/, (_, need) => `(needs ${Number(need)})`);
    assert.equal(verdict, expected, name);
  }
});

function thrown(run) {
  try {
    run();
  } catch (error) {
    return error;
  }
  assert.fail('nothing was thrown');
}

test('reports the same error for a bad file in a Blob', async () => {
  for (const { name, file } of bad) {
    const bytes = read(`bad/${file}`);
    const attempt = async (source) => {
      const opened = await openCvc(source);
      const all = [];
      for (const column of opened.columns) all.push((await column.rows()).data.length);
      return all;
    };
    const [memory, blob] = await Promise.allSettled([attempt(bytes), attempt(new Blob([bytes]))]);
    assert.equal(memory.status, blob.status, name);
    assert.deepEqual(memory.value, blob.value, name);
    assert.deepEqual(memory.reason?.toJSON(), blob.reason?.toJSON(), name);
  }
});

test('returns the metadata of sections, including NaN', async () => {
  const entry = valid.find(({ name }) => name === 'v1_sections');
  const file = await openCvc(read(entry.file));
  for (const { key, value, row_ranges } of entry.section_filters) {
    const found = file.sections.filter(({ metadata }) => metadata?.[key] === value).map(({ start, end }) => [start, end]);
    assert.deepEqual(found, row_ranges, `${key}=${value}`);
  }
  assert.ok(entry.section_filters.length > 2);
  // A header written by Python with a bare NaN, which JSON.parse refuses.
  const { sections } = await openCvc(headOf(1, '{"num_vectors":0,"dimension":1,"compression":"fp16","chunks":[],"sections":[{"start_index":0,"end_index":0,"metadata":{"a":NaN,"b":"NaN, -Infinity","c":[-Infinity,1]}}]}'));
  assert.deepEqual(sections, [{ start: 0, end: 0, metadata: { a: NaN, b: 'NaN, -Infinity', c: [-Infinity, 1] } }]);
});

/** Returns a CVC file that is a header alone. */
function headOf(version, json) {
  const head = Buffer.alloc(12);
  head.write('CVCF', 'latin1');
  head.writeUInt16LE(version, 4);
  head.writeUInt32LE(json.length, 8);
  return new Uint8Array(Buffer.concat([head, Buffer.from(json, 'latin1')]));
}

test('returns names of columns in every spelling', async () => {
  const names = ['plain', 'a "quote" \\ and \n', 'ü 😀', 'half \ud83c of a pair'];
  const escaped = (name) => JSON.stringify(name).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const schema = names.map((name) => `{"name":${escaped(name)},"dimension":1,"dtype":"bfloat16","compression":"n\\u006fne"}`);
  const { columns } = await openCvc(headOf(2, `{"num_vectors":0,"columns":[${schema}],"chunks":[]}`));
  assert.deepEqual(columns.map(({ name }) => name), names);
  assert.deepEqual([columns[0].dtype, columns[0].compression, columns[0].dimension], [undefined, 'none', 1]);
  const [only] = (await openCvc(headOf(1, '{"num_vectors":0,"dimension":3,"compression":"fp16","chunks":[]}'))).columns;
  assert.deepEqual([only.name, only.dtype, only.compression, only.dimension], ['', 'float32', 'fp16', 3]);
});

test('detects formats with probe', () => {
  assert.deepEqual(probe(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd)), { format: 'zstd' });
  assert.deepEqual(probe(new TextEncoder().encode('ONPA')), { format: undefined, needed: 8 });
  assert.deepEqual(probe(new TextEncoder().encode('GIF89a')), { format: undefined });
  assert.equal(thrown(() => decode(new TextEncoder().encode('GIF89a'))).name, 'UnknownFormat');
});

test('accepts bytes of another realm, as in test runners and frames', () => {
  const own = read('v1_fp16.cvc');
  const foreign = runInNewContext('Uint8Array.from(bytes)', { bytes: own });
  assert.ok(!(foreign instanceof Uint8Array));
  for (const bytes of [foreign, foreign.buffer]) assert.deepEqual(decodeCvc(bytes), decodeCvc(own));
});

test('refuses wrong arguments at once', async () => {
  const bytes = read('v1_fp16.cvc');
  for (const wrong of ['CVCF', null, undefined, 42, [1, 2], new Blob([bytes]), new Float32Array(4)]) {
    assert.throws(() => decode(wrong), TypeError);
    assert.throws(() => decodeCvc(wrong), TypeError);
  }
  const view = new DataView(new ArrayBuffer(8));
  for (const [bytes, words] of [
    ['CVCF', 'not a string'], [undefined, 'not undefined'], [null, 'not null'], [[67, 86], 'not an Array'],
    [new Blob(['CVCF']), 'not a Blob; pass await blob.arrayBuffer()'], [new Response('CVCF'), 'not a Response; pass await response.arrayBuffer()'],
    [Promise.resolve(view), 'not a Promise; await it first'], [view, 'not a DataView; pass new Uint8Array(it.buffer, it.byteOffset, it.byteLength)'],
    [new SharedArrayBuffer(8), 'not a SharedArrayBuffer; pass new Uint8Array(it)'], [new Uint16Array(2), 'not a Uint16Array; pass new Uint8Array(it.buffer'],
  ]) {
    assert.throws(() => decode(bytes), (error) => error instanceof TypeError && error.message.includes(`must be a Uint8Array or an ArrayBuffer, ${words}`), words);
  }
  const gone = new Uint8Array(8);
  structuredClone(gone, { transfer: [gone.buffer] });
  for (const bytes of [gone, gone.buffer]) assert.throws(() => decode(bytes), /TypeError: bytes: the memory was transferred/);
  assert.throws(() => decode(new Blob([])), /arrayBuffer/);
  await assert.rejects(openCvc(42), TypeError);
  const file = await openCvc(bytes);
  await assert.rejects(file.column().rows(-1, 2), TypeError);
  await assert.rejects(file.column().rows(0, 1.5), TypeError);
  await assert.rejects(file.column().rows(0, 1, { as: 'float64' }), TypeError);
  await assert.rejects(file.column().rows(0, 1, { checksums: 'maybe' }), TypeError);
  await assert.rejects(file.column().rows(5, 2), { name: 'RangeOutside', class: 'Misuse' });
  await assert.rejects(file.column().rows(0, 101), { name: 'RangeOutside' });
  assert.throws(() => file.column('text'), { name: 'CvcNoSuchColumn', code: 518 });
  const columnar = await openCvc(read('v2_ints_default.cvc'));
  assert.throws(() => columnar.column(), { name: 'CvcPickColumn' });
  assert.throws(() => decodeCvc(bytes, { limits: { maxOutpt: 1 } }), /unknown limit maxOutpt; expected one of maxOutput, /);
  assert.throws(() => decodeCvc(bytes, { limits: { maxOutput: 6399 } }), { class: 'Limit', need: 6400 });
  assert.throws(() => decodeCvc(bytes, { limits: { maxElements: 3 } }), { name: 'ElementLimit' });
});

test('accepts an ArrayBuffer, and a Uint8Array at any offset', () => {
  const bytes = read('v1_int8.cvc');
  const padded = new Uint8Array(bytes.length + 10);
  padded.set(bytes, 7);
  const whole = decodeCvc(bytes.slice().buffer).data;
  assert.deepEqual(decodeCvc(padded.subarray(7, 7 + bytes.length)).data, whole);
});

test('allocates nothing for a header that claims too much', () => {
  const json = '{"num_vectors":1073741823,"dimension":1,"compression":"fp16","chunks":[{"rows":1073741823}]}';
  const bytes = new Uint8Array(12 + json.length + 8);
  bytes.set(new TextEncoder().encode('CVCF\x01\0\0\0'));
  new DataView(bytes.buffer).setUint32(8, json.length, true);
  bytes.set(new TextEncoder().encode(json), 12);
  new DataView(bytes.buffer).setUint32(12 + json.length, 2147483646, true);
  const before = process.memoryUsage().arrayBuffers;
  assert.throws(() => decodeCvc(bytes), { name: 'Truncated', offset: bytes.length });
  assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 24);
});

test('decodes or refuses mutated files without a trap', () => {
  // A fixed sequence makes failures repeatable.
  let state = 1;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const small = valid.filter(({ size }) => size < 4000).map(({ file }) => read(file));
  let refused = 0;
  for (let round = 0; round < 2000; round++) {
    const bytes = small[random(small.length)].slice();
    for (let flips = 1 + random(3); flips > 0; flips--) {
      const at = random(random(4) === 0 ? bytes.length : Math.min(bytes.length, 250));
      bytes[at] = random(2) === 0 ? 0x30 + random(10) : bytes[at] ^ (1 << random(8));
    }
    try {
      for (const { data, shape } of decode(bytes, { limits: { maxOutput: 1e6 } }).columns) {
        assert.equal(data.length, shape[0] * shape[1]);
      }
    } catch (error) {
      assert.ok(error instanceof UnspoolError && error.class !== 'Internal', `round ${round}: ${error.stack}`);
      refused++;
    }
  }
  assert.ok(refused > 200 && refused < 2000, `${refused}`);
});

test('reports in need how long a truncated file must be', () => {
  for (const length of [0, 1, 3]) {
    const start = read('v1_int8.cvc').subarray(0, length);
    assert.throws(() => decode(start), { name: 'Truncated', offset: length, need: inspect(start).error.need });
    assert.ok(inspect(start).error.need > length);
  }
});

test('refuses invalid arguments by name', async () => {
  const file = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
  const [cvc, pco, onpair, zstd, at1] = ['cvc/v1_int8.cvc', 'pco/k_u32_arange.pco', 'onpair/cpp/urls_b12.onp', 'zstd/page.zst', 'at1/c8_events.at1'].map(file);
  for (const wrong of [null, -1, NaN, 1.5, 2 ** 60, '3', [1], {}, true]) {
    await assert.rejects(zstdSequences(zstd, wrong), /TypeError: block must be/);
    await assert.rejects(pcoBinCounts(pco, wrong, 'primary'), /TypeError: chunk must be/);
    await assert.rejects(pcoLatents(pco, wrong, { numbers: { start: 0, end: 1 } }), /TypeError: at must be/);
    await assert.rejects(pcoBinCounts(pco, 0, wrong), /TypeError: variable must be/);
    assert.throws(() => inspect(cvc, { maxNodes: wrong }), /TypeError: maxNodes must be/);
    assert.throws(() => nodeAt(inspect(cvc).structure, wrong), RangeError);
    assert.throws(() => openOnPair(onpair).row(wrong), /TypeError: a row must be/);
    await assert.rejects(queryAt1(at1, { eq: [{ column: 0, value: wrong === '3' ? undefined : wrong === -1 || wrong === 1.5 || wrong === 2 ** 60 ? null : wrong }] }), TypeError);
    if (wrong !== null) await assert.rejects(queryAt1(at1, { limit: wrong }), /TypeError: limit must be/);
  }
  for (const wrong of [null, 5, 'abc', {}, [1], new Uint8Array(2)]) {
    for (const call of [decodeCvc, decodeOnPair]) assert.throws(() => call(call === decodeCvc ? cvc : onpair, { rows: wrong }), /TypeError: rows must be/);
  }
  for (const wrong of [null, 5, 'abc']) assert.throws(() => decode(cvc, { limits: wrong }), /TypeError: limits must be/);
  for (const wrong of [null, 10n, {}, true]) assert.throws(() => openOnPair(onpair).rows(wrong), /TypeError: a row must be/);
  assert.throws(() => decode(cvc, { limits: { toString: 1 } }), /unknown limit toString/);
  assert.throws(() => decode(zstd, { dictionary: 'abc' }), /TypeError: dictionary must be/);
  assert.throws(() => (DEFAULT_LIMITS.maxOutput = 1), TypeError);
});

test('refuses unknown option names everywhere', async () => {
  const cvc = read('v1_int8.cvc');
  const [file, column] = [await openCvc(cvc), openOnPair(onpair)];
  const room = new Uint8Array(1e6);
  const calls = {
    at1Stream, gzipStream, xzStream, zstdStream,
    decode: (options) => decode(cvc, options),
    decodeAt1: (options) => decodeAt1(at1, options),
    decodeAt1Files: (options) => decodeAt1Files(at1, options),
    decodeAt1Into: (options) => decodeAt1Into(at1, room, options),
    cvcHeader: (options) => cvcHeader(cvc, options),
    decodeCvc: (options) => decodeCvc(cvc, options),
    decodeCvcInto: (options) => decodeCvcInto(cvc, room, options),
    decodeGzip: (options) => decodeGzip(cvc, options),
    decodeInto: (options) => decodeInto(cvc, room, options),
    decodeOnPair: (options) => decodeOnPair(onpair, options),
    decodeOnPairInto: (options) => decodeOnPairInto(onpair, room, options),
    decodePco: (options) => decodePco(pco, options),
    decodePcoInto: (options) => decodePcoInto(pco, room, options),
    decodePcoPages: (options) => decodePcoPages({ header: pco, meta: pco, pages: [], dtype: 'int32' }, options),
    decodeXz: (options) => decodeXz(cvc, options),
    decodeZstd: (options) => decodeZstd(cvc, options),
    decodeZstdInto: (options) => decodeZstdInto(cvc, room, options),
    inspect: (options) => inspect(cvc, options),
    openOnPair: (options) => openOnPair(onpair, options),
    salvageOnPair: (options) => salvageOnPair(onpair, options),
    salvagePco: (options) => salvagePco(pco, options),
    statistics: (options) => statistics(room, options),
    zstdHeader: (options) => zstdHeader(cvc, options),
    at1Text: (options) => at1Text(at1, options).next(),
    describeAt1: (options) => describeAt1(at1, options),
    openCvc: (options) => openCvc(cvc, options),
    outline: (options) => outline(cvc, options),
    plan: (options) => file.column().plan(0, 1, options),
    queryAt1: (options) => queryAt1(at1, options),
    rows: (options) => file.column().rows(0, 1, options),
  };
  for (const [name, call] of Object.entries(calls)) {
    const refused = (options) => assert.rejects(async () => call(options), TypeError, `${name} ${JSON.stringify(options)}`);
    for (const options of [{ maxOutput: 100 }, { row: [0, 1] }, null, 7]) await refused(options);
  }
  assert.throws(() => decode(cvc, { maxOutput: 100 }), { message: 'unknown name maxOutput in options; expected one of limits, checksums, dictionary, signal' });
  assert.throws(() => decodeXz(cvc, null), { message: 'options must be an object, not null' });
  assert.throws(() => column.search({ contains: 'a', ignoreCase: true }), { message: 'unknown name ignoreCase in search; expected one of equals, startsWith, contains' });
});

test('treats an undefined option as absent', () => {
  const cvc = read('v1_int8.cvc');
  const limits = { maxOutput: undefined, maxDepth: undefined };
  assert.deepEqual(decode(cvc, { limits, checksums: undefined, dictionary: undefined }), decode(cvc));
  assert.deepEqual(decodeCvc(cvc, { limits, column: undefined, rows: undefined, as: undefined }), decodeCvc(cvc));
  assert.equal(decodeOnPairInto(onpair, new Uint8Array(1e6), { limits, rows: undefined }), decodeOnPair(onpair).bytes.length);
});

test('returns types and sizes of a header without its chunks', async () => {
  for (const entry of valid) {
    const bytes = read(entry.file);
    const { headLength } = await openCvc(bytes);
    const { rowCount, columns, size } = cvcHeader(bytes.subarray(0, headLength));
    const decoded = decode(bytes).columns;
    assert.deepEqual(columns.map(({ name, dtype, dimension, size }) => [name, dtype, rowCount, dimension, size]), decoded.map(({ column, dtype, shape, data }) => [column, dtype, ...shape, data.byteLength]), entry.name);
    assert.equal(size, decoded.reduce((sum, { data }) => sum + data.byteLength, 0));
    assert.throws(() => cvcHeader(bytes.subarray(0, headLength - 1)), { name: 'Truncated' });
  }
});
