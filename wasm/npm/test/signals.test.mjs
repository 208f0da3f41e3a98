// Every asynchronous call takes a signal.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { decode, decodeInto, inspect, open, readBlob } from 'unspool';
import { at1Text, describeAt1, queryAt1 } from 'unspool/at1';
import { openCvc } from 'unspool/cvc';
import { init } from 'unspool/gzip/separate';
import { loadInspector, outline } from 'unspool/inspect';
import { openOnPairFile } from 'unspool/onpair';
import { UnspoolPool } from 'unspool/worker';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
const [at1, cvc, onpair, pco] = ['at1/c8_events.at1', 'cvc/med_fp16.cvc', 'onpair/cpp/urls_b12.onp', 'pco/assets/v1_0_0_conv1.pco'].map(read);
const vectors = await openCvc(new Blob([cvc]));
const strings = await openOnPairFile(new Blob([onpair]));
const opened = await open(new Blob([pco]));
const table = await open(new Blob([at1]));
const pool = new UnspoolPool({ workers: 1 });

/** The first piece of a generator. */
const first = async (pieces) => (await pieces.next()).value;

/** Every call with a signal, and the file that it reads. */
const calls = {
  decode: (signal) => decode(pco, { signal }),
  decodeInto: (signal) => decodeInto(pco, new Int32Array(3000), { signal }),
  inspect: (signal) => inspect(pco, { signal }),
  loadInspector: (signal) => loadInspector('onpair', { signal }),
  init: (signal) => init(new Uint8Array(), { signal }),
  readBlob: (signal) => readBlob(new Blob([pco]), { signal }),
  'file.decode': (signal) => opened.decode({ signal }),
  'file.query': (signal) => table.query({ signal }),
  'vectors.rows': (signal) => vectors.column().rows(0, 1, { signal }),
  'vectors.plan': (signal) => vectors.column().plan(0, 1, { signal }),
  'strings.row': (signal) => strings.row(0, { signal }),
  'strings.text': (signal) => strings.text(0, { signal }),
  'strings.rows': (signal) => strings.rows(0, 1, { signal }),
  'strings.texts': (signal) => strings.texts([0], { signal }),
  'strings.decode': (signal) => strings.decode(0, 1, { signal }),
  'strings.search': (signal) => strings.search({ contains: 'a' }, { signal }),
  'pool.decode': (signal) => pool.decode(pco, { signal }),
  'pool.decodeInto': (signal) => pool.decodeInto(pco, new Int32Array(3000), { signal }),
  'pool.ready': (signal) => pool.ready({ signal }),
};

/** Calls that read a source. */
const readers = {
  open: (file, signal) => open(file, { signal }),
  openCvc: (file, signal) => openCvc(file, { signal }),
  openOnPairFile: (file, signal) => openOnPairFile(file, { signal }),
  describeAt1: (file, signal) => describeAt1(file, { signal }),
  queryAt1: (file, signal) => queryAt1(file, { signal }),
  at1Text: (file, signal) => first(at1Text(file, { signal })),
  outline: (file, signal) => outline(file, { signal }),
};
for (const name of ['decode', 'decodeAt1', 'decodeCvc', 'decodeGzip', 'decodeLzma', 'decodeOnPair', 'decodePco', 'decodeXz', 'decodeZstd', 'inspect', 'queryAt1']) {
  readers[`pool.${name}`] = (file, signal) => pool[name](file, { signal });
}

test('every call refuses a signal that has aborted', async () => {
  const reason = new Error('before');
  for (const [name, call] of Object.entries(calls)) await assert.rejects(call(AbortSignal.abort(reason)), reason, name);
  for (const [name, call] of Object.entries(readers)) await assert.rejects(call(pco, AbortSignal.abort(reason)), reason, name);
});

test('every call that reads ends when its signal aborts, even if the reader ignores it', async () => {
  for (const [name, call] of Object.entries(readers)) {
    const [stop, reason] = [new AbortController(), new Error('meanwhile')];
    const never = { size: 1e6, read: () => new Promise(() => setTimeout(() => stop.abort(reason), 5)) };
    await assert.rejects(call(never, stop.signal), reason, name);
  }
});

test('readBlob ends when its signal aborts, even if the Blob never answers', async () => {
  class Silent extends Blob {
    stream() {
      return new ReadableStream({ pull: () => new Promise(() => setTimeout(() => stop.abort(reason), 5)) });
    }
  }
  const [stop, reason] = [new AbortController(), new Error('meanwhile')];
  await assert.rejects(readBlob(new Silent([pco]), { signal: stop.signal }), reason);
});

test('every call that reads ends when its signal aborts', async () => {
  for (const [name, call] of Object.entries(readers)) {
    const [stop, reason] = [new AbortController(), new Error('meanwhile')];
    let isOver = false;
    const file = {
      size: 1e6,
      read: (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(((isOver = true), signal.reason)));
          setTimeout(() => stop.abort(reason), 5);
        }),
    };
    await assert.rejects(call(file, stop.signal), reason, name);
    assert.ok(isOver, `${name} ends the read`);
  }
  pool.terminate();
});

test('reads leave no listener on their signal, even if garbage is collected meanwhile', () => {
  const script = `
    Promise.all([import('unspool'), import('node:events')]).then(async ([{ openSource }, { getEventListeners }]) => {
      const { signal } = new AbortController();
      const read = () => new Promise((resolve) => setTimeout(() => resolve(new Uint8Array(1)), 2));
      const source = await openSource({ size: 1, read }, { signal });
      for (let turn = 0; turn < 10; turn++) {
        const reads = Promise.all(Array.from({ length: 5 }, () => source.read({ start: 0, end: 1 })));
        await new Promise((resolve) => setImmediate(resolve));
        gc();
        await reads;
      }
      console.log(getEventListeners(signal, 'abort').length);
    });`;
  const said = execFileSync(process.execPath, ['--expose-gc', '-e', script], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
  assert.equal(said, '0\n');
});

test('init ends a download, and waiting for a module, and can be repeated', async () => {
  const server = createServer(() => undefined);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [stop, reason] = [new AbortController(), new Error('enough')];
  server.once('request', () => stop.abort(reason));
  await assert.rejects(init(`http://127.0.0.1:${server.address().port}/`, { signal: stop.signal }), reason);
  server.closeAllConnections();
  server.close();
  const late = new AbortController();
  const waiting = init(new Promise(() => undefined), { signal: late.signal });
  late.abort(reason);
  await assert.rejects(waiting, reason);
  await init(readFileSync(new URL(import.meta.resolve('unspool/gzip.wasm'))), { signal: new AbortController().signal });
});
