// The adapters, with the libraries that they are for.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { decode } from 'unspool';
import { toArrowIPC, zstdCodec } from 'unspool/arrow';
import { compressors } from 'unspool/hyparquet';
import { At1Loader, CvcLoader, OnPairLoader, PcoLoader, withPool, XzLoader, ZstdLoader } from 'unspool/loaders';
import { GZip, LZMA, PCodec, Zstd } from 'unspool/numcodecs';
import { decodeOnPair, openOnPair } from 'unspool/onpair';
import { decodePco } from 'unspool/pco';
import { UnspoolPool } from 'unspool/worker';
import { registerCodecs } from 'unspool/zarrita';

const require = createRequire(new URL('./adapters/package.json', import.meta.url));
/** Imports a library of `adapters/package.json` as a bundler would. */
const library = (name, file) => import(pathToFileURL(file === undefined ? require.resolve(name) : new URL(`./adapters/node_modules/${name}/${file}`, import.meta.url).pathname));
const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
const json = (name) => JSON.parse(readFileSync(new URL(`./adapters/${name}`, import.meta.url), 'utf8'));
const bytesOf = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength);

const zarr = await library('zarrita', 'dist/src/index.js');
const stores = json('stores.json');

/** A store of zarrita over the files of a stored array. */
const storeOf = (files) => ({
  get: async (path) => (files[path.slice(1)] === undefined ? undefined : new Uint8Array(Buffer.from(files[path.slice(1)], 'base64'))),
  // Shards are read in ranges.
  async getRange(path, { offset, length, suffixLength }) {
    const bytes = await this.get(path);
    return suffixLength === undefined ? bytes?.slice(offset, offset + length) : bytes?.slice(-suffixLength);
  },
});

/** Runs a test without a pool, and with one. */
async function withAndWithoutPool(run) {
  await run(undefined);
  const pool = new UnspoolPool({ workers: 2, maxQueue: 2 });
  try {
    await run(pool);
  } finally {
    pool.terminate();
  }
}

/** Reads an array with zarrita. Returns its values in the order of its rows. */
async function readArray(store, version, dtype, shape, name) {
  const array = await zarr.open[version](store, { kind: 'array' });
  assert.deepEqual([array.dtype, array.shape], [dtype, shape], name);
  const { data, shape: found, stride } = await zarr.get(array);
  assert.deepEqual(found, shape, name);
  const rows = new data.constructor(data.length);
  const [columns, rowStride, columnStride] = shape.length === 1 ? [1, stride[0], 0] : [shape[1], stride[0], stride[1]];
  for (let at = 0; at < rows.length; at++) rows[at] = data[Math.floor(at / columns) * rowStride + (at % columns) * columnStride];
  return bytesOf(rows);
}

test('zarrita reads arrays of zarr-python, versions 2 and 3, with and without a pool', () =>
  withAndWithoutPool(async (pool) => {
    registerCodecs(zarr.registry, { pool });
    const kinds = new Set();
    for (const [name, { dtype, shape, files, expected }] of Object.entries(stores)) {
      // Without Float16Array, zarrita refuses half floats itself.
      if (dtype === 'float16' && globalThis.Float16Array === undefined) continue;
      assert.deepEqual(await readArray(storeOf(files), name.slice(0, 2), dtype, shape, name), Buffer.from(expected, 'base64'), name);
      kinds.add(name.replace(dtype, '').trim());
    }
    assert.ok(kinds.size >= 11, [...kinds].join());
  }));

