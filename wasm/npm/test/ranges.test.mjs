import assert from 'node:assert/strict';
import { openAsBlob, readFileSync } from 'node:fs';
import { open as openPath } from 'node:fs/promises';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { at1Text, decodeAt1, describeAt1, openCvc, openOnPairFile, outline, queryAt1, readBlob, SourceError } from './all.mjs';
import { open, openSource } from 'unspool';
import { init } from 'unspool/pco/separate';
import { readAhead } from '../dist/ahead.js';
import { bytesOf, expected, read, valid } from './vectors.mjs';

/** A Blob that records reads. */
class Counted extends Blob {
  ranges = [];
  slice(start, end) {
    this.ranges.push([start, end]);
    return super.slice(start, end);
  }
  get total() {
    return this.ranges.reduce((sum, [start, end]) => sum + end - start, 0);
  }
}

const med = valid.find(({ name }) => name === 'med_fp16');

test('reads the header on opening, and chunks on demand', async () => {
  const blob = new Counted([read(med.file)]);
  const file = await openCvc(blob);
  const head = 12 + med.header_len;
  assert.equal(file.headLength, head);
  assert.equal(blob.total, 13 + head, 'the framing, then the head');

  // Rows 150 to 160 are in the second of four chunks of 100 rows.
  const [{ bytes }] = expected(med);
  const chunk = med.chunks[1];
  blob.ranges = [];
  const { data } = await file.column().rows(150, 160);
  assert.deepEqual(bytesOf(data), bytes.subarray(150 * 256, 160 * 256));
  assert.deepEqual(blob.ranges, [[chunk.prefix_offset, chunk.payload_offset + chunk.payload_len]]);

  // Without the checksum, only the bytes of the rows: 64 half floats each.
  blob.ranges = [];
  const bare = await file.column().rows(150, 160, { checksums: 'skip' });
  assert.deepEqual(bytesOf(bare.data), bytes.subarray(150 * 256, 160 * 256));
  assert.deepEqual(bare.checksums, { right: 0, wrong: 0, unchecked: 1 });
  assert.deepEqual(blob.ranges, [[chunk.payload_offset + 50 * 128, chunk.payload_offset + 60 * 128]]);

  // All rows in one read, because the chunks are adjacent.
  blob.ranges = [];
  await file.column().rows();
  assert.deepEqual(blob.ranges, [[head, med.size]]);
});

test('plans the ranges that rows reads', async () => {
  for (const entry of valid) {
    const blob = new Counted([read(entry.file)]);
    const file = await openCvc(blob);
    for (const column of file.columns) {
      for (const checksums of ['verify', 'skip']) {
        const [start, end] = [file.rowCount >> 2, file.rowCount >> 1];
        const plan = await column.plan(start, end, { checksums });
        blob.ranges = [];
        await column.rows(start, end, { checksums });
        const planned = plan.reduce((sum, range) => sum + range.end - range.start, 0);
        // Chunk lengths are cached by now. Version 0 reads four more bytes to look for a hidden
        // checksum.
        const extra = file.hasChecksums || checksums === 'skip' ? 0 : 4;
        assert.ok(blob.total >= planned && blob.total <= planned + extra, `${entry.name}: ${blob.total} of ${planned}`);
      }
    }
  }
});

