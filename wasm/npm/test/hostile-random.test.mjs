// Every function that reads ranges, against servers that answer at random.
//
// If no byte was changed, a call returns what it returns for the file in memory, or fails with an
// error of the package. If bytes were changed, it returns what it returns for those in memory.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { getHeapStatistics } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { at1Text, describeAt1, gzipBlocks, gzipCodes, inspect, lzmaChunks, lzmaSymbols, openCvc, openOnPairFile, outline, queryAt1, UnspoolError } from './all.mjs';
import { open, openSource, SourceError } from 'unspool';
import { UnspoolWorker } from 'unspool/worker';
import { fetchFrom, HostileServer, KINDS, listen } from './hostile-server.mjs';
import { randomFrom } from './random.mjs';
import { read } from './vectors.mjs';

const MEGABYTE = 2 ** 20;
/** Limits of every call: what a server claims must not cost more memory. */
const LIMITS = { maxOutput: 64 * MEGABYTE, maxHeader: MEGABYTE, maxWindow: 8 * MEGABYTE };
/** Maximum time of a round in milliseconds. */
const PATIENCE = 20_000;
/** Maximum of all memory outside of the heap, with what is not collected yet. */
const MEMORY = 512 * MEGABYTE;

const load = (...names) => names.map((name) => read(`../${name}`));
const repeated = (bytes, times) => new Uint8Array(Buffer.concat(Array(times).fill(bytes)));

/** A file of Pco with its chunks several times. */
function longPco() {
  const [bytes] = load('pco/mixed_dtypes.pco');
  const { structure } = inspect(bytes);
  const chunks = bytes.subarray(structure.start[structure.depth.indexOf(0, 1)] / 8, -1);
  return new Uint8Array(Buffer.concat([bytes.subarray(0, -1), chunks, chunks, bytes.subarray(-1)]));
}

/** A container of OnPair from its parts. Its dictionary is longer than the first read. */
function longOnPair() {
  const tables = [['dict_bytes', 1], ['dict_offsets', 4], ['packed_codes', 8], ['code_offsets', 4]];
  const parts = tables.flatMap(([name, width]) => {
    const [bytes] = load(`onpair/cases/logs_b16/${name}.bin`);
    const entries = Math.ceil(bytes.length / width);
    return [new Uint8Array(Uint32Array.of(entries).buffer), bytes, new Uint8Array(entries * width - bytes.length)];
  });
  return new Uint8Array(Buffer.concat([Buffer.from('ONPAIR01\x10'), ...parts]));
}

// The first read takes 16 KiB, so most files are longer.
const FILES = {
  at1: load('at1/c7_wide.at1', 'at1/c7_wide.at1', 'at1/c7_wide.at1', 'at1/c8_events.at1', 'at1/c7_random_walk.at1', 'at1/c8_nested.at1'),
  cvc: load('cvc/med_fp16.cvc', 'cvc/v1_lossless_med.cvc', 'cvc/v1_mmap_int8.cvc', 'cvc/v1_lossless_256.cvc', 'cvc/v2_ints_default.cvc'),
  gzip: [gzipSync(load('cvc/med_fp16.cvc')[0]), gzipSync(load('onpair/cpp/urls_b12.onp')[0], { level: 1 }), ...load('gzip/two_members.gz')].map((bytes) => new Uint8Array(bytes)),
  lzma: load('lzma/page.lzma', 'lzma/unspool.lzma'),
  onpair: [longOnPair(), ...load('onpair/cpp/urls_b12.onp', 'onpair/cpp/utf8_b12.onp', 'onpair/cpp/one_row_b12.onp')],
  pco: [longPco(), ...load('pco/conv_f32_2.pco')],
  xz: [...load('patch/restore.xz', 'xz/page.xz'), repeated(load('xz/blocks.xz')[0], 12)],
  zstd: [...load('zstd/rfc8878/s-seq-n32513.zst', 'zstd/v07/s-seq-n32512.zst', 'zstd/page.zst'), repeated(load('zstd/page-seekable.zst')[0], 20)],
};

const choose = (random, list) => list[random(list.length)];

async function all(pieces) {
  const parts = [];
  for await (const piece of pieces) parts.push(piece);
  return new Uint8Array(Buffer.concat(parts));
}

/** A span of rows. */
function span(random, count) {
  const start = random(count + 1);
  return [start, start + random(count - start + 1)];
}

/** The result of a query, without the ranges that it has read. */
const answerOf = ({ rows, count, result, withoutNumber }) => ({ rows, count, result, withoutNumber });

