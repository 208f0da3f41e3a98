// Measures a pool: node pool-bench.mjs [rounds]. The numbers of recipes/workers.md are from an idle
// machine with two cores or more.
import { availableParallelism } from 'node:os';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { gzipSync } from 'node:zlib';
import { UnspoolPool } from 'unspool/worker';

const rounds = Number(process.argv[2] ?? 9);
const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
const pco = read('pco/assets/v1_0_0_conv1.pco');

/** A chunk that takes a few milliseconds: one megabyte of text. */
const chunk = gzipSync(Buffer.concat(Array.from({ length: 90 }, () => read('at1/c8_events.at1').subarray(1))));

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const say = (name, values, unit = 'ms') => console.log(`${name}: median ${median(values).toFixed(2)} ${unit}, best ${Math.min(...values).toFixed(2)}`);

async function time(run) {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** The processor time of the main thread, which other programs do not disturb; else the time. */
function clock() {
  if (process.platform !== 'linux') return performance.now();
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6;
}

/** Decodes 64 chunks in a warm pool. Returns the time, and the main thread's processor time. */
async function decode64(workers) {
  const pool = new UnspoolPool({ workers });
  const all = (count) => Promise.all(Array.from({ length: count }, () => pool.decodeGzip(chunk)));
  await all(8 * workers);
  const start = clock();
  const took = await time(() => all(64));
  const own = clock() - start;
  pool.terminate();
  return [took, own];
}

/** Milliseconds of two threads that count, to those of one that counts as much. */
async function spin() {
  const code = "const { parentPort: port } = require('node:worker_threads'); port.on('message', (count) => { let sum = 0; for (let at = 0; at < count; at++) sum = (sum * 31 + at) | 0; port.postMessage(sum); });";
  const workers = [1, 2].map(() => new Worker(code, { eval: true }));
  const count = (worker, most) => new Promise((resolve) => worker.once('message', resolve).postMessage(most));
  await Promise.all(workers.map((worker) => count(worker, 1e7)));
  const one = await time(() => count(workers[0], 1e8));
  const two = await time(() => Promise.all(workers.map((worker) => count(worker, 5e7))));
  for (const worker of workers) await worker.terminate();
  return one / two;
}

const runs = [];
for (let round = 0; round < rounds; round++) runs.push([await decode64(1), await decode64(2), await spin()]);
console.log(`${availableParallelism()} cores`);
say('64 chunks on one worker', runs.map(([[one]]) => one));
say('64 chunks on two workers', runs.map(([, [two]]) => two));
say('processor time of the main thread for 64 chunks', runs.map(([, [, own]]) => own));
const most = (values) => `median ${median(values).toFixed(2)}, best ${Math.max(...values).toFixed(2)}`;
console.log(`speed of two workers to one: ${most(runs.map(([[one], [two]]) => one / two))}`);
console.log(`speed of two threads that only count to one: ${most(runs.map(([, , ratio]) => ratio))}`);

// A second worker with its first job, and a worker with an empty module, in processor time of all
// threads.
async function cost(run) {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
const starts = [];
for (let round = 0; round < rounds; round++) {
  const empty = await cost(async () => {
    const worker = new Worker(new URL("data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.postMessage(0);"));
    await new Promise((resolve) => worker.once('message', resolve));
    await worker.terminate();
  });
  const pool = new UnspoolPool({ workers: 2 });
  await pool.decode(pco);
  // Keeps the first worker waiting, so that the second one starts.
  const waiting = pool.decode({ size: 9, read: () => new Promise(() => undefined) }).catch((error) => error);
  const second = await cost(async () => {
    await pool.decode(pco);
    pool.terminate();
    await waiting;
  });
  starts.push([empty, second]);
}
say('an empty worker', starts.map(([empty]) => empty));
say('a second worker with its first job', starts.map(([, second]) => second));
say('the difference', starts.map(([empty, second]) => second - empty));

// The longest turn of the main thread, while it passes 256 MB each way.
const blocks = [];
for (let round = 0; round < rounds; round++) {
  const pool = new UnspoolPool({ workers: 1 });
  await pool.decode(pco);
  const [large, to] = [gzipSync(new Uint8Array(256e6), { level: 0 }), new Uint8Array(256e6)];
  let [last, longest, isOn] = [clock(), 0, true];
  const tick = () => {
    const now = clock();
    [longest, last] = [Math.max(longest, now - last), now];
    if (isOn) setImmediate(tick);
  };
  setImmediate(tick);
  await pool.decodeInto(large, to);
  isOn = false;
  blocks.push(longest);
  pool.terminate();
}
say('longest turn of the main thread', blocks);

// Aborts: the time until the worker has done another job.
async function abort(run) {
  const pool = new UnspoolPool({ workers: 1 });
  await pool.decode(pco);
  const stop = new AbortController();
  const job = run(pool, stop.signal).catch((error) => error);
  await new Promise((resolve) => setTimeout(resolve, 150));
  const took = await time(() => {
    stop.abort();
    return pool.decode(pco);
  });
  await job;
  pool.terminate();
  return took;
}
const noise = crypto.getRandomValues(new Uint8Array(65_536));
const endless = gzipSync(Buffer.concat(Array.from({ length: 3000 }, () => noise)), { level: 1 });
const huge = new Uint8Array(500e6);
huge.set(read('cvc/med_fp16.cvc'));
const [inSteps, atOnce] = [[], []];
for (let round = 0; round < rounds; round++) {
  inSteps.push(await abort((pool, signal) => pool.decodeGzip(new Uint8Array(endless), { signal, transfer: true })));
  atOnce.push(await abort((pool, signal) => pool.inspect(huge.slice(), { signal, transfer: true })));
}
say('abort of a job in steps, and the next job', inSteps);
say('abort of another job, a new worker, and the next job', atOnce);