test('zarrita gets the message of a broken chunk, and of metadata that does not match', () => withAndWithoutPool(async (pool) => {
  registerCodecs(zarr.registry, { limits: { maxOutput: 1e6 }, pool });
  const { files } = stores['v3 pcodec int32'];
  const chunk = Object.keys(files).find((path) => path.startsWith('c/'));
  const open = async (files) => zarr.get(await zarr.open.v3(storeOf(files), { kind: 'array' }));
  const bytes = Buffer.from(files[chunk], 'base64');
  await assert.rejects(open({ ...files, [chunk]: bytes.subarray(0, bytes.length - 3).toString('base64') }), ({ cause }) => cause.name === 'Truncated');
  await assert.rejects(open({ ...files, [chunk]: stores['v3 pcodec int64'].files[chunk] }), ({ cause }) => cause.message === 'the chunk holds 40 of int64; the metadata says 40 of int32');
  // A chunk of the metadata's type that holds far more numbers than the metadata says.
  const numbers = read('pco/m_i32_classic_auto.pco');
  for (const limits of [undefined, { maxOutput: 1e9 }]) {
    registerCodecs(zarr.registry, { limits, pool });
    await assert.rejects(open({ ...files, [chunk]: Buffer.from(numbers).toString('base64') }), ({ cause }) => cause.name === 'OutputLimit');
  }
  registerCodecs(zarr.registry, { limits: { maxOutput: 100 }, pool });
  await assert.rejects(open(files), ({ cause }) => cause.name === 'OutputLimit');
  assert.throws(() => registerCodecs(zarr.registry, { pool: 1 }), TypeError);
  const entry = await zarr.registry.get('numcodecs.lzma')();
  for (const format of [0, 4]) assert.throws(() => entry.fromConfig({ format }), { name: 'TypeError', message: /formats 1, 2 and 3/ });
  const codec = entry.fromConfig({ format: 1 });
  assert.throws(() => codec.encode(new Uint8Array()), /no encoder/);
  registerCodecs(zarr.registry);
}));

/** The larger set of vectors, or that of the repository. */
const fixtures = process.env.UNSPOOL_VECTORS === undefined ? new URL('../../../tests/vectors/', import.meta.url) : pathToFileURL(`${process.env.UNSPOOL_VECTORS}/`);

test('zarrita reads every fixture of numcodecs, with and without a pool', () =>
  withAndWithoutPool(async (pool) => {
    registerCodecs(zarr.registry, { pool });
    const folder = new URL('numcodecs/pcodec/', fixtures);
    const names = { i: 'int', u: 'uint', f: 'float' };
    let count = 0;
    for (const codec of readdirSync(folder).filter((name) => name.startsWith('codec.'))) {
      for (const file of readdirSync(new URL(`${codec}/`, folder)).filter((name) => name.endsWith('.dat'))) {
        const npy = readFileSync(new URL(`array.${file.slice(8, 10)}.npy`, folder));
        const header = npy.toString('latin1', 10, 10 + npy.readUInt16LE(8));
        const [, dtype, kind, width] = /'descr': '([<|](\w)(\d))'/.exec(header);
        const shape = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').filter((part) => part.trim() !== '').map(Number);
        const isFortran = header.includes("'fortran_order': True");
        const meta = { zarr_format: 2, shape, chunks: shape, dtype, compressor: JSON.parse(readFileSync(new URL(`${codec}/config.json`, folder), 'utf8')), fill_value: 0, order: isFortran ? 'F' : 'C', filters: null };
        const files = { '.zarray': Buffer.from(JSON.stringify(meta)), [shape.map(() => 0).join('.')]: readFileSync(new URL(`${codec}/${file}`, folder)) };
        const values = await readArray({ get: async (path) => files[path.slice(1)] }, 'v2', `${names[kind]}${8 * width}`, shape, `${codec} ${file}`);
        assert.deepEqual(values, isFortran ? transposed(npy.subarray(10 + npy.readUInt16LE(8)), shape, width) : npy.subarray(10 + npy.readUInt16LE(8)), `${codec} ${file}`);
        count++;
      }
    }
    assert.equal(count, process.env.UNSPOOL_VECTORS === undefined ? 80 : 110);
  }));

/** Reorders the columns of a matrix to rows. */
function transposed(bytes, [rows, columns], width) {
  const result = Buffer.alloc(bytes.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) bytes.copy(result, width * (row * columns + column), width * (column * rows + row), width * (column * rows + row + 1));
  }
  return result;
}