function queryOf(random) {
  const all = [{ count: true }, { select: [0] }, { lines: true, limit: 1 + random(50) }, { limit: random(200) }, { sum: random(3) }, { min: 1 }, { where: [{ column: random(3), from: random(100) }] }];
  return choose(random, all);
}

/** Each opens a file, and returns calls on it. The same random numbers make the same calls. */
const READERS = {
  openCvc: ['cvc', async (file, random, options) => {
    const vectors = await openCvc(file, options);
    const calls = [];
    for (let left = 3; left > 0; left -= 1) {
      const column = choose(random, vectors.columns);
      if (column === undefined) break;
      const [rows, checksums, as] = [span(random, column.rowCount), ['verify', 'skip'][random(2)], [undefined, 'float32'][random(2)]];
      calls.push(() => column.rows(...rows, { checksums, as }), () => column.plan(...rows, { checksums }));
      if (random(4) === 0) calls.push(() => vectors.release());
    }
    return calls;
  }],
  openOnPairFile: ['onpair', async (file, random, options) => {
    const strings = await openOnPairFile(file, options);
    const { rowCount, tokenCount, codeCount, codeBits, isSorted } = strings;
    const some = () => [
      () => strings.rows(...span(random, rowCount)),
      () => strings.texts(Array.from({ length: random(6) }, () => random(Math.max(1, rowCount)))),
      () => strings.row(random(rowCount + 1)),
      () => strings.text(random(rowCount + 1)),
      () => strings.decode(),
      () => strings.decodedLength(...span(random, rowCount)),
      () => strings.search({ contains: 'a' }),
    ][random(7)];
    // After `release`, the next call reads the dictionary again.
    return [() => ({ rowCount, tokenCount, codeCount, codeBits, isSorted }), some(), () => strings.release(), some(), some(), some()];
  }],
  queryAt1: ['at1', (file, random, options) => [async () => answerOf(await queryAt1(file, { ...queryOf(random), ...options }))]],
  describeAt1: ['at1', (file, random, options) => [() => describeAt1(file, options)]],
  at1Text: ['at1', (file, random, options) => [() => all(at1Text(file, options))]],
  outline: [undefined, (file, random, options) => [() => outline(file, options)]],
  gzipBlocks: ['gzip', async (file, random, options) => {
    const source = await openSource(file, options);
    const found = await gzipBlocks(source, options);
    const block = choose(random, found.blocks);
    return [() => found, () => block && gzipCodes(source, block, options)];
  }],
  lzmaChunks: [['xz', 'lzma'], async (file, random, options) => {
    const source = await openSource(file, options);
    const found = await lzmaChunks(source, options);
    const chunk = choose(random, found.chunks);
    return [() => found, () => chunk && lzmaSymbols(source, chunk, { start: 0, end: 40 }, options)];
  }],
  openSource: [undefined, async (file, random, options) => {
    const source = await openSource(file, options);
    return Array.from({ length: 3 }, () => {
      const [start, end] = span(random, source.size);
      // Sometimes around the end of the first read.
      return () => source.read({ start, end: choose(random, [end, end, end, Infinity, 2 ** 14 + random(3) - 1]) });
    });
  }],
  open: [undefined, async (file, random, options) => {
    const opened = await open(file, options);
    const calls = [() => opened.decode()];
    if ('stream' in opened) calls.push(() => all(opened.stream()));
    if ('text' in opened) calls.push(() => all(opened.text()), async () => answerOf(await opened.query(queryOf(random))), () => opened.table);
    if ('strings' in opened) calls.push(() => opened.strings.texts(0, Math.min(9, opened.strings.rowCount)));
    if ('vectors' in opened) calls.push(() => opened.vectors.columns[0].rows());
    if ('header' in opened) calls.push(() => opened.header);
    return random(2) === 0 ? calls : calls.reverse();
  }],
};

/** The same of a pool. They cost a round trip to a thread. */
let worker;
const POOLED = {
  'worker.decode': [undefined, (file, random, options) => [() => worker.decode(file, options)]],
  'worker.queryAt1': ['at1', (file, random, options) => [async () => answerOf(await worker.queryAt1(file, { ...queryOf(random), ...options }))]],
};

const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Results of a call, as they are compared. */
function comparable(value) {
  if (value instanceof Error) return { error: value.name, offset: value.offset, need: value.need, message: value.message };
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) return value.map(comparable);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, comparable(part)]));
}

