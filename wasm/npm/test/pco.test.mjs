import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decode, decodePco, decodePcoInto, decodePcoPages, inspect, nodes, pcoBinCounts, pcoHeader, pcoLatents, probe, salvagePco, statistics, UnspoolError } from './all.mjs';
import * as Name from 'unspool/names';
import { bytesOf } from './vectors.mjs';

const root = new URL('../../../tests/vectors/pco/', import.meta.url);
const read = (path) => new Uint8Array(readFileSync(new URL(path, root)));
const manifest = (folder) => JSON.parse(readFileSync(new URL(`${folder}manifest.json`, root), 'utf8')).files;
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

const arrays = {
  u8: ['uint8', Uint8Array], i8: ['int8', Int8Array], u16: ['uint16', Uint16Array], i16: ['int16', Int16Array],
  f16: ['float16', globalThis.Float16Array ?? Uint16Array], u32: ['uint32', Uint32Array], i32: ['int32', Int32Array],
  f32: ['float32', Float32Array], u64: ['uint64', BigUint64Array], i64: ['int64', BigInt64Array], f64: ['float64', Float64Array],
};

/** Valid standalone files with stored expectations. */
const valid = ['', 'assets/', 'old/', 'synth/'].flatMap((folder) =>
  manifest(folder)
    .filter(({ file, bin }) => file?.endsWith('.pco') && bin !== undefined)
    .map((entry) => ({ ...entry, path: folder + entry.file, bin: folder + entry.bin })),
);

test('decodes every vector bit for bit to an array of its type', () => {
  const seen = new Set();
  assert.equal(valid.length, 407);
  for (const { path, bin, dtype, parts } of valid) {
    const bytes = read(path);
    const wanted = read(bin);
    assert.deepEqual(Buffer.concat(decode(bytes).arrays.map(({ data }) => bytesOf(data))), Buffer.from(wanted), path);
    if (parts !== undefined) continue;
    const { dtype: named, data } = decodePco(bytes);
    assert.deepEqual(bytesOf(data), wanted, path);
    const [name, type] = arrays[dtype] ?? [];
    if (data.length === 0 || type === undefined) continue;
    assert.ok(data instanceof type, `${path} is a ${data.constructor.name}`);
    assert.deepEqual([named, decode(bytes).arrays[0].dtype], [name, name]);
    assert.deepEqual(pcoHeader(bytes).dtype, name);
    seen.add(dtype);
  }
  assert.equal(seen.size, 11, [...seen].join());
});

test('decodes a file of mixed types to several arrays, and refuses it where one is expected', () => {
  const { path, parts } = valid.find(({ path }) => path === 'mixed_dtypes.pco');
  const { format, arrays: found } = decode(read(path));
  assert.equal(format, 'pco');
  assert.deepEqual(found.map(({ dtype, data }) => [dtype, sha256(bytesOf(data))]), parts.map(({ dtype, sha256 }) => [arrays[dtype][0], sha256]));
  assert.throws(() => decodePco(read(path)), { name: 'WrongType', class: 'Misuse', message: /: the file mixes uint32, / });
});

test('decodes the pages of wrapped chunks one by one', () => {
  let count = 0;
  for (const { name, dtype, header, expected, chunks } of JSON.parse(readFileSync(new URL('wrapped/manifest.json', root), 'utf8')).sets) {
    const part = (file) => read(`wrapped/${name}/${file}`);
    const wanted = part(expected);
    for (const { meta, pages } of chunks) {
      const wrapped = { header: part(header), meta: part(meta), dtype: arrays[dtype][0] };
      const parts = pages.map(({ file, n }) => ({ bytes: part(file), count: n }));
      const decoded = decodePcoPages({ ...wrapped, pages: parts });
      pages.forEach(({ n, expected_byte_offset: start }, at) => {
        assert.ok(decoded[at].data instanceof arrays[dtype][1] && decoded[at].data.length === n, name);
        assert.equal(decoded[at].dtype, arrays[dtype][0]);
        const bytes = bytesOf(decoded[at].data);
        assert.deepEqual(bytes, wanted.subarray(start, start + bytes.length), `${name} page ${at}`);
        assert.deepEqual(decodePcoPages({ ...wrapped, pages: [parts[at]] })[0], decoded[at]);
        count++;
      });
      assert.throws(() => decodePcoPages({ ...wrapped, dtype: 'int128', pages: parts }), TypeError);
      assert.throws(() => decodePcoPages({ ...wrapped, pages: [{ ...parts[0], count: -1 }] }), TypeError);
      assert.throws(() => decodePcoPages({ ...wrapped, pages: parts }, { limits: { maxOutput: 0 } }), { name: 'OutputLimit' });
      assert.throws(() => decodePcoPages({ ...wrapped, header: [9], pages: parts }), TypeError);
      assert.throws(() => decodePcoPages({ ...wrapped, header: Uint8Array.of(9), pages: parts }), { name: 'PcoVersion' });
      assert.throws(() => decodePcoPages({ ...wrapped, meta: new Uint8Array(), pages: parts }), { name: 'Truncated' });
    }
  }
  assert.ok(count > 10, `${count}`);
});