test('zarr.js reads arrays of zarr-python 2 with the classes for numcodecs.js', async () => {
  const zarrJs = await library('zarr', 'core.mjs');
  for (const codec of [GZip, LZMA, PCodec, Zstd]) zarrJs.addCodec(codec.codecId, () => codec);
  const kinds = new Set();
  for (const [name, { dtype, shape, files, expected }] of Object.entries(stores)) {
    // zarr.js knows neither 64-bit integers nor half floats, nor another order than C.
    if (!name.startsWith('v2') || /int64|float16| F$/.test(`${dtype} ${name}`)) continue;
    const store = {
      getItem: (path) => Uint8Array.from(Buffer.from(files[path], 'base64')).buffer,
      containsItem: (path) => files[path] !== undefined,
    };
    const { data } = await (await zarrJs.openArray({ store, mode: 'r' })).getRaw();
    assert.equal(data.length, shape[0] * shape[1]);
    assert.deepEqual(bytesOf(data), Buffer.from(expected, 'base64'), name);
    kinds.add(name.replace(dtype, '').trim());
  }
  assert.equal(kinds.size, 10, [...kinds].join());
});

test('the classes for numcodecs.js decode what numcodecs.js encodes', async () => {
  const theirs = await library('numcodecs', 'dist/index.js');
  const bytes = read('xz/page.csv');
  for (const [Ours, Theirs] of [[Zstd, theirs.Zstd], [GZip, theirs.GZip]]) {
    assert.equal(Ours.codecId, Theirs.codecId);
    const configuration = { id: Ours.codecId };
    const encoded = await Theirs.fromConfig(configuration).encode(bytes);
    const codec = Ours.fromConfig(configuration);
    assert.deepEqual(await codec.decode(encoded), bytes);
    const out = new Uint8Array(bytes.length);
    assert.equal(await codec.decode(encoded, out), out);
    assert.deepEqual(out, bytes);
    await assert.rejects(codec.decode(encoded.subarray(0, 20)), { class: 'Truncated' });
    assert.throws(() => codec.encode(bytes), /no encoder/);
  }
  assert.throws(() => LZMA.fromConfig({ format: 4 }), TypeError);
});

const tables = json('tables.json');
const tableFile = (name) => new Uint8Array(Buffer.from(tables.files[name], 'base64'));

test('hyparquet reads Parquet files of pyarrow in ZSTD and GZIP', async () => {
  const { parquetReadObjects } = await library('hyparquet', 'src/index.js');
  for (const name of ['zstd.parquet', 'gzip.parquet']) {
    const { buffer: file } = tableFile(name);
    const seen = [];
    const counted = Object.fromEntries(Object.entries(compressors).map(([codec, decode]) => [codec, (...args) => (seen.push(codec), decode(...args))]));
    const rows = await parquetReadObjects({ file, compressors: counted });
    for (const [column, values] of Object.entries(tables.expected)) {
      assert.deepEqual(rows.map((row) => (column === 'number' ? String(row[column]) : row[column])), values, `${name} ${column}`);
    }
    assert.deepEqual([...new Set(seen)], [name.split('.')[0].toUpperCase()]);
  }
  // A page cannot grow beyond the length that the file states.
  const page = read('zstd/rfc8878/text-1025.zst');
  assert.equal(compressors.ZSTD(page, 1025).length, 1025);
  assert.throws(() => compressors.ZSTD(page, 1024), { name: 'OutputLimit' });
});

test('apache-arrow and flechette read IPC of pyarrow in ZSTD', async () => {
  const arrow = await library('apache-arrow');
  arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, zstdCodec);
  const flechette = await library('@uwdata/flechette', 'src/index.js');
  flechette.setCompressionCodec(flechette.CompressionType.ZSTD, zstdCodec);
  for (const name of ['zstd.stream', 'zstd.file']) {
    for (const table of [arrow.tableFromIPC(tableFile(name)), flechette.tableFromIPC(tableFile(name), { useBigInt: true })]) {
      for (const [column, values] of Object.entries(tables.expected)) {
        assert.deepEqual(Array.from(table.getChild(column), (value) => (column === 'number' ? String(value) : value)), values, `${name} ${column}`);
      }
    }
  }
});

