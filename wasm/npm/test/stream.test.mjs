// Streams: pieces of any size, the same bytes and errors, and backpressure.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { at1Stream, decodeAt1, decodeGzip, decodeXz, decodeZstd, gzipStream, lzmaStream, UnspoolError, xzStream, zstdStream } from './all.mjs';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));
const join = (...parts) => new Uint8Array(Buffer.concat(parts));

let memory;
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(...args) {
    super(...args);
    memory = this.exports.memory;
  }
};

function pieces(bytes, size) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(bytes.subarray(at, at + size));
  return ReadableStream.from(parts);
}

const through = async (bytes, size, stream) => new Uint8Array(await new Response(pieces(bytes, size).pipeThrough(stream)).arrayBuffer());

/**
 * Builds a frame without content size that holds runs of 128 KiB, with a window of the same size.
 */
function runs(count) {
  const frame = [0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3];
  for (let run = 1; run <= count; run++) frame.push((1 << 1) | (run === count ? 1 : 0), 0, 0x10, 0x11);
  return Uint8Array.from(frame);
}

const [page, dictionary] = [read('zstd/page.zst'), read('zstd/rfc8878/dict-id123456789')];
const cases = {
  // The second frame needs a larger window than the first, and the third a larger one still.
  zstd: [join(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 1, 2, 3), page, runs(20)), zstdStream, decodeZstd],
  xz: [join(read('xz/unspool.xz'), read('xz/blocks.xz'), read('xz/page.xz')), xzStream, decodeXz],
  gzip: [join(gzipSync(decodeXz(read('xz/page.xz'))), read('gzip/two_members.gz'), gzipSync(read('at1/s3_log.at1'))), gzipStream, decodeGzip],
  'AT-1 with frames': [read('at1/s3_log.at1'), at1Stream, decodeAt1],
  'AT-1 without': [read('at1/c8_events.at1'), at1Stream, decodeAt1],
};

function outcome(decode, bytes) {
  try {
    return decode(bytes);
  } catch ({ name }) {
    return name;
  }
}

for (const [name, [bytes, open, decode]] of Object.entries(cases)) {
  test(`decodes ${name} in pieces of any size`, async () => {
    const expected = decode(bytes);
    for (const size of [bytes.length, 1 << 16, 1000, 7]) assert.deepEqual(await through(bytes, size, open()), expected, `${size}`);
    const start = bytes.subarray(0, 4000);
    assert.deepEqual(await through(start, 1, open()).catch(({ name }) => name), outcome(decode, start), 'byte by byte');
  });

  test(`reports an error of ${name} on both sides`, async () => {
    for (const broken of [bytes.subarray(0, bytes.length - 3), join(bytes.subarray(0, 2), Uint8Array.of(0xff), bytes.subarray(3))]) {
      const wanted = outcome(decode, broken);
      const { readable, writable } = open();
      const fed = pieces(broken, 999).pipeTo(writable);
      const results = await Promise.allSettled([new Response(readable).arrayBuffer(), fed]);
      for (const { status, reason } of results) {
        assert.equal(status, 'rejected');
        assert.ok(reason instanceof UnspoolError);
        assert.equal(reason.name, wanted);
      }
    }
  });
}

test('emits at most 64 KiB at a time', async () => {
  const content = new Uint8Array(300_000);
  const files = { zstd: [runs(3), zstdStream], xz: [read('patch/restore.xz'), xzStream], lzma: [read('lzma/page.lzma'), lzmaStream], gzip: [gzipSync(content), gzipStream], at1: [read('at1/s3_log.at1'), at1Stream] };
  for (const [name, [bytes, open]] of Object.entries(files)) {
    let largest = 0;
    for await (const piece of pieces(bytes, bytes.length).pipeThrough(open())) largest = Math.max(largest, piece.length);
    assert.ok(largest > 1000 && largest <= 2 ** 16, `${name}: ${largest}`);
  }
});

test('limits.maxWindow bounds a whole Zstandard file too, except single segments, and no other', () => {
  const limits = { maxWindow: 1000 };
  assert.throws(() => decodeZstd(runs(3), { limits }), { name: 'WindowLimit' });
  // One segment of 2,000 bytes, a run.
  const single = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x60, 0xd0, 0x06, (2000 << 3) & 0xff | 3, 2000 >> 5, 0, 7);
  assert.deepEqual(decodeZstd(single, { limits }), new Uint8Array(2000).fill(7));
  const xz = read('xz/page.xz');
  assert.deepEqual(decodeXz(xz, { limits }), decodeXz(xz));
  const gzip = gzipSync(new Uint8Array(100_000));
  assert.equal(decodeGzip(gzip, { limits }).length, 100_000);
});