test('decodes or refuses bad files as the manifest says', () => {
  const ended = { ok: 0, error: 0 };
  for (const { file, reference, agree } of manifest('bad/')) {
    const bytes = read(`bad/${file}`);
    // The reference accepts this file by mistake; this decoder refuses it.
    const ok = reference.result === 'ok' && agree;
    try {
      const { arrays } = decode(bytes);
      assert.ok(ok, `${file} is accepted`);
      assert.equal(sha256(Buffer.concat(arrays.map(({ data }) => bytesOf(data)))), reference.sha256, file);
      ended.ok++;
    } catch (error) {
      assert.ok(!ok && error instanceof UnspoolError && error.class !== 'Internal', `${file}: ${error.stack}`);
      ended.error++;
    }
  }
  assert.deepEqual(ended, { ok: 22, error: 106 });
});

test('tiles every file with leaves', () => {
  for (const { path } of valid) {
    const bytes = read(path);
    const { format, error, structure } = inspect(bytes);
    assert.deepEqual([format, error, structure.leftOut], ['pco', undefined, 0], path);
    const leaves = [...nodes(structure)].filter(({ part, start, end }) => part !== undefined && end > start);
    leaves.sort((a, b) => a.start - b.start);
    let at = 0;
    for (const { name, start, end } of leaves) {
      assert.equal(start, at, `${path} ${name}`);
      at = end;
    }
    assert.equal(at, bytes.length * 8, path);
  }
});

test('refuses a file truncated at any length', () => {
  const bytes = read('k_u32_arange.pco');
  assert.deepEqual(probe(bytes), { format: 'pco' });
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => decodePco(bytes.subarray(0, length)), { name: 'Truncated' }, `${length}`);
  }
  assert.throws(() => decodePco(bytes, { limits: { maxOutput: 777 * 4 - 1 } }), { name: 'OutputLimit' });
  const { data } = decodePco(bytes.slice().buffer);
  assert.deepEqual(data, Uint32Array.from({ length: 777 }, (_, at) => data[0] + at));
  for (const wrong of ['pco!', null, undefined, 42]) assert.throws(() => decodePco(wrong), TypeError);
});

test('salvages the numbers before an error, and reports the error', () => {
  const bytes = read('k_u32_arange.pco');
  const { data: whole } = decodePco(bytes);
  let before = 0;
  for (let length = 0; length < bytes.length; length++) {
    const { arrays: found, error } = salvagePco(bytes.subarray(0, length));
    assert.equal(error?.name, 'Truncated');
    assert.throws(() => decodePco(bytes.subarray(0, length)), { name: 'Truncated', offset: error.offset, part: error.part });
    const data = found[0]?.data ?? new Uint32Array();
    assert.deepEqual(data, whole.subarray(0, data.length));
    assert.ok(data.length >= before && (data.length % 256 === 0 || data.length === whole.length), `${length}: ${data.length}`);
    before = data.length;
  }
  assert.equal(before, whole.length, 'only the end of the file was missing');
  const intact = { arrays: [{ dtype: 'uint32', data: whole }], error: undefined, end: bytes.length };
  assert.deepEqual(salvagePco(bytes), intact);
  assert.deepEqual(salvagePco(Buffer.concat([bytes, Buffer.from('more')])), intact, 'bytes after the end are not read');
  // Whole runs before another type, and nothing from a file that claims too much.
  const mixed = read('mixed_dtypes.pco');
  const [first, second] = decode(mixed).arrays;
  const { arrays: found } = salvagePco(mixed.subarray(0, mixed.length - 2));
  assert.deepEqual(found.slice(0, 2), [first, second]);
  assert.deepEqual(salvagePco(bytes, { limits: { maxOutput: 8 } }).arrays, [{ dtype: 'uint32', data: new Uint32Array() }]);
  assert.throws(() => salvagePco('pco!'), TypeError);
});