/** Serves one file. `ranges` enables range requests; `spoil` replaces some answers. */
async function serve(bytes, { ranges = true, spoil = () => false } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    if (spoil(response, request)) return;
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const last = Math.min(Number(end), bytes.length - 1);
    if (!ranges || start === undefined) {
      requests.push(bytes.length);
      response.end(bytes);
    } else if (Number(start) >= bytes.length) {
      response.writeHead(416, { 'Content-Range': `bytes */${bytes.length}` }).end();
    } else {
      requests.push(last + 1 - start);
      response.writeHead(206, { 'Content-Range': `bytes ${start}-${last}/${bytes.length}` });
      response.end(bytes.subarray(Number(start), last + 1));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/file.cvc`, requests, server, close: () => server.close() };
}

test('reads a URL by ranges', async () => {
  const entry = valid.find(({ name }) => name === 'v1_lossless_256');
  const big = valid.find(({ name }) => name === 'med_fp16');
  const server = await serve(read(big.file));
  try {
    const file = await openCvc(server.url);
    const { data } = await file.column().rows(399, 400, { checksums: 'skip' });
    assert.deepEqual(bytesOf(data), expected(big)[0].bytes.subarray(399 * 256));
    assert.deepEqual(server.requests, [16 * 1024, 128]);
  } finally {
    server.close();
  }
  const whole = await serve(read(entry.file), { ranges: false });
  try {
    const file = await openCvc(new URL(whole.url));
    assert.deepEqual(bytesOf((await file.column().rows()).data), expected(entry)[0].bytes);
    assert.deepEqual(whole.requests, [entry.size], 'a server without ranges is asked once');
  } finally {
    whole.close();
  }
});

test('reads ahead six pieces at a time, and nothing twice', async () => {
  const file = Uint8Array.from({ length: 10_000 }, (_, at) => at % 251);
  let [open, most] = [0, 0];
  const asked = [];
  const far = {
    size: file.length,
    async read({ start, end }) {
      asked.push(start);
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 2));
      open--;
      return file.subarray(start, end);
    },
  };
  const reader = readAhead(far, 100);
  // The head, which turns out to be longer; the trailer; then everything between.
  const ranges = [[0, 64], [0, 350], [9960, 10_000], [350, 351], [351, 2000], [2000, 2000], [2000, 2100], [2100, 9961]];
  for (const [start, end] of ranges) assert.deepEqual(await reader.read({ start, end }), file.subarray(start, end), `${start}`);
  assert.equal(most, 6);
  // The second read of the head repeats at most the rest of the first.
  assert.ok(asked.length <= 100 + 1 + 4, `${asked.length}`);
  const broken = readAhead({ size: 1000, read: async () => Promise.reject(new Error('the line is dead')) }, 100);
  await assert.rejects(broken.read({ start: 0, end: 10 }), /the line is dead/);
  // Real files from a real server.
  const table = new Uint8Array(readFileSync(new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url)));
  const server = await serve(table);
  const pieces = [];
  for await (const piece of at1Text(server.url)) pieces.push(piece);
  server.close();
  assert.deepEqual(new Uint8Array(Buffer.concat(pieces)), decodeAt1(table));
});

test('sends the headers of a Request with each range', async () => {
  const seen = [];
  const server = await serve(read(med.file), {
    spoil(response, { headers }) {
      seen.push(headers.authorization);
      return headers.authorization !== 'Bearer me' && (response.writeHead(401).end(), true);
    },
  });
  try {
    await assert.rejects(openCvc(new Request(server.url)), { name: 'SourceError', status: 401, url: server.url });
    const request = new Request(server.url, { headers: { Authorization: 'Bearer me' } });
    const file = await openCvc(request);
    const { data } = await file.column().rows(399, 400, { checksums: 'skip' });
    assert.deepEqual(bytesOf(data), expected(med)[0].bytes.subarray(399 * 256));
    assert.deepEqual([seen.slice(1), server.requests], [['Bearer me', 'Bearer me'], [16 * 1024, 128]]);
    await assert.rejects(openCvc(new Request(server.url, { method: 'HEAD' })), { name: 'TypeError', message: /by GET, not HEAD/ });
    // Its own signal aborts it, and so does that of the options.
    for (const at of [0, 1]) {
      const calls = [new AbortController(), new AbortController()];
      const opened = await openCvc(new Request(request, { signal: calls[0].signal }), { signal: calls[1].signal });
      calls[at].abort(new Error('enough'));
      await assert.rejects(opened.column().rows(), /enough|aborted/);
    }
  } finally {
    server.close();
  }
});

test('reads from any source of ranges', async () => {
  const path = new URL(`../../../tests/vectors/cvc/${med.file}`, import.meta.url);
  const handle = await openPath(path);
  const ranges = [];
  const reader = {
    size: (await handle.stat()).size,
    async read({ start, end }) {
      ranges.push([start, end]);
      return (await handle.read(Buffer.alloc(end - start), 0, end - start, start)).buffer;
    },
  };
  const file = await openCvc(reader);
  assert.deepEqual(bytesOf((await file.column().rows()).data), expected(med)[0].bytes);
  assert.deepEqual(ranges.at(-1), [file.headLength, med.size]);
  assert.equal((await outline(reader)).format, 'cvc');
  await handle.close();

  // A table read by an object with a method, whose result may be synchronous.
  class Table {
    bytes = new Uint8Array(readFileSync(new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url)));
    size = this.bytes.length;
    signals = new Set();
    read({ start, end }, signal) {
      this.signals.add(signal);
      return this.bytes.subarray(start, end);
    }
  }
  const table = new Table();
  const stop = new AbortController();
  assert.deepEqual(await queryAt1(table, { count: true, signal: stop.signal }), await queryAt1(table.bytes, { count: true }));
  assert.equal(table.signals.size, 1);
  assert.deepEqual(await describeAt1(table, { signal: stop.signal }), await describeAt1(table.bytes));
  assert.deepEqual([...table.signals].slice(1), [stop.signal]);
  const pieces = [];
  for await (const piece of at1Text(table)) pieces.push(piece);
  assert.deepEqual(new Uint8Array(Buffer.concat(pieces)), decodeAt1(table.bytes));
  assert.deepEqual(await describeAt1(table), await describeAt1(table.bytes));

  const wrong = (read, size = 100) => openCvc({ size, read });
  await assert.rejects(wrong(() => new Uint8Array(1)), { name: 'RangeError', message: 'read returned 1 bytes instead of 13 at offset 0' });
  await assert.rejects(wrong(() => 'CVCF'), { name: 'TypeError', message: /the result of read must be a Uint8Array/ });
  await assert.rejects(wrong(() => new Uint8Array(13), NaN), { name: 'TypeError', message: /size must be a whole number/ });
  await assert.rejects(wrong(() => Promise.reject(new Error('the shelf is empty'))), /the shelf is empty/);
  await assert.rejects(openCvc({ size: 100 }), { name: 'TypeError', message: /\{ size, read \}, a Uint8Array or an ArrayBuffer/ });
});

test('reads six blocks ahead for a query on a remote table', async () => {
  const bytes = new Uint8Array(readFileSync(new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url)));
  const far = { size: bytes.length, reads: 0, open: 0, most: 0 };
  far.read = async ({ start, end }) => {
    [far.reads, far.most] = [far.reads + 1, Math.max(far.most, ++far.open)];
    await new Promise((resolve) => setTimeout(resolve, 3));
    far.open--;
    return bytes.subarray(start, end);
  };
  const ask = async (options) => {
    const near = await queryAt1(bytes, options);
    Object.assign(far, { reads: 0, most: 0 });
    const answer = await queryAt1(far, options);
    assert.deepEqual([answer.rows, answer.count, answer.result], [near.rows, near.count, near.result]);
    assert.equal(answer.stats.blockBytesRead, near.stats.blockBytesRead);
    assert.equal(answer.stats.ranges.length, far.reads, 'all that was read is told of');
    return { needed: near.stats.ranges.length, answer };
  };
  // A query for all rows reads nothing in vain, with or without conditions.
  const [value] = (await queryAt1(bytes, { select: ['type'], limit: 1 })).rows[0];
  for (const options of [{}, { select: ['type', 'val'] }, { sum: 'val' }, { eq: [{ column: 'type', value }], count: true }]) {
    const { needed } = await ask(options);
    assert.deepEqual([far.reads, far.most], [needed, 6], JSON.stringify(options));
  }
  // If rows decide about the rest, a few reads may be in vain. The first rows cost little more.
  const { needed } = await ask({ eq: [{ column: 'type', value }] });
  assert.ok(far.reads <= needed + 12 && far.most >= 5, `${far.reads} for ${needed}`);
  await ask({ limit: 3 });
  assert.deepEqual([far.reads, far.most], [2, 1]);
  // An unreadable block is an error only when it is needed.
  const { stats } = await queryAt1(bytes, { sum: 'val' });
  const bad = stats.ranges.at(-1);
  const torn = { size: bytes.length, read: async ({ start, end }) => (start <= bad.start && end > bad.start && start > 0 ? Promise.reject(new Error('torn')) : bytes.subarray(start, end)) };
  await assert.rejects(queryAt1(torn, { sum: 'val' }), /torn/);
  assert.equal((await queryAt1(torn, { select: ['val'], limit: 100 })).rows.length, 100);
});

test('aborts reads ahead on an answer and on a failure', async () => {
  const bytes = new Uint8Array(readFileSync(new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url)));
  for (const failing of [false, true]) {
    let [reads, again, calledOff, bad] = [0, 0, [], undefined];
    // Blocks arrive in the order of the requests; the answer needs the first eight.
    const read = ({ start, end }, signal) =>
      new Promise((resolve, reject) => {
        if (start === bad) {
          again++;
          return reject(new Error('torn'));
        }
        const turn = ++reads;
        if (failing && turn === 8) bad = start;
        const timer = setTimeout(() => (start === bad ? reject(new Error('busy')) : resolve(bytes.subarray(start, end))), 10 * turn);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          if (turn > 8) calledOff.push(turn);
          reject(signal.reason);
        });
      });
    const asked = queryAt1({ size: bytes.length, read }, { select: ['val'], limit: 700 });
    await (failing ? assert.rejects(asked, /torn/) : asked);
    assert.ok(reads > 8, 'nothing was asked for in vain');
    assert.equal(calledOff.length, reads - 8);
    assert.equal(again, failing ? 1 : 0, 'a failed read ahead is read again once');
  }
});

test('reads six ranges of a remote CVC file at a time, and no byte twice', async () => {
  for (const entry of valid.filter(({ num_chunks }) => num_chunks > 2)) {
    const bytes = read(entry.file);
    let [open, most, ranges] = [0, 0, []];
    const far = {
      size: bytes.length,
      async read({ start, end }) {
        ranges.push([start, end]);
        most = Math.max(most, ++open);
        await new Promise((resolve) => setTimeout(resolve, 1));
        open--;
        return bytes.subarray(start, end);
      },
    };
    const [near, file] = [await openCvc(bytes), await openCvc(far)];
    for (const column of near.columns) {
      for (const checksums of ['verify', 'skip']) {
        [most, ranges] = [0, []];
        const got = await file.columns[near.columns.indexOf(column)].rows(1, near.rowCount - 1, { checksums });
        assert.deepEqual(got, await column.rows(1, near.rowCount - 1, { checksums }), entry.name);
        // Chunk lengths are awaited one by one; parts of chunks are read concurrently.
        const parts = ranges.filter(([start, end]) => end - start !== 4);
        assert.equal(new Set(parts.map(String)).size, parts.length, entry.name);
        if (checksums === 'skip') assert.ok(most >= Math.min(6, parts.length), `${entry.name}: ${most} of ${parts.length}`);
        const ends = parts.toSorted(([a], [b]) => a - b);
        for (const [at, [start]] of ends.entries()) assert.ok(at === 0 || start >= ends[at - 1][1], `${entry.name}: ${start} was read twice`);
      }
    }
  }
});

/** Returns a CVC file with chunks of 8 half floats a row, and the offsets of the chunks. */
function withChunks(rows) {
  const json = JSON.stringify({ num_vectors: rows.reduce((sum, count) => sum + count), dimension: 8, compression: 'fp16', chunks: rows.map((count) => ({ rows: count })) });
  const starts = [8 + json.length];
  for (const count of rows) starts.push(starts.at(-1) + 4 + 16 * count);
  const bytes = new Uint8Array(starts.at(-1));
  bytes.set(Buffer.from(`CVCF\0\0\0\0${json}`));
  const view = new DataView(bytes.buffer);
  view.setUint32(4, json.length, true);
  for (const [at, count] of rows.entries()) view.setUint32(starts[at], 16 * count, true);
  return { bytes, starts };
}

test('aborts the reads that an outline has started ahead, when it fails', async () => {
  // Chunks at equal distances, so that the next ones are read ahead.
  const { bytes } = withChunks(Array(40).fill(2 ** 17));
  const signals = [];
  const read = async ({ start, end }, signal) => {
    signals.push(signal);
    if (start > bytes.length / 2) throw new Error('torn');
    return bytes.subarray(start, end);
  };
  await assert.rejects(outline({ size: bytes.length, read }), /torn/);
  assert.ok(signals.length > 20 && signals.every((signal) => signal?.aborted));
});

test('keeps the lengths of chunks, and no rows of the same size', async () => {
  const ranges = [];
  const opened = (bytes) => openCvc({ size: bytes.length, read: ({ start, end }) => (ranges.push([start, end]), bytes.subarray(start, end)) });
  const lengthsRead = async (file, row) => {
    ranges.length = 0;
    await file.column().rows(row, row + 1, { checksums: 'skip' });
    return ranges.filter(([start, end]) => end - start === 4).length;
  };
  const lossless = await opened(read('v1_lossless_med.cvc'));
  const first = await lengthsRead(lossless, lossless.rowCount - 1);
  assert.ok(first > 0);
  assert.equal(await lengthsRead(lossless, lossless.rowCount - 1), 0);
  lossless.release();
  assert.equal(await lengthsRead(lossless, lossless.rowCount - 1), first);
  // Two half floats a row.
  const json = '{"chunks":[{"rows":10}],"compression":"fp16","dimension":2,"num_vectors":10}';
  const words = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer);
  const halves = await opened(new Uint8Array(Buffer.concat([Buffer.from('CVCF'), words(json.length), Buffer.from(json), words(40), Buffer.alloc(40)])));
  for (let time = 0; time < 2; time++) assert.equal(await lengthsRead(halves, 5), 1);
});

test('reads large remote chunks of CVC in the planned parts', async () => {
  // Ten chunks of 300 KB, of which three share a read.
  const [chunks, rows, width] = [10, 1200, 256];
  const json = Buffer.from(JSON.stringify({ chunks: Array(chunks).fill({ rows }), compression: 'fp16', dimension: width / 2, num_vectors: chunks * rows }));
  const words = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer);
  const payload = Buffer.concat([words(rows * width), Buffer.alloc(rows * width, 7)]);
  const bytes = new Uint8Array(Buffer.concat([Buffer.from('CVCF'), words(json.length), json, ...Array(chunks).fill(payload)]));
  const ranges = [];
  const file = await openCvc({ size: bytes.length, read: async ({ start, end }) => (ranges.push([start, end]), bytes.subarray(start, end)) });
  for (const [first, last] of [[0, chunks * rows], [600, 7200]]) {
    ranges.length = 0;
    const { data } = await file.column().rows(first, last);
    assert.deepEqual(data, (await (await openCvc(bytes)).column().rows(first, last)).data);
    const planned = (await file.column().plan(first, last)).map(({ start, end }) => [start, end]);
    assert.deepEqual(ranges.toSorted(([a], [b]) => a - b).slice(0, planned.length), planned);
    // After the last chunk, the reader looks for a hidden checksum.
    assert.ok(ranges.slice(planned.length).every(([start, end]) => end - start <= 4), String(ranges));
  }
});

test('accepts a Node Buffer, even if part of it is kept', async () => {
  const onpair = readFileSync(new URL('../../../tests/vectors/onpair/cpp/urls_b12.onp', import.meta.url));
  const first = (await openOnPairFile(new Uint8Array(onpair))).text(7);
  for (const source of [onpair, { size: onpair.length, read: ({ start, end }) => onpair.subarray(start, end) }]) {
    assert.equal(await (await openOnPairFile(source)).text(7), await first);
  }
  const cvc = Buffer.from(read(med.file));
  const file = await openCvc(cvc);
  cvc.fill(0, 0, 200);
  assert.equal((await file.column().plan(0, 5)).length, 1);
});

test('ignores the Range header of a Request', async () => {
  const seen = [];
  const server = await serve(read(med.file), { spoil: (_, { headers }) => (seen.push(headers.range), false) });
  await openCvc(new Request(server.url, { headers: { range: 'bytes=0-5' } }));
  server.close();
  assert.deepEqual(seen, ['bytes=0-16383']);
});

/** Runs a call on a reader that takes time. Returns the largest number of reads in flight. */
async function mostInFlight(bytes, time, call) {
  let [underWay, most] = [0, 0];
  const read = async ({ start, end }) => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, time));
    underWay--;
    return bytes.subarray(start, end);
  };
  await call({ size: bytes.length, read });
  return most;
}

test('keeps at most six reads in flight, including those in vain', async () => {
  const bytes = new Uint8Array(readFileSync(new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url)));
  const [value] = (await queryAt1(bytes, { select: ['type'], limit: 1 })).rows[0];
  for (const options of [{ where: [{ column: 'val', from: 0 }] }, { eq: [{ column: 'type', value }], select: ['val'] }, { where: [{ column: 'ts', from: 1 }, { column: 'val', to: 10 }], eq: [{ column: 'type', value }] }]) {
    const most = await mostInFlight(bytes, 5, (source) => queryAt1(source, options));
    assert.ok(most <= 6, `${most} for ${JSON.stringify(options)}`);
  }
});

test('aborts reads when a text is not read to its end', async () => {
  const bytes = new Uint8Array(readFileSync(new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url)));
  let signal;
  const read = ({ start, end }, given) => ((signal = given), bytes.subarray(start, end));
  for await (const piece of at1Text({ size: bytes.length, read })) {
    assert.ok(piece.length > 0 && !signal.aborted);
    break;
  }
  assert.ok(signal.aborted);
});

test('reports the status of a server that refuses', async () => {
  for (const status of [404, 500]) {
    const server = await serve(read(med.file), { spoil: (response) => (response.writeHead(status).end('sorry'), true) });
    const refused = { name: 'SourceError', status, url: server.url, message: new RegExp(`^${server.url}: the server returned ${status}`), reason: new RegExp(`^the server returned ${status}`) };
    await assert.rejects(openCvc(server.url), refused);
    await assert.rejects(init(server.url), { ...refused, message: /for the wasm module$/ });
    server.close();
  }
});

test('explains how to open a path', async () => {
  for (const path of ['vectors.cvc', new URL('vectors.cvc', import.meta.url)]) {
    await assert.rejects(openCvc(path), { name: 'TypeError', message: /vectors\.cvc cannot be fetched; in Node, openAsBlob/ });
  }
  const blob = await openAsBlob(new URL(`../../../tests/vectors/cvc/${med.file}`, import.meta.url));
  assert.equal((await openCvc(blob)).rowCount, (await openCvc(read(med.file))).rowCount);
});

test('handles an empty file, a missing file and an aborted request', async () => {
  const server = await serve(new Uint8Array());
  try {
    await assert.rejects(openCvc(server.url), { name: 'Truncated', offset: 0 });
  } finally {
    server.close();
  }
  for (const load of [openCvc, init]) {
    await assert.rejects(load(server.url), { name: 'SourceError', status: 0, message: `${server.url}: the server cannot be reached` });
  }
  await assert.rejects(openCvc('http://127.0.0.1:1/', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(openCvc(new Blob(['CVCF']), { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('detects wrong answers of a server before it uses a byte', async () => {
  const file = read(med.file);
  const other = file.map((byte) => byte ^ 1);
  /** Each replaces answers after the first, which is for the head. */
  const ways = {
    'the server sent another range than requested': [
      (response, start, end) => response.writeHead(206, { 'Content-Range': `bytes ${start - 1}-${end - 2}/${file.length}` }).end(file.subarray(start - 1, end - 1)),
      (response, start, end) => response.writeHead(206, { 'Content-Range': `bytes ${start}-${end - 2}/${file.length}` }).end(file.subarray(start, end - 1)),
    ],
    'a body that does not match its Content-Range': [
      (response, start, end) => response.writeHead(206, { 'Content-Range': `bytes ${start}-${end - 1}/${file.length}` }).end(file.subarray(start, end - 1)),
    ],
    'no valid Content-Range': [
      (response, start, end) => response.writeHead(206).end(file.subarray(start, end)),
      (response) => response.writeHead(204).end(),
    ],
    'does not tell the length of the file': [(response, start, end) => response.writeHead(206, { 'Content-Range': `bytes ${start}-${end - 1}/*` }).end(file.subarray(start, end))],
    'has changed since': [
      (response, start, end) => response.writeHead(206, { ETag: '"2"', 'Content-Range': `bytes ${start}-${end - 1}/${file.length}` }).end(other.subarray(start, end)),
      (response, start, end) => {
        response.removeHeader('ETag');
        response.writeHead(206, { 'Last-Modified': 'Tue, 02 Jan 2024 00:00:00 GMT', 'Content-Range': `bytes ${start}-${end - 1}/${file.length}` }).end(other.subarray(start, end));
      },
      (response, start, end) => response.writeHead(206, { 'Content-Range': `bytes ${start}-${end - 1}/${file.length + 1}` }).end(other.subarray(start, end)),
      (response) => response.end(other.subarray(1)),
      // The file has become shorter.
      (response) => response.writeHead(416, { 'Content-Range': 'bytes */10' }).end(),
      (response) => response.writeHead(200, { ETag: '"2"' }).end(other),
      // Not read to its end, which never comes.
      (response) => response.writeHead(200, { ETag: '"2"' }).write(other),
      (response) => response.write(Buffer.concat([file, other])),
      (response, start, end) => response.writeHead(206, { ETag: '"2"', 'Content-Range': `bytes ${start}-${end - 1}/${file.length}` }).write(other),
    ],
  };
  /** Reads the last row from a server that answers like this after its first answer. */
  const lastRow = async (answer) => {
    let requests = 0;
    const server = await serve(file, {
      spoil(response, { headers }) {
        response.setHeader('ETag', '"1"').setHeader('Last-Modified', 'Mon, 01 Jan 2024 00:00:00 GMT');
        const [start, last] = headers.range.match(/\d+/g).map(Number);
        return requests++ > 0 && (answer(response, start, last + 1), true);
      },
    });
    try {
      const { data } = await (await openCvc(server.url)).column().rows(399, 400, { checksums: 'skip' });
      return bytesOf(data);
    } finally {
      server.close();
    }
  };
  for (const [words, spoils] of Object.entries(ways)) {
    for (const spoil of spoils) {
      await assert.rejects(lastRow(spoil), (error) => {
        assert.ok(error instanceof SourceError, `${error.name}: ${spoil}`);
        assert.match(error.message, new RegExp(words), `${spoil}`);
        assert.match(error.url, /file\.cvc$/);
        assert.ok([200, 204, 206, 416].includes(error.status));
        return true;
      });
    }
  }
  // Accepted: the whole file instead of a range; a weak tag with the same value; another date with
  // the same tag.
  for (const answer of [
    (response) => response.end(file),
    (response, start, end) => {
      const said = { ETag: 'W/"1"', 'Last-Modified': 'Tue, 02 Jan 2024 00:00:00 GMT', 'Content-Range': `bytes ${start}-${end - 1}/${file.length}` };
      response.writeHead(206, said).end(file.subarray(start, end));
    },
  ]) {
    assert.deepEqual(await lastRow(answer), expected(med)[0].bytes.subarray(399 * 256));
  }
});

