// Answers of a server that would fill the memory, or that never end: of files, and of modules.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { open, openSource, SourceError } from 'unspool';
import { openCvc } from 'unspool/cvc';
import { init } from 'unspool/pco/separate';
import { UnspoolWorker } from 'unspool/worker';
import { read, settled, valid } from './vectors.mjs';

const bytes = read(valid.find(({ name }) => name === 'med_fp16').file);
const MEGABYTE = 2 ** 20;

/** Serves with `answer`. Counts the bytes that the client took before it hung up. */
async function serve(answer) {
  const state = { sent: 0, closed: undefined };
  const server = createServer((request, response) => {
    // A module is requested as a whole.
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? 'bytes=0-16383').map(Number);
    state.closed = new Promise((resolve) => response.on('close', resolve));
    answer(response, start, Math.min(end + 1, bytes.length), state);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => (server.closeAllConnections(), server.close());
  return { ...state, state, url: `http://127.0.0.1:${server.address().port}/`, close };
}

/** Sends zeros until the client hangs up. */
function pour(response, state, most = Infinity) {
  const part = new Uint8Array(MEGABYTE);
  const more = () => {
    while (state.sent < most && !response.destroyed) {
      state.sent += part.length;
      if (!response.write(part)) return response.once('drain', more);
    }
    response.end();
  };
  more();
}

const range = (start, end, size = bytes.length) => ({ 'Content-Range': `bytes ${start}-${end - 1}/${size}` });

/** Opens a file, or loads a module, and returns the error. */
async function refusal(answer, options, load = openCvc) {
  const server = await serve(answer);
  try {
    const error = await load(server.url, options).then(() => assert.fail('opened'), (error) => error);
    assert.ok(error instanceof SourceError, String(error));
    await server.state.closed;
    return [error.message, server.state.sent];
  } finally {
    server.close();
  }
}

test('hangs up on an endless answer to a range', async () => {
  const [message, sent] = await refusal((response, start, end, state) => pour(response.writeHead(206, range(start, end)), state, 2 ** 30));
  assert.match(message, /a body that does not match its Content-Range/);
  assert.ok(sent < 64 * MEGABYTE, `${sent} bytes were sent`);
});

test('hangs up on an endless file, above limits.maxInput', async () => {
  const answer = (response, start, end, state) => pour(response.writeHead(200), state, 2 ** 30);
  const [message, sent] = await refusal(answer, { limits: { maxInput: 3 * MEGABYTE } });
  assert.match(message, /more than limits.maxInput, 3145728 bytes/);
  assert.ok(sent < 64 * MEGABYTE, `${sent} bytes were sent`);
  // The same in a pool, and with the entry of all formats.
  const server = await serve(answer);
  const worker = new UnspoolWorker();
  try {
    const limits = { maxInput: 3 * MEGABYTE };
    await assert.rejects(worker.decode(server.url, { limits }), /limits.maxInput/);
    await assert.rejects(open(server.url, { limits }), /limits.maxInput/);
  } finally {
    worker.terminate();
    server.close();
  }
});

test('counts a whole file and each range towards limits.maxInput, to the byte', async () => {
  for (const status of [200, 206]) {
    const server = await serve((response, start, end) => (status === 200 ? response.writeHead(200).end(bytes) : response.writeHead(206, range(start, end)).end(bytes.subarray(start, end))));
    try {
      const rows = async (maxInput) => (await openCvc(server.url, { limits: { maxInput } })).column().rows();
      const most = status === 200 ? bytes.length : bytes.length - (await openCvc(bytes)).headLength;
      assert.deepEqual((await rows(most)).data, (await (await openCvc(bytes)).column().rows()).data);
      await assert.rejects(rows(most - 1), { name: 'SourceError', message: /limits.maxInput/ });
    } finally {
      server.close();
    }
  }
});

test('refuses a bomb in a Content-Encoding', async () => {
  const bomb = gzipSync(new Uint8Array(128 * MEGABYTE), { level: 1 });
  const encoded = { 'Content-Encoding': 'gzip' };
  const [whole] = await refusal((response) => response.writeHead(200, encoded).end(bomb));
  assert.match(whole, /more than 67108864 bytes in the Content-Encoding gzip/);
  const [part] = await refusal((response, start, end) => response.writeHead(206, { ...encoded, ...range(start, end) }).end(bomb));
  assert.match(part, /a range in the Content-Encoding gzip/);
  // A server may compress a whole file.
  const server = await serve((response) => response.writeHead(200, encoded).end(gzipSync(bytes)));
  assert.equal((await openCvc(server.url)).size, bytes.length);
  server.close();
});

test('refuses sizes that a number does not hold exactly', async () => {
  for (const size of ['9007199254740992', '9'.repeat(400)]) {
    const [message] = await refusal((response, start) => response.writeHead(206, { 'Content-Range': `bytes ${start}-16383/${size}` }).end(new Uint8Array(16384 - start)));
    assert.match(message, /says that the file has/);
  }
  const server = await serve((response, start) => response.writeHead(206, { 'Content-Range': `bytes ${start}-16383/9007199254740991` }).end(bytes.subarray(start, 16384)));
  assert.equal((await openCvc(server.url)).size, Number.MAX_SAFE_INTEGER);
  server.close();
});

test('hangs up on an endless module, and on an endless page of an error', async () => {
  const [message, sent] = await refusal((response, start, end, state) => pour(response.writeHead(200), state, 2 ** 30), {}, init);
  assert.match(message, /the server sent more than 16777216 bytes for the wasm module/);
  assert.ok(sent < 80 * MEGABYTE, `${sent} bytes were sent`);
  const [refused, sentOfPage] = await refusal((response, start, end, state) => pour(response.writeHead(404), state, 2 ** 30), {}, init);
  assert.match(refused, /the server returned 404 Not Found for the wasm module/);
  assert.ok(sentOfPage < 64 * MEGABYTE, `${sentOfPage} bytes were sent`);
});

test('ends a silent server after a time, before and within the body', { timeout: 20_000 }, async (context) => {
  const { setTimeout: real } = globalThis;
  globalThis.setTimeout = (run, delay, ...more) => real(run, delay === 30_000 ? 50 : delay, ...more);
  context.after(() => (globalThis.setTimeout = real));
  for (const [answer, ...loads] of [
    [() => undefined, openCvc, init],
    [(response, start, end) => response.writeHead(206, range(start, end)).write(bytes.subarray(start, start + 100)), openCvc],
    [(response) => response.writeHead(200).write(bytes.subarray(0, 100)), openCvc, init],
  ]) {
    for (const load of loads) {
      const [message] = await refusal(answer, {}, load);
      assert.match(message, /sent nothing for 30 seconds/);
    }
  }
});

/** Replaces the clock by one that does not run. Returns a function that lets time pass. */
function stopClock(context) {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const { performance } = globalThis;
  const timers = new Map();
  let now = 0;
  globalThis.performance = { now: () => now };
  globalThis.setTimeout = (run, delay) => {
    const timer = {};
    timers.set(timer, { run, at: now + delay });
    return timer;
  };
  globalThis.clearTimeout = (timer) => timers.delete(timer) || clear(timer);
  context.after(() => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear, performance }));
  return (time) => {
    now += time;
    for (const [timer, { run, at }] of [...timers]) if (at <= now && timers.delete(timer)) run();
  };
}