test('decodes or refuses mutated files without a trap', () => {
  let state = 1;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const small = valid.map(({ path }) => read(path)).filter(({ length }) => length < 2000);
  const ended = { decoded: 0, refused: 0 };
  for (let round = 0; round < 2000; round++) {
    const bytes = small[random(small.length)].slice();
    for (let flips = 1 + random(3); flips > 0; flips--) bytes[4 + random(bytes.length - 4)] ^= 1 << random(8);
    try {
      decode(bytes, { limits: { maxOutput: 1e6, maxWindow: 1e6, maxElements: 1e6 } });
      ended.decoded++;
    } catch (error) {
      assert.ok(error instanceof UnspoolError && error.class !== 'Internal', `round ${round}: ${error.stack}`);
      ended.refused++;
    }
  }
  assert.ok(ended.decoded > 100 && ended.refused > 100, JSON.stringify(ended));
});

test('counts as many latents in the bins as there are numbers', async () => {
  const bytes = read('assets/v0_0_0_classic.pco');
  const counts = await pcoBinCounts(bytes, 0, 'primary');
  assert.equal(counts.length, [...nodes(inspect(bytes).structure)].filter(({ id }) => id === Name.Bin).length);
  assert.equal(counts.reduce((sum, count) => sum + count, 0), decodePco(bytes).data.length);
  // Missing chunks and variables have no bins.
  assert.equal((await pcoBinCounts(bytes, 0, 'secondary')).length, 0);
  assert.equal((await pcoBinCounts(bytes, 1, 'primary')).length, 0);
  await assert.rejects(pcoBinCounts(bytes.subarray(0, bytes.length / 2), 0, 'primary'), { name: 'Truncated' });
});

test('finds the bits of a number, and the numbers of a bit', async () => {
  const bytes = read('m_i32_classic_auto.pco');
  const { data } = decodePco(bytes);
  const all = [...nodes(inspect(bytes).structure)];
  const at = all.find(({ id }) => id === Name.Chunk).start / 8;
  const lowers = all.filter(({ id }) => id === Name.Lower).map(({ value }) => Number(value));
  const read32 = ({ start, end }) => {
    let value = 0;
    for (let bit = end - 1; bit >= start; bit--) value = 2 * value + ((bytes[bit >> 3] >> (bit & 7)) & 1);
    return value;
  };
  // The first number is in the metadata of the page; each other one is the sum of it and a delta.
  assert.deepEqual(await pcoLatents(bytes, at, { numbers: { start: 0, end: 1 } }), []);
  const found = await pcoLatents(bytes, at, { numbers: { start: 1, end: data.length } });
  assert.equal(found.length, data.length - 1);
  for (const { variable, number, bin, offset } of found) {
    assert.equal(variable, 'primary');
    assert.equal((lowers[bin] + read32(offset) - 2 ** 31) | 0, (data[number] - data[number - 1]) | 0, `${number}`);
  }
  // A symbol may have no bits.
  const { number, offset, symbol } = found.slice(700).find(({ symbol }) => symbol.end > symbol.start + 1);
  for (const bits of [offset, symbol, { start: offset.start, end: offset.start + 1 }, { start: symbol.end - 1, end: symbol.end }]) {
    const back = await pcoLatents(bytes, at, { bits });
    assert.deepEqual(back.map((latent) => latent.number), [number], JSON.stringify(bits));
  }
  assert.deepEqual(await pcoLatents(bytes, bytes.length - 1, { numbers: { start: 0, end: 9 } }), []);
  await assert.rejects(pcoLatents(bytes.subarray(0, bytes.length / 2), at, { numbers: { start: 0, end: 9 } }), { name: 'Truncated' });
  await assert.rejects(pcoLatents(bytes, -1, { numbers: { start: 0, end: 9 } }), /TypeError: at must be/);
  await assert.rejects(pcoLatents(bytes, at, { bits: { start: 0.5, end: 9 } }), /TypeError: start must be/);
});

/** Returns the halves of a file as doubles, on an engine with or without `Float16Array`. */
const doublesOf = (bytes) => decodePco(bytes, { as: 'float64' });

test('converts numbers of every type to doubles', () => {
  const seen = new Set();
  for (const { path, dtype } of valid) {
    const bytes = read(path);
    const runs = decode(bytes).arrays;
    const { dtype: name, data } = doublesOf(bytes);
    assert.equal(name, 'float64');
    assert.ok(data instanceof Float64Array);
    const wanted = runs.flatMap(({ dtype, data }) => Array.from(data, (value) => (dtype === 'float16' && data instanceof Uint16Array ? halfOf(value) : Number(value))));
    assert.deepEqual(Array.from(data), wanted, path);
    seen.add(dtype);
  }
  assert.ok(seen.size >= 12, 'eleven types, and files that mix them');
  assert.throws(() => decodePco(read('k_u32_arange.pco'), { as: 'float32' }), { name: 'TypeError', message: "as must be 'float64'" });
});