test('apache-arrow and flechette read results of every kind', async () => {
  const arrow = await library('apache-arrow');
  const flechette = await library('@uwdata/flechette', 'src/index.js');
  /** Reads a table with both libraries. */
  const both = (source, options) => {
    const bytes = toArrowIPC(source, options);
    return [arrow.tableFromIPC(bytes), flechette.tableFromIPC(bytes, { useBigInt: true })];
  };
  const { files } = JSON.parse(readFileSync(new URL('../../../tests/vectors/pco/manifest.json', import.meta.url), 'utf8'));
  const types = new Set();
  for (const { file, n, dtype } of files.filter(({ dtype }) => dtype !== 'mixed')) {
    const numbers = decodePco(read(`pco/${file}`));
    for (const table of both(numbers, { name: 'x' })) {
      const values = Array.from(table.getChild('x'));
      assert.equal(values.length, n, file);
      if (dtype !== 'f16') assert.deepEqual(values, Array.from(numbers.data), file);
      else assert.deepEqual(values.map(Number), Array.from(decodePco(read(`pco/${file}`), { as: 'float64' }).data), file);
    }
    types.add(dtype);
  }
  assert.equal(types.size, 11);
  // Vectors, one column or several.
  for (const path of ['cvc/med_fp16.cvc', 'cvc/v1_int8.cvc', 'cvc/v2_multi.cvc'].filter((path) => readdirSync(new URL('../../../tests/vectors/cvc/', import.meta.url)).includes(path.slice(4)))) {
    const decoded = await decode(read(path));
    for (const table of both(decoded)) {
      for (const { column, shape, data } of decoded.columns) {
        const rows = Array.from(table.getChild(column || 'value'), (row) => Array.from(row));
        assert.equal(rows.length, shape[0]);
        assert.deepEqual(rows.flat(), Array.from(data), path);
      }
    }
  }
  const onpair = read('onpair/cpp/urls_b12.onp');
  const texts = openOnPair(onpair).texts();
  for (const table of both(decodeOnPair(onpair), { name: 'url' })) assert.deepEqual(Array.from(table.getChild('url')), texts);
  // Rows that are not text are bytes. A letter that two rows share is no text either.
  const letter = Buffer.from('aéb');
  for (const offsets of [Uint32Array.of(0, 2, 4), Uint32Array.of(0, 4)]) {
    const isText = offsets.length === 2;
    for (const table of both({ offsets, bytes: new Uint8Array(letter) })) {
      const values = Array.from(table.getChild('value'));
      assert.deepEqual(values.map((value) => (isText ? value : Array.from(value))), isText ? ['aéb'] : [[...letter.subarray(0, 2)], [...letter.subarray(2)]]);
    }
  }
  for (const table of both({ offsets: Uint32Array.of(0), bytes: new Uint8Array() })) assert.equal(table.numRows, 0);
  for (const wrong of [await decode(read('xz/page.xz')), await decode(read('at1/c8_events.at1')), await decode(read('pco/mixed_dtypes.pco')), null, 7]) assert.throws(() => toArrowIPC(wrong), TypeError);
});

/** The first vector of each type of numbers, with at least two numbers. */
function numbersOfEachType() {
  const { files } = JSON.parse(readFileSync(new URL('../../../tests/vectors/pco/manifest.json', import.meta.url), 'utf8'));
  const types = new Map(files.filter(({ n, dtype }) => n > 1 && dtype !== 'mixed').map(({ file, dtype }) => [dtype, decodePco(read(`pco/${file}`))]));
  assert.equal(types.size, 11);
  return [...types.values()];
}