test('opens a file once for several readers', async () => {
  const file = read(med.file);
  let now = { ETag: '"1"' };
  const server = await serve(file, { spoil: (response) => (Object.entries(now).forEach((header) => response.setHeader(...header)), false) });
  try {
    const source = await openSource(server.url);
    assert.deepEqual([source.size, source.isRemote, source.version], [file.length, true, { size: file.length, etag: '"1"', modified: undefined }]);
    const opened = await openCvc(source);
    assert.equal((await open(source)).vectors.rowCount, opened.rowCount);
    assert.deepEqual(server.requests, [16 * 1024], 'the header was read once');
    const { error } = await outline(source);
    assert.equal(error, undefined);
    // Another thread opens the same version, or none.
    const version = structuredClone(source.version);
    const again = await openSource(new Request(server.url), { version });
    assert.deepEqual(await again.read({ start: 20_000, end: 20_010 }), file.subarray(20_000, 20_010));
    now = { ETag: '"2"' };
    for (const late of [() => openSource(server.url, { version }), () => source.read({ start: 20_000, end: 20_010 }), () => opened.column().rows()]) {
      await assert.rejects(late(), { name: 'SourceError', url: server.url, reason: 'the file has changed since it was opened' });
    }
    await assert.rejects(openSource(server.url, { version: { ...version, size: 1 } }), SourceError);
  } finally {
    server.close();
  }
  for (const local of [file, new Blob([file])]) {
    const source = await openSource(local);
    assert.deepEqual([source.size, source.isRemote, source.version], [file.length, false, undefined]);
    assert.deepEqual(await source.read({ start: 5, end: 9 }), file.slice(5, 9));
    assert.deepEqual(await source.read({ start: file.length - 1, end: Infinity }), file.slice(-1));
  }
  await assert.rejects(openSource(file, { versions: 1 }), TypeError);
});