/**
 * Opens a file, and runs the calls on it one after the other. Returns the outcome of each, and what
 * `mark` returned before it.
 */
async function run(reader, file, seed, options, mark = () => undefined) {
  const outcomes = [];
  const outcome = async (call) => {
    const since = await mark();
    try {
      const value = await call();
      outcomes.push({ since, value: comparable(value) });
    } catch (error) {
      outcomes.push({ since, error });
    }
  };
  let calls = [];
  await outcome(async () => (calls = await reader(file, randomFrom(seed), options)).length);
  for (const call of calls) await outcome(call);
  return outcomes;
}

/** Timers of a silent server, which the test runs out. */
const silences = new Map();
const rejections = [];
const { setTimeout: realSet, clearTimeout: realClear, fetch: realFetch } = globalThis;
before(() => {
  globalThis.setTimeout = (run, delay, ...more) => {
    if (delay !== 30_000) return realSet(run, delay, ...more);
    const timer = {};
    silences.set(timer, run);
    return timer;
  };
  globalThis.clearTimeout = (timer) => silences.delete(timer) || realClear(timer);
  process.on('unhandledRejection', (reason) => rejections.push(reason));
  worker = new UnspoolWorker({ startTimeout: Infinity });
});
after(() => {
  Object.assign(globalThis, { setTimeout: realSet, clearTimeout: realClear, fetch: realFetch });
  worker.terminate();
});

/** Runs out all timers of silence. */
function runOut() {
  for (const [timer, run] of [...silences]) {
    silences.delete(timer);
    run();
  }
}

/** Counts of outcomes. */
class Tally {
  /** Of right bytes. */
  accepted = 0;
  /** Of other bytes: results, and errors of a broken file. */
  ofOtherBytes = 0;
  /** Of servers that contradict themselves, or whose file fits nowhere. */
  vague = 0;
  refused = 0;
  aborted = 0;
  /** Maximum of all memory outside of the heap. */
  memory = 0;
  /** Refusals by the wrong answer that they name. */
  kinds = Object.fromEntries(KINDS.map((kind) => [kind, 0]));
  readers = {};

  see(name, outcome) {
    this[outcome] += 1;
    const counts = (this.readers[name] ??= { accepted: 0, refused: 0 });
    if (outcome in counts) counts[outcome] += 1;
  }
}

/** Outcomes of the right files. */
const known = new Map();
function ofRight(name, reader, bytes, seed) {
  const ofFile = known.get(bytes) ?? new Map();
  known.set(bytes, ofFile);
  const key = `${name} ${seed}`;
  if (!ofFile.has(key)) ofFile.set(key, run(reader, bytes, seed, { limits: LIMITS }));
  return ofFile.get(key);
}

/** Runs out the patience of the client, by silence or by its signal, until it hangs up. */
function endStalls(server, isOver, runOut) {
  server.onStall = (answer) => {
    const end = () => {
      if (isOver() || !server.open.has(answer)) return;
      runOut();
      realSet(end, 1);
    };
    setImmediate(end);
  };
}

/** Runs a reader against a server, and waits until both have ended. */
async function meet(server, reader, file, seed, random, words) {
  const [stop, isPatient] = [new AbortController(), random(2) === 0];
  const enough = () => stop.abort(new Error('enough'));
  let isOver = false;
  endStalls(server, () => isOver, isPatient ? runOut : enough);
  // Some callers give up.
  const last = random(20) === 0 ? 1 + random(4) : Infinity;
  server.onAnswer = () => server.asked === last && setImmediate(enough);
  let timer;
  const late = new Promise((_, reject) => (timer = realSet(() => reject(new Error(`${words} does not settle`)), PATIENCE)));
  const limits = { ...LIMITS, maxInput: server.maxInput };
  const outcomes = await Promise.race([late, run(reader, file, seed, { limits, signal: stop.signal }, async () => (await tick(), server.begin()))]);
  realClear(timer);
  isOver = true;
  const { external_memory: memory } = getHeapStatistics();
  // Reads in vain end by themselves, at the latest after a silence.
  for (let left = 500; left > 0 && server.open.size + silences.size > 0; left -= 1) {
    await tick();
    runOut();
  }
  assert.deepEqual(server.faults, [], words);
  assert.equal(server.open.size, 0, `${words}: answers stay open`);
  assert.equal(silences.size, 0, `${words}: timers stay`);
  return { outcomes, memory, reason: stop.signal.aborted ? stop.signal.reason : undefined };
}

