// Off the thread: the same results, progress, and an end on demand.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode, inspect, UnspoolError } from 'unspool';
import { UnspoolWorker } from 'unspool/worker';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
const cvc = read('cvc/med_fp16.cvc');
const onpair = read('onpair/cpp/urls_b12.onp');

/** A worker for one test. */
async function withWorker(run) {
  const worker = new UnspoolWorker();
  try {
    await run(worker);
  } finally {
    worker[Symbol.dispose]();
  }
}

test('results are those of the calls', () =>
  withWorker(async (worker) => {
    const [first, second, found] = await Promise.all([worker.decode(cvc), worker.decode(new Blob([onpair])), worker.inspect(cvc)]);
    assert.deepEqual(first, decode(cvc));
    assert.deepEqual(second, decode(onpair));
    assert.deepEqual(found, inspect(cvc));
    assert.equal(cvc.length > 0, true, 'the bytes are still here');
  }));

test('refusals keep their class, number, place and part', () =>
  withWorker(async (worker) => {
    const broken = read('cvc/bad/payload_flip.cvc');
    await assert.rejects(worker.decode(broken), (error) => {
      assert.ok(error instanceof UnspoolError);
      const same = inspect(broken).error;
      assert.deepEqual(error.toJSON(), same.toJSON());
      assert.ok(error.part !== undefined);
      return true;
    });
    assert.equal((await worker.inspect(broken)).error.name, 'CvcCrc');
    await assert.rejects(worker.decode(cvc, { limits: { nonsense: 1 } }), { name: 'TypeError' });
    assert.throws(() => worker.decode('CVCF'), TypeError);
  }));

test('bytes can be handed over', () =>
  withWorker(async (worker) => {
    const mine = cvc.slice();
    assert.equal((await worker.decode(mine, { transfer: true })).format, 'cvc');
    assert.equal(mine.length, 0);
  }));

test('progress goes up to the size of the file', () =>
  withWorker(async (worker) => {
    const seen = [];
    await worker.inspect(new Blob([new Uint8Array(3e6), cvc]), { onProgress: (progress) => seen.push(progress) });
    const total = 3e6 + cvc.length;
    assert.deepEqual([...new Set(seen.map(({ phase }) => phase))], ['read', 'work']);
    assert.ok(seen.every((progress) => progress.total === total));
    for (const phase of ['read', 'work']) assert.equal(seen.filter((progress) => progress.phase === phase).at(-1).done, total);
  }));

test('a signal ends a job that waits, one that runs, and no other', () =>
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

test('an ended worker ends its jobs', async () => {
  const worker = new UnspoolWorker();
  const job = worker.decode(cvc);
  worker.terminate();
  await assert.rejects(job, { name: 'AbortError' });
  await assert.rejects(worker.decode(cvc), { name: 'AbortError' });
});