test('reports a connection that closes early', async () => {
  const file = read(med.file);
  const server = await serve(file, {
    spoil(response) {
      response.writeHead(206, { 'Content-Range': `bytes 0-16383/${file.length}`, 'Content-Length': 16384 }).write(file.subarray(0, 100), () => response.destroy());
      return true;
    },
  });
  await assert.rejects(openSource(server.url), { name: 'SourceError', status: 206, reason: 'the connection closed early' });
  server.close();
});

test('checks the first answer, and reports a truncated file', async () => {
  const file = read(med.file);
  for (const range of [`bytes 1-16384/${file.length}`, 'bytes */5', `bytes 0-16383/*`]) {
    const server = await serve(file, { spoil: (response) => (response.writeHead(range.includes('*/') ? 416 : 206, { 'Content-Range': range }).end(file.subarray(1, 16385)), true) });
    await assert.rejects(openCvc(server.url), /another range|416|no valid Content-Range|does not tell the length/, range);
    server.close();
  }
  const short = await serve(file.subarray(0, 40_000));
  await assert.rejects(openCvc(short.url).then((opened) => opened.column().rows()), { name: 'Truncated' });
  short.close();
});

test('aborts reads before they start and while they run', async () => {
  const reason = new Error('enough');
  const late = { signal: AbortSignal.abort(reason) };
  const same = (error) => error === reason;
  const at1 = new Uint8Array(readFileSync(new URL('../../../tests/vectors/at1/c8_events.at1', import.meta.url)));
  for (const source of [at1, new Blob([at1]), 'http://127.0.0.1:1/', 'no/address']) {
    for (const read of [queryAt1, describeAt1, outline, openCvc, (...all) => at1Text(...all).next()]) await assert.rejects(read(source, late), same, `${read.name}`);
  }
  for (const source of [read(med.file), new Blob([read(med.file)])]) {
    const stop = new AbortController();
    const file = await openCvc(source, { signal: stop.signal });
    await file.column().rows(0, 1);
    stop.abort(reason);
    await assert.rejects(file.column().rows(0, 1), same);
  }
  // A server that never ends its answer.
  const stop = new AbortController();
  const server = await serve(at1, { spoil: (response) => (response.write('x'), setTimeout(() => stop.abort(reason), 20), true) });
  let gone;
  const closed = new Promise((resolve) => (gone = resolve));
  server.server.on('request', (request) => request.on('close', gone));
  await assert.rejects(queryAt1(server.url, { signal: stop.signal }), same);
  await closed;
  server.close();
});