test('ends an answer that trickles, and waits for a slow one', { timeout: 20_000 }, async (context) => {
  const pass = stopClock(context);
  const { fetch: real } = globalThis;
  context.after(() => (globalThis.fetch = real));
  const state = { sent: 0, isClosed: false };
  /** Serves `length` bytes, of which a part arrives every 29 seconds. */
  const trickle = (part, length, init) => {
    Object.assign(state, { sent: 0, isClosed: false });
    const pull = async (controller) => {
      await new Promise((resolve) => setImmediate(resolve));
      pass(29_000);
      const next = Math.min(length, state.sent + part);
      if (next > state.sent) controller.enqueue(new Uint8Array(next - state.sent));
      else controller.close();
      state.sent = next;
    };
    globalThis.fetch = async () => new Response(new ReadableStream({ pull, cancel: () => (state.isClosed = true) }, { highWaterMark: 0 }), init);
  };
  const ranged = { status: 206, headers: { 'Content-Range': 'bytes 0-16383/100000' } };
  const found = { name: 'SourceError', reason: 'the server sent less than 256 bytes a second' };
  for (const [load, ...answer] of [[openSource, 16_384, ranged], [openSource, Infinity, {}], [init, Infinity, {}]]) {
    trickle(1, ...answer);
    await assert.rejects(load('http://127.0.0.1/file'), found);
    assert.ok(state.sent <= 4 && state.isClosed, `${state.sent} bytes`);
  }
  // Four minutes at the least rate, and a piece that takes long after a fast start.
  for (const [part, length, answer] of [[29 * 256, 16_384, ranged], [29 * 256, 60_000, {}], [16_384, 16_384, ranged]]) {
    trickle(part, length, answer);
    assert.equal((await openSource('http://127.0.0.1/file')).size, answer === ranged ? 100_000 : length);
  }
});

test('a signal ends the download of a module, also of a Response', async () => {
  const stop = new AbortController();
  let isClosed = false;
  const body = new ReadableStream({ pull: () => stop.abort(new Error('enough')), cancel: () => (isClosed = true) }, { highWaterMark: 0 });
  await assert.rejects(init(new Response(body), { signal: stop.signal }), /enough/);
  await settled();
  assert.ok(isClosed);
  // The next call does not wait for it.
  await assert.rejects(init(new Response(new Uint8Array(4))), WebAssembly.CompileError);
});