/** Chooses a reader, a file and a server, and compares. `connect` returns the server's address. */
async function round(number, tally, connect) {
  const random = randomFrom(Math.imul(number + 1, 0x9e37_79b1));
  const readers = number % 20 === 0 ? POOLED : READERS;
  // All readers call it, and it takes the least time.
  const name = readers === READERS && random(2) === 0 ? 'openSource' : choose(random, Object.keys(readers));
  const [formats = Object.keys(FILES), reader] = readers[name];
  const format = choose(random, [formats].flat());
  const bytes = choose(random, FILES[format]);
  const server = new HostileServer(random, bytes, random(5) === 0 ? 17_000 + random(60_000) : MEGABYTE);
  const seed = random(12);
  const words = `round ${number}: ${name} of ${format}`;
  const url = connect(server, random);
  const file = choose(random, [url, new URL(url), new Request(url)]);
  const { outcomes, memory, reason } = await meet(server, reader, file, seed, random, words);
  tally.memory = Math.max(tally.memory, memory);
  const expected = server.view === bytes ? await ofRight(name, reader, bytes, seed) : await run(reader, server.view, seed, { limits: LIMITS });
  let isRefused = false;
  for (const [at, { since, value, error }] of outcomes.entries()) {
    const where = `${words}, call ${at}`;
    if (error !== undefined && error === reason) {
      tally.see(name, 'aborted');
      isRefused = true;
      continue;
    }
    if (error instanceof SourceError) {
      // An error of an earlier call must not come again.
      const fitting = server.wrong.slice(since).filter(({ reasons }) => reasons.some((reason) => reason.test(error.reason)));
      assert.ok(fitting.length > 0, `${where}: ${error.message}, after ${server.wrong.map(({ kind }) => kind)}`);
      for (const { kind } of fitting) tally.kinds[kind] += 1;
      tally.see(name, 'refused');
      isRefused = true;
      continue;
    }
    // `Internal` is a trap.
    assert.ok(error === undefined || (error instanceof UnspoolError && error.class !== 'Internal'), `${where}: ${error?.stack}`);
    if (!server.isVague) {
      const [found, right] = [{ value, error }, expected[at] ?? {}].map(({ value, error }) => ({ value, error: comparable(error) }));
      assert.ok(isDeepStrictEqual(found, right), `${where}: ${error ?? 'a result'} instead of ${expected[at]?.error ?? 'another'}`);
    }
    tally.see(name, server.isVague ? 'vague' : server.lied ? 'ofOtherBytes' : 'accepted');
  }
  assert.ok(isRefused || server.isVague || outcomes.length === expected.length, words);
  assert.ok(!isRefused || server.wrong.length > 0 || reason !== undefined, `${words}: a right server is refused`);
}

test('returns what the file has in memory, or an error of the package', async (context) => {
  context.after(() => (globalThis.fetch = realFetch));
  for (const bytes of Object.values(FILES).flat()) await (await open(bytes)).decode();
  const tally = new Tally();
  for (let number = 0; number < 3000; number += 1) {
    await round(number, tally, (server, random) => {
      globalThis.fetch = fetchFrom(server, random);
      return 'http://127.0.0.1:9/file';
    });
  }
  await tick();
  assert.deepEqual(rejections, []);
  // Most rounds have several calls.
  const floors = { accepted: 4000, ofOtherBytes: 500, vague: 300, refused: 800, aborted: 30 };
  for (const [name, floor] of Object.entries(floors)) assert.ok(tally[name] > floor, `${tally[name]} ${name}`);
  for (const [kind, count] of Object.entries(tally.kinds)) assert.ok(count >= 3, `${kind}: ${count} refusals`);
  for (const name of Object.keys({ ...READERS, ...POOLED })) {
    const { accepted, refused } = tally.readers[name];
    assert.ok(accepted >= 50 && refused >= 10, `${name}: ${accepted} accepted, ${refused} refused`);
  }
  assert.ok(tally.memory < MEMORY, `${tally.memory} bytes`);
});

test('does the same on a socket', async () => {
  const tally = new Tally();
  const { serve, close } = await listen();
  try {
    for (let number = 10_000; number < 10_300; number += 1) {
      await round(number, tally, serve);
    }
  } finally {
    close();
  }
  await tick();
  assert.deepEqual(rejections, []);
  const floors = { accepted: 300, ofOtherBytes: 30, refused: 60 };
  for (const [name, floor] of Object.entries(floors)) assert.ok(tally[name] > floor, `${tally[name]} ${name}`);
  assert.ok(tally.memory < MEMORY, `${tally.memory} bytes`);
});
