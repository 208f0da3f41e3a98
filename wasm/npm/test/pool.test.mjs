// Pools: the results of the direct calls, order, bounds, aborts, and modules that are shared.
import assert from 'node:assert/strict';
import { existsSync, openAsBlob, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { SourceError, UnspoolError } from 'unspool';
import { queryAt1 } from 'unspool/at1';
import { UnspoolPool } from 'unspool/worker';
import { decode, decodeAt1, decodeCvc, decodeGzip, decodeInto, decodeLzma, decodeOnPair, decodePco, decodePcoPages, decodeXz, decodeZstd, inspect } from './all.mjs';
import { PoolBase } from '../dist/worker/pool.js';
import { bad, settled, valid } from './vectors.mjs';

const url = (path) => new URL(`../../../tests/vectors/${path}`, import.meta.url);
const read = (path) => new Uint8Array(readFileSync(url(path)));
const cvc = read('cvc/med_fp16.cvc');
const onpair = read('onpair/cpp/urls_b12.onp');
const pco = read('pco/assets/v1_0_0_conv1.pco');
const at1 = read('at1/c8_events.at1');

/** Repeats bytes. */
const repeated = (bytes, count) => Buffer.concat(Array.from({ length: count }, () => bytes));

/** Large files, which a pool decodes in steps. */
const large = {
  // The content is in no known format.
  gzip: gzipSync(repeated(at1.subarray(1), 300), { level: 0 }),
  xz: repeated(read('xz/page.xz'), 1200),
  zstd: repeated(read('zstd/rfc8878/text-1025.zst'), 2000),
};

/** Runs a test with a pool of threads. Records the threads, and the modules that each receives. */
async function withPool(options, run, code = "import('unspool/worker/host')") {
  const threads = [];
  const start = (onMessage, onError) => {
    const worker = new Worker(code, { eval: true });
    const thread = { worker, modules: [], jobs: [] };
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (message, transfer) => {
      if ('module' in message) thread.modules.push(message);
      if ('job' in message) thread.jobs.push(message.job.name);
      post(message, transfer);
    };
    threads.push(thread);
    worker.on('message', onMessage).on('error', onError).on('exit', () => onError(new Error('the worker exited')));
    return worker;
  };
  const pool = new PoolBase(start, options);
  try {
    await run(pool, threads);
  } finally {
    pool.terminate();
  }
}

/** A pool whose workers do nothing by themselves. */
function puppets(options) {
  const lines = [];
  const start = (hear, die) => {
    const line = { hear, die, sent: [], terminate: () => undefined };
    line.postMessage = (message) => line.sent.push(message);
    lines.push(line);
    queueMicrotask(() => hear({ ready: true }));
    return line;
  };
  return { pool: new PoolBase(start, options), lines };
}

/** Returns an error without what differs between threads. */
const plainOf = (error) => (error instanceof UnspoolError ? { ...error.toJSON(), part: undefined } : { name: error.name, message: error.message });
const refusal = async (call) => {
  try {
    await call();
  } catch (error) {
    return plainOf(error);
  }
  return undefined;
};

test('returns the results of the direct calls, of every function and kind of file', async () => {
  const server = createServer((request, response) => {
    if (!existsSync(url(request.url.slice(1)))) return response.writeHead(404).end();
    const bytes = readFileSync(url(request.url.slice(1)));
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range);
    const part = bytes.subarray(Number(start), Number(end) + 1);
    return response.writeHead(206, { 'Content-Range': `bytes ${start}-${Number(start) + part.length - 1}/${bytes.length}` }).end(part);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${server.address().port}/`;
  try {
    await withPool({ workers: 2 }, async (pool) => {
      const cases = [
        ['at1/c8_events.at1', 'decode', {}, (bytes) => decode(bytes)],
        ['cvc/med_fp16.cvc', 'decode', {}, (bytes) => decode(bytes)],
        ['gzip/v1_int8.cvc.gz', 'decode', {}, (bytes) => decode(bytes)],
        ['onpair/cpp/urls_b12.onp', 'decode', {}, (bytes) => decode(bytes)],
        ['pco/mixed_dtypes.pco', 'decode', {}, (bytes) => decode(bytes)],
        ['xz/page.xz', 'decode', {}, (bytes) => decode(bytes)],
        ['zstd/rfc8878/text-1025.zst', 'decode', {}, (bytes) => decode(bytes)],
        ['cvc/med_fp16.cvc', 'inspect', { maxNodes: 20 }, (bytes, options) => inspect(bytes, options)],
        ['at1/c8_events.at1', 'decodeAt1', {}, (bytes) => decodeAt1(bytes)],
        ['cvc/med_fp16.cvc', 'decodeCvc', { as: 'float32', rows: [3, 9] }, (bytes, options) => decodeCvc(bytes, options)],
        ['cvc/med_fp16.cvc', 'decodeCvc', { checksums: 'skip' }, (bytes, options) => decodeCvc(bytes, options)],
        ['gzip/v1_int8.cvc.gz', 'decodeGzip', {}, (bytes) => decodeGzip(bytes)],
        ['lzma/page.lzma', 'decodeLzma', {}, (bytes) => decodeLzma(bytes)],
        ['onpair/cpp/urls_b12.onp', 'decodeOnPair', { rows: [5, 50] }, (bytes, options) => decodeOnPair(bytes, options)],
        ['pco/assets/v1_0_0_conv1.pco', 'decodePco', { as: 'float64' }, (bytes, options) => decodePco(bytes, options)],
        ['pco/assets/v1_0_0_conv1.pco', 'decodePco', {}, (bytes) => decodePco(bytes)],
        ['xz/page.xz', 'decodeXz', {}, (bytes) => decodeXz(bytes)],
        ['zstd/rfc8878/text-1025.zst', 'decodeZstd', { format: 'zstd' }, (bytes, options) => decodeZstd(bytes, options)],
        ['at1/c8_events.at1', 'queryAt1', { where: [{ column: 2, from: 5 }], limit: 9 }, async (bytes, options) => queryAt1(bytes, options)],
        ['at1/c8_events.at1', 'queryAt1', { as: 'bytes', limit: 9 }, async (bytes, options) => queryAt1(bytes, options)],
      ];
      const called = new Set(cases.map(([, name]) => name));
      for (const format of ['At1', 'Cvc', 'Gzip', 'Lzma', 'OnPair', 'Pco', 'Xz', 'Zstd']) assert.ok(called.has(`decode${format}`), format);
      for (const [path, name, options, direct] of cases) {
        const bytes = read(path);
        const wanted = await direct(bytes, options);
        const reader = { size: bytes.length, read: ({ start, end }) => bytes.subarray(start, end) };
        const files = [bytes, bytes.buffer, new Blob([bytes]), await openAsBlob(url(path)), reader, address + path, new URL(address + path), new Request(address + path)];
        for (const [kind, found] of (await Promise.all(files.map((file) => pool[name](file, options)))).entries()) {
          // A server is asked ahead.
          if (name === 'queryAt1') assert.deepEqual({ ...found, stats: undefined }, { ...wanted, stats: undefined }, `${path} ${kind}`);
          else assert.deepEqual(found, wanted, `${name} ${path} ${kind}`);
        }
        assert.equal(bytes.length, bytes.buffer.byteLength, 'still here');
      }
      // Errors of the calling side keep their class.
      await assert.rejects(pool.decode(`${address}pco/none.pco`), (error) => error instanceof SourceError && error.status === 404);
      await assert.rejects(pool.decode({ size: 9, read: () => Promise.reject(new SyntaxError('mine')) }), SyntaxError);
      await assert.rejects(pool.decode({ size: 9, read: () => new Uint8Array(3) }), RangeError);
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('decodes the pages of wrapped chunks', () =>
  withPool({ workers: 2 }, async (pool) => {
    const { sets } = JSON.parse(readFileSync(url('pco/wrapped/manifest.json'), 'utf8'));
    const names = { i: 'int', u: 'uint', f: 'float' };
    for (const { name, dtype, header, chunks } of sets) {
      const part = (file) => read(`pco/wrapped/${name}/${file}`);
      for (const { meta, pages } of chunks) {
        const make = () => ({ header: part(header), meta: part(meta), dtype: `${names[dtype[0]]}${dtype.slice(1)}`, pages: pages.map(({ file, n }) => ({ bytes: part(file), count: n })) });
        const wanted = decodePcoPages(make());
        assert.deepEqual(await pool.decodePcoPages(make()), wanted, name);
        const moved = make();
        assert.deepEqual(await pool.decodePcoPages(moved, { transfer: true }), wanted, name);
        assert.equal(moved.pages[0].bytes.length, 0, 'transferred');
        const cut = { ...make(), meta: new Uint8Array() };
        assert.deepEqual(await refusal(() => pool.decodePcoPages(cut)), await refusal(() => decodePcoPages(cut)));
      }
    }
    assert.ok(sets.length > 5);
    await assert.rejects(pool.decodePcoPages({ header: [9], meta: new Uint8Array(), pages: [], dtype: 'int32' }), TypeError);
    await assert.rejects(pool.decodePcoPages({ header: new Uint8Array(), meta: new Uint8Array(), pages: 7, dtype: 'int32' }), TypeError);
  }));

test('decodes into arrays of every class, and into shared memory', () =>
  withPool({ workers: 1 }, async (pool) => {
    for (const path of ['pco/assets/v1_0_0_conv1.pco', 'cvc/med_fp16.cvc', 'cvc/v1_int8.cvc', 'zstd/rfc8878/text-1025.zst', 'gzip/v1_int8.cvc.gz']) {
      const bytes = read(path);
      for (const Type of [Uint8Array, Int32Array, Float32Array, Int8Array]) {
        const direct = new Type(20_000).fill(7);
        const wanted = await refusal(() => decodeInto(bytes, direct));
        for (const to of [new Type(20_000).fill(7), new Type(20_010).fill(7).subarray(10), new Type(new SharedArrayBuffer(20_000 * Type.BYTES_PER_ELEMENT)).fill(7)]) {
          let count;
          assert.deepEqual(await refusal(async () => (count = await pool.decodeInto(bytes, to))), wanted, `${path} ${Type.name}`);
          if (wanted === undefined) assert.deepEqual([...to], [...direct], `${path} ${Type.name}`);
        }
      }
    }
    assert.deepEqual(await refusal(() => pool.decodeInto(pco, new Int32Array(100))), await refusal(() => decodeInto(pco, new Int32Array(100))));
    for (const wrong of [[], new DataView(new ArrayBuffer(8)), undefined]) await assert.rejects(pool.decodeInto(pco, wrong), TypeError);
    const gone = new Int32Array(3000);
    const job = pool.decodeInto(pco, gone);
    structuredClone(gone, { transfer: [gone.buffer] });
    await assert.rejects(job, /transferred/);
    // Larger than what is copied at once.
    const to = new Uint8Array(8e6);
    const count = await pool.decodeInto(large.gzip, to);
    assert.deepEqual(Buffer.compare(to.subarray(0, count), decodeGzip(large.gzip)), 0);
  }));

test('decodes large files in steps to the same bytes, and refuses them with the same error', () =>
  withPool({ workers: 2 }, async (pool, threads) => {
    const direct = { gzip: decodeGzip, xz: decodeXz, zstd: decodeZstd };
    for (const [format, bytes] of Object.entries(large)) {
      const name = `decode${format[0].toUpperCase()}${format.slice(1)}`;
      assert.ok(bytes.length > 2 ** 20, format);
      assert.equal(Buffer.compare(await pool[name](bytes), direct[format](bytes)), 0, format);
      assert.equal(Buffer.compare((await pool.decode(bytes)).bytes, direct[format](bytes)), 0, format);
      const flipped = bytes.slice();
      flipped[bytes.length - 40] ^= 4;
      for (const [broken, options] of [[bytes.subarray(0, bytes.length - 3), {}], [flipped, {}], [bytes, { limits: { maxOutput: 1e6 } }], [bytes, { limits: { maxWindow: 10 } }], [Buffer.concat([bytes, bytes.subarray(0, 5)]), {}]]) {
        assert.deepEqual(await refusal(() => pool[name](broken, options)), await refusal(() => direct[format](broken, options)), format);
      }
    }
    assert.ok(threads.some(({ modules }) => modules.some(({ module }) => module === 'xz-stream')));
    // A flavour without a magic number of its own.
    const draft = repeated(read('zstd/draft/csv-60000-flush1000-l19.zst'), 200);
    assert.equal(Buffer.compare(await pool.decodeZstd(draft), decodeZstd(draft)), 0);
  }));

test('refuses every broken vector of CVC as the direct call does', () =>
  withPool({ workers: 2 }, async (pool) => {
    assert.ok(bad.length > 20 && valid.length > 10);
    for (const { file } of bad) {
      const bytes = read(`cvc/bad/${file}`);
      for (const name of ['decode', 'decodeCvc']) {
        const direct = name === 'decode' ? decode : decodeCvc;
        assert.deepEqual(await refusal(() => pool[name](bytes)), await refusal(() => direct(bytes)), `${name} ${file}`);
      }
    }
  }));

test('shares one compiled module, and loads only the format at hand', () =>
  withPool({ workers: 3 }, async (pool, threads) => {
    await Promise.all(Array.from({ length: 12 }, () => pool.decode(pco)));
    assert.equal(threads.length, 3);
    for (const { modules, jobs } of threads) {
      assert.ok(jobs.length > 0);
      assert.deepEqual(modules.map(({ module }) => module), ['pco']);
      assert.equal(modules[0].compiled, threads[0].modules[0].compiled, 'compiled once');
    }
    await pool.decode(gzipSync(cvc));
    assert.deepEqual(threads.flatMap(({ modules }) => modules.map(({ module }) => module)).sort(), ['cvc', 'gzip', 'pco', 'pco', 'pco']);
  }));

test('embeds no module in the code of a worker', async () => {
  const { build } = createRequire(new URL('./projects/package.json', import.meta.url))('esbuild');
  // A module as text starts with 256 bytes in hexadecimal.
  const embeds = /[0-9a-f]{512}/;
  assert.match(readFileSync(new URL('../dist/inlined/pco.js', import.meta.url), 'utf8'), embeds);
  for (const host of ['host', 'host-node']) {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL(`../dist/worker/${host}.js`, import.meta.url))],
      bundle: true, format: 'esm', splitting: true, platform: 'neutral', external: ['node:*'], write: false, metafile: true, outdir: '/out', logLevel: 'error',
    });
    const inputs = Object.keys(metafile.inputs);
    assert.ok(inputs.some((path) => /\/pco-separate\b/.test(path)));
    assert.deepEqual(inputs.filter((path) => embeds.test(readFileSync(path, 'utf8'))), []);
  }
  assert.doesNotMatch(readFileSync(new URL('../dist/worker/host-node.cjs', import.meta.url), 'utf8'), embeds);
});

test('runs jobs in order of priority, and of the same priority in order of arrival', async () => {
  const { pool, lines } = puppets({ workers: 1 });
  const order = [];
  const jobs = [0, 0, 5, -1, 5, 0, Infinity].map((priority, at) => pool.decode(pco, { priority }).then(() => order.push(at)));
  for (let at = 0; at < jobs.length; at++) {
    await settled();
    lines[0].hear({ result: {} });
  }
  await Promise.all(jobs);
  assert.deepEqual(order, [0, 6, 2, 4, 1, 5, 3]);
  for (const priority of ['high', NaN, null]) await assert.rejects(pool.decode(pco, { priority }), TypeError);
});

test('bounds its queue, and tells when there is room', async () => {
  assert.equal(puppets({ workers: 1 }).pool.room, 1000, 'by default');
  const { pool, lines } = puppets({ workers: 2, maxQueue: 3 });
  const finish = async (at) => {
    lines[at].hear({ result: at });
    await settled();
  };
  const jobs = Array.from({ length: 5 }, () => pool.decode(pco));
  assert.equal(pool.room, 0);
  await assert.rejects(pool.decode(pco), { name: 'QuotaExceededError', message: /3 jobs wait already/ });
  const woken = [];
  const stop = new AbortController();
  for (const name of ['a', 'b', 'c']) void pool.ready().then(() => woken.push(name));
  const aborted = pool.ready({ signal: stop.signal });
  await settled();
  assert.deepEqual(woken, []);
  stop.abort(new Error('no more'));
  await assert.rejects(aborted, /no more/);
  await finish(0);
  assert.deepEqual(woken, ['a']);
  // Its caller takes the room.
  jobs.push(pool.decode(pco));
  assert.equal(pool.room, 0);
  const queued = new AbortController();
  await finish(1);
  assert.deepEqual(woken, ['a', 'b']);
  const refused = assert.rejects(pool.decode(pco, { signal: queued.signal }), { name: 'AbortError' });
  await settled();
  assert.equal(pool.room, 0);
  queued.abort();
  await refused;
  assert.deepEqual(woken, ['a', 'b', 'c']);
  for (let turn = 0; turn < 2; turn++) for (const at of [0, 1]) await finish(at);
  await Promise.all(jobs);
  assert.equal(pool.room, 3);
  await pool.ready();
  await assert.rejects(pool.ready({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.throws(() => puppets({ workers: 0 }), RangeError);
  assert.throws(() => puppets({ workers: 1, maxQueue: 0 }), RangeError);
  assert.throws(() => puppets({ workers: 1.5 }), TypeError);
  assert.throws(() => new UnspoolPool({ wokers: 1 }), TypeError);
});

test('wakes everybody who waits for room when the pool ends', async () => {
  const { pool } = puppets({ workers: 1, maxQueue: 1 });
  const jobs = [pool.decode(pco), pool.decode(pco)].map((job) => assert.rejects(job, { name: 'AbortError', message: /terminated/ }));
  const waits = [pool.ready(), pool.ready()];
  await settled();
  pool.terminate();
  await Promise.all(waits);
  await Promise.all(jobs);
  await assert.rejects(pool.decode(pco), { name: 'AbortError' });
  pool.terminate();
});

test('aborts a queued job without any message', async () => {
  const { pool, lines } = puppets({ workers: 1 });
  const stop = new AbortController();
  const jobs = [pool.decode(pco), pool.decode(pco, { signal: stop.signal })];
  await settled();
  stop.abort(new Error('no need'));
  await assert.rejects(jobs[1], /no need/);
  assert.deepEqual(lines.map(({ sent }) => sent.length), [1]);
  lines[0].hear({ result: 1 });
  assert.equal(await jobs[0], 1);
});

/** Aborts a job once it has begun, and waits until the worker is free again. */
async function abortRunning(pool, run) {
  const stop = new AbortController();
  let job;
  await new Promise((begin) => (job = run(stop.signal, begin)));
  stop.abort();
  const next = pool.decode(pco);
  await assert.rejects(job, { name: 'AbortError' });
  await next;
}

/** Reports the begin of a job that has its bytes. */
const atWork = (begin) => ({ phase }) => phase === 'work' && begin();

test('ends running jobs that work in steps, and keeps their workers and modules', () =>
  withPool({ workers: 1, grace: 20_000 }, async (pool, threads) => {
    const huge = { gzip: repeated(gzipSync(repeated(at1.subarray(1), 300)), 300), xz: repeated(large.xz, 100), zstd: repeated(large.zstd, 100) };
    await pool.decode(pco);
    for (const bytes of Object.values(huge)) await abortRunning(pool, (signal, begin) => pool.decode(bytes, { signal, onProgress: atWork(begin) }));
    // A read that never ends.
    const stuck = (begin, signal) => new Promise((_, reject) => (signal.addEventListener('abort', () => reject(signal.reason)), begin()));
    const waits = (begin) => ({ size: cvc.length, read: ({ start, end }, signal) => (start === 0 ? cvc.subarray(start, end) : stuck(begin, signal)) });
    await abortRunning(pool, (signal, begin) => pool.decodeCvc(waits(begin), { signal }));
    await abortRunning(pool, (signal, begin) => pool.queryAt1({ size: at1.length, read: () => new Promise(() => begin()) }, { signal }));
    assert.equal(threads.length, 1);
    assert.equal(threads[0].modules.filter(({ module }) => module === 'pco').length, 1);
  }));

test('replaces the worker of an aborted job that works at once', () =>
  withPool({ workers: 1 }, async (pool, threads) => {
    const huge = new Uint8Array(400e6);
    huge.set(cvc);
    await pool.decode(pco);
    // With the inspector loaded, nothing interrupts the job once it has begun.
    await pool.inspect(cvc);
    await abortRunning(pool, (signal, begin) => pool.inspect(huge, { signal, transfer: true, onProgress: atWork(begin) }));
    assert.equal(threads.length, 2);
    assert.equal(threads[1].modules[0].compiled, threads[0].modules[0].compiled, 'not compiled again');
  }));

test('rejects the job of a worker that crashes, and replaces it', () =>
  withPool(
    { workers: 2 },
    async (pool, threads) => {
      const jobs = [pool.decode(pco), pool.decodeXz(read('xz/page.xz')), pool.decode(cvc), pool.decode(pco), pool.decodeZstd(read('zstd/rfc8878/text-1025.zst'))];
      // Either may be rejected first.
      await Promise.all([assert.rejects(jobs[1], /the worker exited/), assert.rejects(jobs[4], /out of order/)]);
      for (const at of [0, 2, 3]) assert.ok((await jobs[at]).format);
      assert.deepEqual(await pool.decode(onpair), decode(onpair));
      assert.ok(threads.length >= 3, String(threads.length));
    },
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', ({ job }) => {
       if (job?.name === 'decodeXz') process.exit(1);
       if (job?.name === 'decodeZstd') throw new Error('out of order');
     });
     import('unspool/worker/host');`,
  ));

test('reads a file for a job only while the job runs', () =>
  withPool({ workers: 1 }, async (pool) => {
    const stop = new AbortController();
    let aborted = 0;
    const file = {
      size: 1e6,
      read: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject((aborted++, signal.reason)));
          stop.abort();
        }),
    };
    await assert.rejects(pool.decode(file, { signal: stop.signal }), { name: 'AbortError' });
    assert.equal(aborted, 1);
    assert.equal((await pool.decode(pco)).format, 'pco');
  }));