test('DuckDB-wasm queries results of every kind', async () => {
  const duckdb = require('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs');
  const [mvp, eh] = ['mvp', 'eh'].map((name) => ({ mainModule: require.resolve(`@duckdb/duckdb-wasm/dist/duckdb-${name}.wasm`), mainWorker: '' }));
  const database = await duckdb.createDuckDB({ mvp, eh }, new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);
  await database.instantiate();
  const connection = database.connect();
  const insert = (name, source, options) => connection.insertArrowFromIPCStream(toArrowIPC(source, options), { name, create: true });
  const query = (sql) => connection.query(sql).toArray().map((row) => ({ ...row }));
  for (const { dtype, data } of numbersOfEachType()) {
    // DuckDB has no half floats.
    if (dtype === 'float16') {
      assert.throws(() => insert('halves', { dtype, data }), /Unsupported/);
      continue;
    }
    insert(dtype, { dtype, data });
    assert.deepEqual(Array.from(connection.query(`select value from ${dtype}`).getChild('value')), Array.from(data), dtype);
    const [{ count }] = query(`select count(*)::integer as count from ${dtype} where value = (select max(value) from ${dtype})`);
    assert.ok(count > 0, dtype);
  }
  const { columns: [vectors] } = await decode(read('cvc/med_fp16.cvc'));
  insert('vectors', vectors, { name: 'v' });
  const [rows, dimension] = vectors.shape;
  const distances = query('select array_distance(v, (select v from vectors limit 1)) as distance from vectors').map(({ distance }) => distance);
  assert.equal(distances.length, rows);
  distances.forEach((distance, row) => {
    const squares = vectors.data.subarray(row * dimension, (row + 1) * dimension).reduce((sum, value, at) => sum + (value - vectors.data[at]) ** 2, 0);
    assert.ok(Math.abs(distance - Math.sqrt(squares)) < 1e-4, `row ${row}`);
  });
  const strings = openOnPair(read('onpair/cpp/urls_b12.onp'));
  insert('urls', strings.decode(), { name: 'url' });
  const found = query("select url from urls where starts_with(url, 'https') order by url").map(({ url }) => url);
  assert.ok(found.length > 10);
  assert.deepEqual(found, strings.texts(strings.search({ startsWith: 'https' })).sort());
});

test('Perspective loads numbers and strings', async () => {
  const { default: perspective } = await library('@finos/perspective', 'dist/esm/perspective.node.js');
  const load = (source, options) => perspective.table(toArrowIPC(source, options).buffer);
  const columnsOf = async (table) => (await table.view()).to_columns();
  for (const { dtype, data } of numbersOfEachType()) {
    if (dtype === 'float16') {
      await assert.rejects(load({ dtype, data }), /halffloat/);
      continue;
    }
    const table = await load({ dtype, data });
    assert.deepEqual(await table.schema(), { value: dtype.startsWith('float') ? 'float' : 'integer' });
    assert.equal(await table.size(), data.length);
    // Perspective reads integers without sign as with one, but for 32 bits, and 64 bits as doubles.
    const signed = { uint8: Int8Array, uint16: Int16Array, uint64: BigInt64Array }[dtype];
    const read = signed === undefined ? data : new signed(data.buffer);
    const { value } = await columnsOf(table);
    // Its rows are JSON, which has no infinities.
    const expected = Array.from(read, (number) => (Number.isFinite(Number(number)) ? Number(number) : null));
    value.forEach((number, row) => assert.ok(number === expected[row], `${dtype} ${row}: ${number}, not ${expected[row]}`));
  }
  await assert.rejects(load(await decode(read('cvc/med_fp16.cvc'))), /fixed_size_list/);
  const strings = openOnPair(read('onpair/cpp/urls_b12.onp'));
  const table = await load(strings.decode(), { name: 'url' });
  assert.deepEqual(await columnsOf(table), { url: strings.texts() });
  const view = await table.view({ filter: [['url', 'begins with', 'https']] });
  assert.equal(await view.num_rows(), strings.search({ startsWith: 'https' }).length);
});