/** Converts the bits of a half float through the bits of a float. */
function halfOf(bits) {
  const [sign, exponent, fraction] = [bits >> 15, (bits >> 10) & 31, bits & 1023];
  const wide = new DataView(new ArrayBuffer(4));
  if (exponent === 0) return (sign ? -1 : 1) * fraction * 2 ** -24;
  wide.setUint32(0, ((sign << 31) | ((exponent === 31 ? 255 : exponent + 112) << 23) | (fraction << 13)) >>> 0);
  return wide.getFloat32(0);
}

test('tells half floats from 16-bit integers on every engine', () => {
  const script = `
    delete globalThis.Float16Array;
    const { decodePco } = await import('unspool/pco');
    const { statistics } = await import('unspool/stats');
    const { decode } = await import('unspool');
    const { readFileSync } = await import('node:fs');
    for (const path of process.argv.slice(1)) {
      const bytes = readFileSync(path);
      const numbers = decodePco(bytes);
      console.log(numbers.dtype, numbers.data.constructor.name, decodePco(bytes, { as: 'float64' }).data[1], statistics(numbers).max, (await decode(bytes)).arrays[0].dtype);
    }`;
  const [halves16, integers16] = ['f16', 'u16'].map((dtype) => valid.find(({ dtype: is, n }) => is === dtype && n > 1).path);
  const paths = [halves16, integers16].map((path) => fileURLToPath(new URL(path, root)));
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script, ...paths], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
  const summary = (path) => {
    const { data } = doublesOf(read(path));
    return [data[1], data.filter((number) => !Number.isNaN(number)).reduce((a, b) => Math.max(a, b))].join(' ');
  };
  assert.equal(said, `float16 Uint16Array ${summary(halves16)} float16\nuint16 Uint16Array ${summary(integers16)} uint16\n`);
  const halves = Uint16Array.of(0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x8000, 0x8001, 0xc000, 0xfc00);
  const { min, max, infinite, magnitudes } = statistics({ dtype: 'float16', data: halves });
  assert.deepEqual([min, max, infinite, magnitudes.zeros, magnitudes.negative], [-Infinity, Infinity, 2, 2, 2]);
  assert.equal(statistics({ dtype: 'float16', data: halves.subarray(0, 6) }).max, 65504);
  assert.equal(statistics({ dtype: 'uint16', data: halves.subarray(0, 6) }).max, 0x7bff);
});

test('reads type, count and size from the header alone', () => {
  let stated = 0;
  for (const { path, n, parts } of valid) {
    const bytes = read(path);
    const { dtype, count, size } = pcoHeader(bytes.subarray(0, 18));
    const [first] = decode(bytes).arrays;
    assert.equal(dtype, first?.dtype, path);
    if (count === undefined || parts !== undefined) continue;
    assert.equal(size, dtype === undefined ? 0 : count * first.data.BYTES_PER_ELEMENT, path);
    if (count === n) stated++;
  }
  assert.ok(stated > 200, `${stated}`);
  const bytes = read('k_u32_arange.pco');
  assert.deepEqual(pcoHeader(bytes), { dtype: 'uint32', count: 777, size: 3108 });
  // The header of the last one does not state the type, so that of the first chunk follows.
  for (const [path, end] of [['k_u32_arange.pco', 10], ['assets/v1_0_0_conv1.pco', 12]]) {
    for (let length = 0; length < end; length++) assert.throws(() => pcoHeader(read(path).subarray(0, length)), { name: 'Truncated' }, `${path} ${length}`);
  }
  assert.throws(() => pcoHeader(Uint8Array.from('CVCF and more', (letter) => letter.charCodeAt(0))), { name: 'PcoMagic' });
  for (const wrong of ['pco!', null, undefined]) assert.throws(() => pcoHeader(wrong), TypeError);
});

test('names both types if an array has another one', () => {
  assert.throws(() => decodePcoInto(read('k_f16_arange.pco'), new Float32Array(2000)), { name: 'WrongType', message: /: the numbers are float16, the array is a Float32Array$/ });
  assert.throws(() => [read('k_u32_arange.pco')].map(decodePco), { name: 'TypeError', message: 'options must be an object, not 0; in map, write (bytes) => decode(bytes)' });
});
