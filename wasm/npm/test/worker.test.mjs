// Workers: the same results, progress, and cancellation.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { openAsBlob, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { decode, inspect, UnspoolError } from './all.mjs';
import { UnspoolWorker } from 'unspool/worker';
import { PoolBase } from '../dist/worker/pool.js';
import { settled } from './vectors.mjs';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
const cvc = read('cvc/med_fp16.cvc');
const onpair = read('onpair/cpp/urls_b12.onp');

/** Runs a test with a worker, and terminates it. */
async function withWorker(run) {
  const worker = new UnspoolWorker();
  try {
    await run(worker);
  } finally {
    worker[Symbol.dispose]();
  }
}

test('returns the results of the direct calls', () =>
  withWorker(async (worker) => {
    const [first, second, found] = await Promise.all([worker.decode(cvc), worker.decode(new Blob([onpair])), worker.inspect(cvc)]);
    assert.deepEqual(first, decode(cvc));
    assert.deepEqual(second, decode(onpair));
    assert.deepEqual(found, inspect(cvc));
    assert.equal(cvc.length > 0, true, 'the bytes are still here');
  }));

test('starts a thread with the function of a bundler', async () => {
  let started = 0;
  const worker = new UnspoolWorker({ start: () => (started++, new Worker("import('unspool/worker/host')", { eval: true })) });
  assert.deepEqual(await worker.decode(onpair), decode(onpair));
  worker.terminate();
  assert.equal(started, 1);
  assert.throws(() => new UnspoolWorker({ strat: 1 }), TypeError);
});

test('keeps class, number, offset and part of an error', () =>
  withWorker(async (worker) => {
    const broken = read('cvc/bad/payload_flip.cvc');
    await assert.rejects(worker.decode(broken), { name: 'CvcCrc', part: undefined });
    await worker.inspect(broken);
    // The worker has the inspector by now.
    await assert.rejects(worker.decode(broken), (error) => {
      assert.ok(error instanceof UnspoolError);
      const same = inspect(broken).error;
      assert.deepEqual(error.toJSON(), same.toJSON());
      assert.ok(error.part !== undefined);
      return true;
    });
    assert.equal((await worker.inspect(broken)).error.name, 'CvcCrc');
    await assert.rejects(worker.decode(cvc, { limits: { nonsense: 1 } }), TypeError);
    for (const call of ['decode', 'inspect']) await assert.rejects(worker[call]('CVCF'), TypeError);
    await assert.rejects(worker.decode(cvc, { dictionary: 'CVCF' }), /dictionary must be/);
  }));