test('loaders.gl loads files of every kind', async () => {
  const { parse, selectLoader } = await library('@loaders.gl/core', 'dist/index.js');
  const cases = [
    [PcoLoader, 'pco/assets/v1_0_0_conv1.pco'], [CvcLoader, 'cvc/med_fp16.cvc'], [OnPairLoader, 'onpair/cpp/urls_b12.onp'], [At1Loader, 'at1/c8_events.at1'],
    [ZstdLoader, 'zstd/rfc8878/text-1025.zst'], [XzLoader, 'xz/page.xz'],
  ];
  const loaders = cases.map(([loader]) => loader);
  for (const [loader, path] of cases) {
    const bytes = read(path);
    const { buffer } = bytes;
    assert.equal((await selectLoader(buffer, loaders))?.id, loader.id);
    assert.deepEqual(await parse(buffer, loaders), await decode(bytes), path);
    await assert.rejects(parse(buffer.slice(0, buffer.byteLength >> 1), loader), /truncated|Truncated|needs/);
  }
  await assert.rejects(parse(read('xz/page.xz').buffer, PcoLoader), /expected pco, found xz/);
  const limited = { pco: { limits: { maxOutput: 10 } } };
  await assert.rejects(parse(read('pco/assets/v1_0_0_conv1.pco').buffer, PcoLoader, limited), /limit/);
  const pool = new UnspoolPool({ workers: 1 });
  const pooled = loaders.map((loader) => withPool(loader, pool));
  for (const [, path] of cases) assert.deepEqual(await parse(read(path).buffer, pooled), await decode(read(path)), path);
  await assert.rejects(parse(read('xz/page.xz').buffer, withPool(PcoLoader, pool)), /expected pco, found xz/);
  await assert.rejects(parse(read('pco/assets/v1_0_0_conv1.pco').buffer, pooled, limited), /limit/);
  pool.terminate();
  await assert.rejects(parse(read('xz/page.xz').buffer, pooled), /terminated/);
  assert.throws(() => withPool(XzLoader, {}), /pool must be an UnspoolPool/);
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  for (const loader of loaders) assert.equal(loader.version, version);
});

test('runs every example', async () => {
  const { files } = stores['v2 pcodec int32'];
  const server = createServer(({ url, headers, method }, response) => {
    const path = decodeURIComponent(url.slice(1));
    const known = path.startsWith('array.zarr/') ? files[path.slice('array.zarr/'.length)] : path === 'table.parquet' ? tables.files['zstd.parquet'] : undefined;
    const bytes = path.endsWith('.pco') ? Buffer.from(read('pco/assets/v1_0_0_conv1.pco')) : known === undefined ? undefined : Buffer.from(known, 'base64');
    if (bytes === undefined) return response.writeHead(404).end();
    const [, start, end] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? [];
    if (method === 'HEAD') return response.writeHead(200, { 'Content-Length': bytes.length }).end();
    if (start === undefined) return response.end(bytes);
    const [from, to] = start === '' ? [bytes.length - Number(end), bytes.length - 1] : [Number(start), end === '' ? bytes.length - 1 : Number(end)];
    const part = bytes.subarray(from, to + 1);
    return response.writeHead(206, { 'Content-Range': `bytes ${from}-${from + part.length - 1}/${bytes.length}` }).end(part);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'unspool-'));
  try {
    // A project with the libraries and the package.
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    const libraries = fileURLToPath(new URL('./adapters/node_modules/', import.meta.url));
    for (const name of readdirSync(libraries).filter((name) => !name.startsWith('.'))) symlinkSync(join(libraries, name), join(modules, name));
    symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(modules, 'unspool'));
    const address = `http://127.0.0.1:${server.address().port}/`;
    for (const [name, path, output] of [
      ['zarrita', 'array.zarr', /^\[ 13, 21 \] \d+\.\d+\n$/],
      ['numcodecs', 'array.zarr', /^\[ 13, 21 \] \d+\.\d+\n$/],
      ['hyparquet', 'table.parquet', /^\[\n  \{ number: 0n?, float: 0, text: 'row 0' \},\n/],
      ['arrow', 'numbers.pco', /^Schema<\{ 0: value: Int32 \}> 2000\n$/],
      ['loaders', 'numbers.pco', /^int32 2000\n$/],
      ['pool', 'numbers.pco', /^int32 2000\n$/],
    ]) {
      copyFileSync(new URL(`../examples/${name}.mjs`, import.meta.url), join(folder, `${name}.mjs`));
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, `${name}.mjs`), address + path]);
      assert.match(stdout, output, name);
    }
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});
