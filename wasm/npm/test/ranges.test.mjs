import assert from 'node:assert/strict';
import { openAsBlob } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { openCvc } from 'unspool';
import { bytesOf, expected, read, valid } from './vectors.mjs';

/** A Blob that remembers what was read of it. */
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

test('opening reads the header, and rows read their chunks', async () => {
  const blob = new Counted([read(med.file)]);
  const file = await openCvc(blob);
  const head = 12 + med.header_len;
  assert.equal(file.headLength, head);
  assert.equal(blob.total, 13 + head, 'the framing, then the head');

  // Rows 150 to 160 lie in the second of four chunks of 100 rows.
  const [{ bytes }] = expected(med);
  const chunk = med.chunks[1];
  blob.ranges = [];
  const { data } = await file.column().rows(150, 160);
  assert.deepEqual(bytesOf(data), bytes.subarray(150 * 256, 160 * 256));
  assert.deepEqual(blob.ranges, [[chunk.prefix_offset, chunk.payload_offset + chunk.payload_len]]);

  // Without the checksum, not a byte but those of the rows: 64 half floats each.
  blob.ranges = [];
  const bare = await file.column().rows(150, 160, { checksums: 'skip' });
  assert.deepEqual(bytesOf(bare.data), bytes.subarray(150 * 256, 160 * 256));
  assert.deepEqual(bare.checksums, { right: 0, wrong: 0, unchecked: 1 });
  assert.deepEqual(blob.ranges, [[chunk.payload_offset + 50 * 128, chunk.payload_offset + 60 * 128]]);

  // All rows in one read, because the chunks lie one behind the other.
  blob.ranges = [];
  await file.column().rows();
  assert.deepEqual(blob.ranges, [[head, med.size]]);
});

test('a plan names what rows reads', async () => {
  for (const entry of valid) {
    const blob = new Counted([read(entry.file)]);
    const file = await openCvc(blob);
    for (const column of file.columns) {
      for (const checksums of ['verify', 'skip']) {
        const [start, end] = [file.rows >> 2, file.rows >> 1];
        const plan = await column.plan(start, end, { checksums });
        blob.ranges = [];
        await column.rows(start, end, { checksums });
        const planned = plan.reduce((sum, range) => sum + range.end - range.start, 0);
        // Lengths of chunks are known by now; version 0 looks four bytes further for a hidden checksum.
        const extra = file.hasChecksums || checksums === 'skip' ? 0 : 4;
        assert.ok(blob.total >= planned && blob.total <= planned + extra, `${entry.name}: ${blob.total} of ${planned}`);
      }
    }
  }
});

/** A server for one file; `ranges` says whether it answers range requests. */
async function serve(bytes, { ranges = true } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
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
  return { url: `http://127.0.0.1:${server.address().port}/file.cvc`, requests, close: () => server.close() };
}

test('a URL is read by ranges', async () => {
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

test('a path is no address, and the error says what opens it', async () => {
  for (const path of ['vectors.cvc', new URL('vectors.cvc', import.meta.url)]) {
    await assert.rejects(openCvc(path), { name: 'TypeError', message: /vectors\.cvc cannot be fetched; in Node, openAsBlob/ });
  }
  const blob = await openAsBlob(new URL(`../../../tests/vectors/cvc/${med.file}`, import.meta.url));
  assert.equal((await openCvc(blob)).rows, (await openCvc(read(med.file))).rows);
});

test('an empty file on a server, a missing one, and an aborted one', async () => {
  const server = await serve(new Uint8Array());
  try {
    await assert.rejects(openCvc(server.url), { name: 'Truncated', offset: 0 });
  } finally {
    server.close();
  }
  await assert.rejects(openCvc(server.url), TypeError);
  await assert.rejects(openCvc('http://127.0.0.1:1/', { signal: AbortSignal.abort() }), { name: 'AbortError' });
  await assert.rejects(openCvc(new Blob(['CVCF']), { signal: AbortSignal.abort() }), { name: 'AbortError' });
});