test('keeps the message of an error on a page without the format', () => {
  const script = `
    import('unspool/worker').then(async ({ UnspoolWorker }) => {
      const worker = new UnspoolWorker();
      const broken = require('node:fs').readFileSync('../../../tests/vectors/cvc/bad/payload_flip.cvc');
      await worker.decode(broken).catch((error) => console.log(error.name, error.code, error.class, error.message));
      worker.terminate();
    });`;
  const said = execFileSync(process.execPath, ['-e', script], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
  assert.match(said, /^CvcCrc 514 Checksum checksum mismatch at byte \d+: the CRC-32/);
});

test('fails the job of a worker that never answers, and starts another one', async () => {
  let turn = 0;
  const start = () => new Worker(turn++ === 0 ? 'setInterval(() => undefined, 1000)' : "import('unspool/worker/host')", { eval: true });
  const worker = new UnspoolWorker({ start, startTimeout: 500 });
  const jobs = [worker.decode(onpair), worker.decode(onpair)];
  await assert.rejects(jobs[0], { name: 'TimeoutError', message: /did not start within 500 ms; its file must import unspool\/worker\/host/ });
  assert.equal((await jobs[1]).format, 'onpair');
  // A job may take longer than the start.
  const slow = new Uint8Array(60e6);
  slow.set(cvc);
  const patient = new UnspoolWorker({ startTimeout: 2000 });
  await patient.decode(onpair);
  assert.equal((await patient.inspect(slow)).size, 60e6);
  patient.terminate();
  worker.terminate();
  for (const startTimeout of [-1, NaN, 0.5]) assert.throws(() => new UnspoolWorker({ startTimeout }), TypeError);
  // A timer of Node or a browser counts 31 bits.
  for (const time of [2 ** 31, Infinity]) {
    const endless = new UnspoolWorker({ startTimeout: time });
    assert.equal((await endless.decode(onpair)).format, 'onpair');
    endless.terminate();
  }
});

/** Creates a pool of one whose workers do nothing by themselves. */
function puppets({ isExitEarly = false } = {}) {
  const lines = [];
  const start = (hear, die) => {
    const line = { hear, die, sent: [], ended: false };
    line.terminate = () => {
      line.ended = true;
      if (isExitEarly) die(new Error('the worker exited'));
    };
    line.postMessage = (message, transfer) => line.sent.push(structuredClone(message, { transfer }));
    lines.push(line);
    queueMicrotask(() => hear({ ready: true }));
    return line;
  };
  return { client: new PoolBase(start, { workers: 1 }), lines };
}

test('survives a runtime that reports the exit of a worker while it is being terminated', async () => {
  const { client, lines } = puppets({ isExitEarly: true });
  const stop = new AbortController();
  const jobs = [client.decode(cvc, { signal: stop.signal }), client.decode(cvc), client.decode(cvc)];
  await settled();
  stop.abort();
  await assert.rejects(jobs[0], { name: 'AbortError' });
  while (lines.length < 2) await settled();
  await settled();
  lines[1].hear({ result: 'of the second' });
  assert.equal(await jobs[1], 'of the second');
  client.terminate();
  await assert.rejects(jobs[2], { name: 'AbortError' });
});

test('ignores late messages of a worker that did not end an aborted job', async () => {
  const { client, lines } = puppets();
  const first = new AbortController();
  const jobs = [client.decode(cvc, { signal: first.signal }), client.decode(onpair)];
  await settled();
  first.abort();
  await assert.rejects(jobs[0], { name: 'AbortError' });
  assert.deepEqual(lines[0].sent.at(-1), { abort: true });
  while (lines.length < 2) await settled();
  lines[0].hear({ result: 'of the first' });
  lines[0].hear({ ready: true });
  lines[0].die(new Error('late'));
  await settled();
  lines[1].hear({ result: 'of the second' });
  assert.equal(await jobs[1], 'of the second');
  assert.ok(lines[0].ended && !lines[1].ended);
});

test('keeps a worker that ends an aborted job', async () => {
  const { client, lines } = puppets();
  const first = new AbortController();
  const jobs = [client.decode(cvc, { signal: first.signal }), client.decode(onpair)];
  await settled();
  first.abort();
  await assert.rejects(jobs[0], { name: 'AbortError' });
  const [line] = lines;
  assert.equal(line.sent.length, 2, 'the next job waits for the end of this one');
  // All that an aborted job may still send.
  for (const late of [{ progress: { phase: 'work', done: 0, total: 1 } }, { wants: 'pco' }, { read: 0, range: { start: 0, end: 1 } }]) line.hear(late);
  line.hear({ failed: { name: 'AbortError', message: 'over' } });
  await settled();
  assert.equal(line.sent.length, 3);
  line.hear({ result: 'of the second' });
  assert.equal(await jobs[1], 'of the second');
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual([lines.length, line.ended], [1, false]);
});

test('rejects the job of a failed worker, and starts another worker', async () => {
  const { client, lines } = puppets();
  const jobs = [client.decode(cvc), client.decode(cvc), client.decode(cvc, { limits: { maxOutput: () => 1 } }), client.decode(cvc)];
  await settled();
  lines[0].die(new Error('the worker could not start'));
  await assert.rejects(jobs[0], /could not start/);
  await settled();
  lines[1].hear({ failed: { name: 'RangeError', message: 'far' } });
  await assert.rejects(jobs[1], RangeError);
  await assert.rejects(jobs[2], { name: 'DataCloneError' });
  await settled();
  lines[1].hear({ failed: { name: 'NotReadableError', message: 'gone' } });
  await assert.rejects(jobs[3], (error) => error instanceof DOMException && error.name === 'NotReadableError');
  assert.equal(lines.length, 2, 'what cannot be sent costs no worker');
});

test("copies only the bytes of a view, and leaves the caller's memory alone", async () => {
  const { client, lines } = puppets();
  const memory = new Uint8Array(1000);
  const shared = new Uint8Array(new SharedArrayBuffer(10));
  const jobs = [
    client.decode(memory.subarray(100, 110), { dictionary: memory.subarray(5, 8) }),
    client.inspect(shared, { transfer: true }),
    client.queryAt1(memory.subarray(0, 9), { eq: [{ column: 0, value: memory.subarray(1, 3) }] }),
    client.inspect(memory.subarray(0, 10), { transfer: true }),
  ];
  await settled();
  const [line] = lines;
  const { file, options } = line.sent[0].job;
  assert.deepEqual([file.buffer.byteLength, options.dictionary.buffer.byteLength, memory.length], [10, 3, 1000]);
  for (let job = 0; job < 3; job++) {
    line.hear({ result: { ends: [] } });
    await jobs[job];
    await settled();
  }
  assert.equal(line.sent[2].job.options.eq[0].value.buffer.byteLength, 2);
  assert.deepEqual(line.sent.slice(1).map(({ job }) => job.file.length), [10, 9, 10]);
  assert.equal(memory.buffer.byteLength, 0, 'handed over');
});

test('transfers bytes on request', () =>
  withWorker(async (worker) => {
    const mine = cvc.slice();
    assert.equal((await worker.decode(mine, { transfer: true })).format, 'cvc');
    assert.equal(mine.length, 0);
  }));

test('reads a file-backed Blob of Node on the calling side', () =>
  withWorker(async (worker) => {
    const seen = [];
    const blob = await openAsBlob(new URL('../../../tests/vectors/cvc/med_fp16.cvc', import.meta.url));
    assert.deepEqual(await worker.decode(blob, { onProgress: ({ phase, done }) => seen.push([phase, done]) }), decode(cvc));
    assert.deepEqual(seen.find(([phase]) => phase === 'read'), ['read', cvc.length]);
    // A wrong argument is still reported.
    await assert.rejects(worker.decode(blob, { limits: { maxOutput: () => 1 } }), { name: 'TypeError', message: /limits\.maxOutput must be a number/ });
    const stop = new AbortController();
    const jobs = [worker.inspect(blob, { signal: stop.signal }), worker.inspect(blob)];
    await Promise.resolve();
    stop.abort();
    await assert.rejects(jobs[0], { name: 'AbortError' });
    assert.deepEqual(await jobs[1], inspect(cvc));
  }));

test('copies memory that cannot be transferred', async () => {
  const { client, lines } = puppets();
  const pooled = Buffer.from('pooled');
  const first = client.decode(pooled, { transfer: true });
  await settled();
  lines[0].hear({ result: 1 });
  await first;
  const send = lines[0].postMessage;
  lines[0].postMessage = (message, transfer) => {
    if (transfer.includes(mine.buffer)) throw new DOMException('it is in a pool', 'DataCloneError');
    send(message, transfer);
  };
  const mine = Uint8Array.of(1, 2, 3);
  const jobs = [client.decode(mine, { transfer: true }), client.decode(mine, { transfer: true, limits: { maxOutput: () => 1 } })];
  await settled();
  lines[0].hear({ result: 2 });
  assert.equal(await jobs[0], 2);
  assert.deepEqual(lines[0].sent.at(-1).job.file, mine);
  await assert.rejects(jobs[1], { name: 'DataCloneError' });
});

test('lets a script exit after its last job', () => {
  const script = `
    import('unspool/worker').then(async ({ UnspoolWorker }) => {
      const worker = new UnspoolWorker();
      const bytes = require('node:fs').readFileSync('../../../tests/vectors/cvc/med_fp16.cvc');
      for (let turn = 0; turn < 2; turn++) console.log((await worker.decode(bytes)).format);
    });`;
  const said = execFileSync(process.execPath, ['-e', script], { cwd: new URL('.', import.meta.url), encoding: 'utf8', timeout: 20_000 });
  assert.equal(said, 'cvc\ncvc\n');
});

test('fails only the job whose listener throws', () =>
  withWorker(async (worker) => {
    const onProgress = () => {
      throw new Error('no such element');
    };
    const blob = await openAsBlob(new URL('../../../tests/vectors/cvc/med_fp16.cvc', import.meta.url));
    const jobs = [worker.decode(cvc, { onProgress }), worker.decode(blob, { onProgress }), worker.decode(cvc)];
    for (const job of jobs.slice(0, 2)) await assert.rejects(job, /no such element/);
    assert.deepEqual(await jobs[2], decode(cvc));
  }));

test('reports progress up to the size of the file', () =>
  withWorker(async (worker) => {
    const seen = [];
    await worker.inspect(new Blob([new Uint8Array(3e6), cvc]), { onProgress: (progress) => seen.push(progress) });
    const total = 3e6 + cvc.length;
    assert.deepEqual([...new Set(seen.map(({ phase }) => phase))], ['read', 'work']);
    assert.ok(seen.every((progress) => progress.total === total));
    for (const phase of ['read', 'work']) assert.equal(seen.filter((progress) => progress.phase === phase).at(-1).done, total);
  }));

test('aborts a queued or a running job, and no other', () =>
  withWorker(async (worker) => {
    const [running, waiting] = [new AbortController(), new AbortController()];
    const huge = new Uint8Array(200e6);
    huge.set(cvc);
    const jobs = [worker.inspect(huge, { signal: running.signal }), worker.decode(cvc, { signal: waiting.signal }), worker.decode(cvc)];
    waiting.abort();
    await assert.rejects(jobs[1], { name: 'AbortError' });
    running.abort(new Error('enough'));
    await assert.rejects(jobs[0], /enough/);
    assert.deepEqual(await jobs[2], decode(cvc));
    await assert.rejects(worker.decode(cvc, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  }));

test('rejects queued jobs on terminate', async () => {
  const worker = new UnspoolWorker();
  const job = worker.decode(cvc);
  worker.terminate();
  await assert.rejects(job, { name: 'AbortError' });
  await assert.rejects(worker.decode(cvc), { name: 'AbortError' });
});