test('recognises a page of HTML in place of the file', async () => {
  for (const page of ['<!doctype html><title>app</title>', '\ufeff\n<!DOCTYPE HTML>', '<html lang="en">']) {
    const server = await serve(Buffer.from(page), { ranges: false });
    const found = { name: 'SourceError', status: 200, message: `${server.url}: the server sent an HTML page instead of the file` };
    for (const open of [openCvc, openOnPairFile, describeAt1]) await assert.rejects(open(server.url), found);
    server.close();
  }
});

test('lists the columns if a name is missing or wrong', async () => {
  const entry = valid.find(({ columns }) => columns?.length > 1);
  const names = entry.columns.map(({ name }) => `'${name}'`).join(', ');
  const file = await openCvc(read(entry.file));
  assert.throws(() => file.column('nobody'), { name: 'CvcNoSuchColumn', message: new RegExp(`: its columns are ${names}$`) });
  assert.throws(() => file.column(), { name: 'CvcPickColumn', message: new RegExp(`; name one: its columns are ${names}$`) });
});

test('aborts the reads of a call, and no other', async () => {
  const strings = new Uint8Array(readFileSync(new URL('../../../tests/vectors/onpair/cpp/urls_b12.onp', import.meta.url)));
  const vectors = read(med.file);
  /** Returns a reader whose reads stay open after opening, until their signal aborts them. */
  const stuck = (bytes) => {
    const reader = { size: bytes.length, isStuck: false, aborted: 0 };
    reader.read = ({ start, end }, signal) =>
      !reader.isStuck
        ? bytes.subarray(start, end)
        : new Promise((_, reject) => signal.addEventListener('abort', () => (reader.aborted++, reject(signal.reason))));
    return reader;
  };
  const [onpair, cvc] = [stuck(strings), stuck(vectors)];
  const [file, vectorFile] = [await openOnPairFile(onpair), await openCvc(cvc)];
  const column = vectorFile.column();
  const calls = {
    row: (options) => file.row(0, options),
    text: (options) => file.text(0, options),
    rows: (options) => file.rows(0, 3, options),
    'rows by number': (options) => file.rows([1, 2], options),
    texts: (options) => file.texts(0, 3, options),
    'texts by number': (options) => file.texts(new Set([1, 2]), options),
    decode: (options) => file.decode(0, 3, options),
    search: (options) => file.search({ contains: 'a' }, options),
    vectors: (options) => column.rows(0, 10, options),
    plan: (options) => column.plan(0, 10, options),
  };
  for (const [name, call] of Object.entries(calls)) {
    const now = AbortSignal.abort(new Error('before'));
    onpair.isStuck = cvc.isStuck = false;
    if (name !== 'plan') await assert.rejects(call({ signal: now }), /before/, name);
    await assert.rejects(call({ signel: now }), TypeError, name);
    onpair.isStuck = cvc.isStuck = true;
    const stop = new AbortController();
    const pending = call({ signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 5);
    if (name !== 'plan') await assert.rejects(pending, /enough/, name);
    onpair.isStuck = cvc.isStuck = false;
    await call({ signal: new AbortController().signal });
  }
  const blob = new Blob([vectors]);
  const local = await openCvc(blob);
  await assert.rejects(local.column().rows(0, 10, { signal: AbortSignal.abort(new Error('before')) }), /before/);
  const stop = new AbortController();
  const pending = local.column().rows(0, 10, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await assert.rejects(pending, /enough/);
});

test('aborts reads ahead of a CVC file after a failure', async () => {
  const entry = valid.find(({ num_chunks }) => num_chunks > 2);
  const bytes = read(entry.file);
  let [reads, calledOff] = [0, 0];
  const reader = { size: bytes.length, isTorn: false };
  reader.read = ({ start, end }, signal) => {
    if (!reader.isTorn || end - start === 4) return bytes.subarray(start, end);
    return new Promise((resolve, reject) => {
      if (++reads === 1) setTimeout(() => reject(new Error('torn')), 10);
      signal.addEventListener('abort', () => (calledOff++, reject(signal.reason)));
    });
  };
  const file = await openCvc(reader);
  reader.isTorn = true;
  const [column] = file.columns;
  await assert.rejects(column.rows(1, file.rowCount - 1, { checksums: 'skip' }), /torn/);
  assert.ok(reads > 1, 'nothing was read ahead');
  assert.equal(calledOff, reads, 'all of them are aborted');
});

test('aborts reading a Blob', async () => {
  await assert.rejects(readBlob(new Blob(['a']), { signal: AbortSignal.abort(new Error('before')) }), /before/);
  const stop = new AbortController();
  const onProgress = () => stop.abort(new Error('enough'));
  await assert.rejects(readBlob(new Blob([new Uint8Array(9e6)]), { signal: stop.signal, onProgress }), /enough/);
  await assert.rejects(readBlob(new Blob(['a']), { onprogress: 1 }), TypeError);
  assert.deepEqual(await readBlob(new Blob(['ab'])), Uint8Array.of(97, 98));
});

test('keeps at most six reads of a call in flight, of every function', async () => {
  const load = (name) => read(`../${name}`);
  const [table, strings, vectors] = [load('at1/c8_events.at1'), load('onpair/cpp/urls_b12.onp'), read(med.file)];
  const [frames, streams] = ['zstd/page.zst', 'xz/blocks.xz'].map((name) => new Uint8Array(Buffer.concat(Array(200).fill(load(name)))));
  const most = (bytes, open, call = () => undefined) => mostInFlight(bytes, 1, async (source) => call(await open(source)));
  const drain = async (file) => {
    for await (const piece of at1Text(file)) assert.ok(piece.length > 0);
  };
  const scattered = (file) => Array.from({ length: 9 }, (_, at) => Math.floor((at * file.rowCount) / 9));
  const forget = (call) => (file) => (file.release(), call(file));
  const calls = {
    openOnPairFile: [strings, openOnPairFile],
    texts: [strings, openOnPairFile, (file) => file.texts(scattered(file))],
    'texts after release': [strings, openOnPairFile, forget((file) => file.texts(scattered(file)))],
    'search after release': [strings, openOnPairFile, forget((file) => file.search({ contains: 'a' }))],
    openCvc: [vectors, openCvc, (file) => file.column().rows()],
    'openCvc, skip': [vectors, openCvc, (file) => file.column().rows(1, file.rowCount - 1, { checksums: 'skip' })],
    at1Text: [table, drain],
    describeAt1: [table, describeAt1],
    queryAt1: [table, queryAt1],
    'outline of zstd': [frames, outline],
    'outline of xz': [streams, outline],
    'outline of cvc': [vectors, outline],
    'outline of onpair': [strings, outline],
    'outline of large chunks': [withChunks(Array(20).fill(2 ** 14)).bytes, outline],
  };
  const found = {};
  for (const [name, call] of Object.entries(calls)) found[name] = await most(...call);
  assert.deepEqual(Object.entries(found).filter(([, count]) => count > 6), []);
  assert.ok(Math.max(...Object.values(found)) === 6);
});

test('counts reads in vain of an outline among the six', async () => {
  // Distances change, so that reads ahead miss the chunks. Those never end.
  const { bytes, starts } = withChunks([1, 2, 3].flatMap((factor) => Array(12).fill(factor * 2 ** 14)));
  let [underWay, most, vain] = [0, 0, 0];
  const readSlowly = async ({ start, end }, signal) => {
    most = Math.max(most, ++underWay);
    const isVain = start > starts[0] && !starts.includes(start);
    vain += Number(isVain);
    await new Promise((resolve) => (isVain ? signal.addEventListener('abort', resolve) : setTimeout(resolve, 1)));
    underWay--;
    return bytes.subarray(start, end);
  };
  assert.deepEqual(await outline({ size: bytes.length, read: readSlowly }), await outline(bytes));
  assert.ok(vain > 1, `${vain} reads in vain`);
  assert.equal(most, 6);
});