test('checks the dictionary, the limits and the type of the input', async () => {
  const file = read('zstd/rfc8878/dict-id123456789-json60k-stdin.zst');
  assert.deepEqual(await through(file, 10, zstdStream({ dictionary })), decodeZstd(file, { dictionary }));
  await assert.rejects(through(file, 10, zstdStream()), { name: 'ZstdDictionaryWanted' });
  await assert.rejects(through(runs(20), 10, zstdStream({ limits: { maxOutput: 1e6 } })), { name: 'OutputLimit' });
  await assert.rejects(through(read('xz/page.xz'), 1000, xzStream({ limits: { maxWindow: 5000 } })), { name: 'WindowLimit' });
  // One segment of 1 GiB, which would be the window.
  const large = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0x40);
  await assert.rejects(through(large, 10, zstdStream()), { name: 'WindowLimit', need: 2 ** 30 });
  await assert.rejects(through(runs(20), 10, zstdStream({ limits: { maxWindow: 1000 } })), { name: 'WindowLimit' });
  assert.throws(() => zstdStream({ format: 'lz4' }), TypeError);
  const writer = zstdStream().writable.getWriter();
  await assert.rejects(writer.write('text'), TypeError);
});

test('detects a wrong hash after the frames', async () => {
  const file = join(cases['AT-1 with frames'][0]);
  file[file.length - 10] ^= 1;
  assert.equal(outcome(decodeAt1, file), 'At1Hash');
  await assert.rejects(through(file, 1000, at1Stream()), { name: 'At1Hash' });
});

test('decodes on demand, one piece at a time', async () => {
  const { readable, writable } = zstdStream();
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  let written = false;
  const write = writer.write(runs(5000)).then(() => (written = true));
  write.catch(() => undefined);
  let total = 0;
  for (let i = 0; i < 10; i++) {
    const { value } = await reader.read();
    assert.ok(value.length <= 1 << 16);
    total += value.length;
  }
  assert.equal(written, false, `${total} bytes of 655360000 are out`);
  writer.closed.catch(() => undefined);
  await reader.cancel('enough');
  for (const end of [write, writer.closed, writer.write(new Uint8Array(1))]) await assert.rejects(end, (reason) => reason === 'enough');
});

/** Truncated files, and how much of each can be decoded, if known. */
const cut = { zstd: [runs(21).subarray(0, -4), zstdStream, 20 << 17], gzip: [gzipSync(new Uint8Array(1e6)).subarray(0, -8), gzipStream, 1e6] };
cut['AT-1 with frames'] = [cases['AT-1 with frames'][0].subarray(0, -100), at1Stream, undefined];
cut.xz = [join(...Array(30).fill(cases.xz[0])).subarray(0, -40), xzStream, undefined];

for (const [name, [bytes, open, whole]] of Object.entries(cut)) {
  test(`emits all output of a truncated ${name} stream, even if the source then fails`, async () => {
    const { readable, writable } = open();
    const writer = writable.getWriter();
    let total = 0;
    const reader = readable.getReader();
    const written = writer.write(bytes);
    const count = (async () => {
      for (let piece; !(piece = await reader.read()).done; ) total += piece.value.length;
    })();
    count.catch(() => undefined);
    await written;
    assert.ok(total > 1 << 16, `${total}`);
    if (whole !== undefined) assert.equal(total, whole);
    writer.closed.catch(() => undefined);
    await writer.abort('enough');

    let pulls = 0;
    const source = new ReadableStream({
      pull(controller) {
        if (pulls++ === 0) controller.enqueue(bytes);
        else controller.error(new Error('the line is dead'));
      },
    }, { highWaterMark: 0 });
    let again = 0;
    await assert.rejects(async () => {
      for await (const piece of source.pipeThrough(open())) again += piece.length;
    }, /the line is dead/);
    assert.equal(again, total);
  });
}

test('frees memory when a stream is cancelled', async () => {
  const file = cases.xz[0].subarray(0, 20_000);
  const round = async (stop) => {
    const { readable, writable } = xzStream();
    const [reader, writer] = [readable.getReader(), writable.getWriter()];
    writer.write(file).catch(() => undefined);
    writer.closed.catch(() => undefined);
    assert.ok((await reader.read()).value.length > 0);
    await stop(reader, writer);
  };
  const ways = [(reader) => reader.cancel('enough'), async (reader, writer) => {
    reader.closed.catch(() => undefined);
    await writer.abort('enough');
    await assert.rejects(reader.read(), (reason) => reason === 'enough');
  }];
  for (const stop of ways) await round(stop);
  const before = memory.buffer.byteLength;
  for (let i = 0; i < 20; i++) for (const stop of ways) await round(stop);
  assert.equal(memory.buffer.byteLength, before);
});

test('reports input that is not bytes on both sides', async () => {
  for (const stream of [zstdStream(), xzStream(), at1Stream()]) {
    const read = new Response(ReadableStream.from(['text']).pipeThrough(stream)).arrayBuffer();
    await assert.rejects(read, /TypeError: bytes must be a Uint8Array or an ArrayBuffer, not a string/);
  }
});
