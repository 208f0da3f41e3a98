// A read ahead is a guess. If it fails, only the bytes that are needed are read again.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { UnspoolWorker } from 'unspool/worker';
import { decodeCvc, openCvc, outline, queryAt1 } from './all.mjs';
import { readAhead } from '../dist/ahead.js';
import { read, valid } from './vectors.mjs';

const table = read('../at1/c8_events.at1');
const vectors = read(valid.find(({ num_chunks }) => num_chunks > 2).file);

/** Returns a reader of a slow server, which fails the first try of each read ahead. */
function failingAhead(bytes) {
  const tried = new Set();
  const reader = { size: bytes.length, underWay: 0, failures: 0 };
  reader.read = async ({ start, end }) => {
    const fails = reader.underWay > 0 && !tried.has(start);
    tried.add(start);
    reader.underWay += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    reader.underWay -= 1;
    if (!fails) return bytes.subarray(start, end);
    reader.failures += 1;
    throw new Error('busy');
  };
  return reader;
}

/** Runs a call on such a reader. */
async function withFailures(bytes, call) {
  const reader = failingAhead(bytes);
  const result = await call(reader);
  assert.ok(reader.failures > 1, `${reader.failures} reads ahead failed`);
  return result;
}

/** A sum, without the ranges that were read. */
const sumOf = ({ result, count }) => ({ result, count });
const sum = { sum: 'val' };
const bare = { checksums: 'skip', rows: [1, decodeCvc(vectors).shape[0] - 1] };

test('a failed read ahead fails no call', async () => {
  assert.deepEqual(sumOf(await withFailures(table, (file) => queryAt1(file, sum))), sumOf(await queryAt1(table, sum)));
  const rows = async (file) => (await openCvc(file)).column().rows(...bare.rows, { checksums: 'skip' });
  assert.deepEqual(await withFailures(vectors, rows), await rows(vectors));
});

test('a failed read ahead fails no job of a pool', async () => {
  const pool = new UnspoolWorker();
  try {
    assert.deepEqual(sumOf(await withFailures(table, (file) => pool.queryAt1(file, sum))), sumOf(await queryAt1(table, sum)));
    assert.deepEqual(await withFailures(vectors, (file) => pool.decodeCvc(file, bare)), decodeCvc(vectors, bare));
    // A block that cannot be read is an error only if it is needed, and then the error of the file.
    const { stats } = await queryAt1(table, sum);
    const bad = stats.ranges.at(-1);
    const torn = new Error('torn');
    const file = { size: table.length, read: async ({ start, end }) => (start > 0 && start <= bad.start && end > bad.start ? Promise.reject(torn) : table.subarray(start, end)) };
    await assert.rejects(pool.queryAt1(file, sum), (error) => error === torn);
    assert.equal((await pool.queryAt1(file, { select: ['val'], limit: 100 })).rows.length, 100);
  } finally {
    pool.terminate();
  }
});

test('bytes that are read with the needed ones may be unreadable', async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at);
  const read = async ({ start, end }) => (start <= 250 && end > 250 ? Promise.reject(new Error('torn')) : bytes.subarray(start, end));
  const reader = readAhead({ size: bytes.length, read }, 100);
  for (const [start, end] of [[0, 110], [110, 250], [251, 420]]) assert.deepEqual(await reader.read({ start, end }), bytes.subarray(start, end), `${start}`);
  await assert.rejects(reader.read({ start: 240, end: 260 }), /torn/);
});

test('limits.maxInput bounds the needed bytes, not those read with them', async () => {
  const frames = new Uint8Array(Buffer.concat(Array(40).fill(read('../zstd/page.zst'))));
  const server = createServer((request, response) => {
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range).map(Number);
    const part = frames.subarray(start, end + 1);
    response.writeHead(206, { 'Content-Range': `bytes ${start}-${start + part.length - 1}/${frames.length}` }).end(part);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${server.address().port}/`;
    assert.deepEqual(await outline(url, { limits: { maxInput: 20_000 } }), await outline(frames));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
