// Streams and files that are not in memory fail with the error of `decode*`, at the same byte.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import * as unspool from './all.mjs';
import { damaged, randomFrom } from './random.mjs';
import { read } from './vectors.mjs';

/** Returns the error in words, or `ok`. */
async function outcome(run) {
  try {
    await run();
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof unspool.UnspoolError, `${error.stack}`);
    return `${error.name} at ${error.offset}`;
  }
}

/** Passes a file through a stream, in pieces. */
async function streamed(stream, bytes, random) {
  const pieces = new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; ) {
        const next = at + 1 + random(400);
        controller.enqueue(bytes.slice(at, next));
        at = next;
      }
      controller.close();
    },
  });
  for await (const piece of pieces.pipeThrough(stream)) assert.ok(piece.length > 0);
}

/** A file that is not in memory: a Blob, or ranges that cost a round trip. */
const elsewhere = (bytes, random) => (random(2) === 0 ? new Blob([bytes]) : { size: bytes.length, read: async ({ start, end }) => bytes.subarray(start, end) });

// A stream cannot look ahead to tell the draft apart.
const RFC8878 = { format: 'zstd' };

const DOORS = {
  cvc: ['cvc', unspool.decodeCvc, async (bytes, random) => (await unspool.openCvc(elsewhere(bytes, random))).column().rows()],
  gz: ['gzip', unspool.decodeGzip, (bytes, random) => streamed(unspool.gzipStream(), bytes, random)],
  lzma: ['lzma', unspool.decodeLzma, (bytes, random) => streamed(unspool.lzmaStream(), bytes, random)],
  onp: ['onpair/cpp', unspool.decodeOnPair, async (bytes, random) => (await unspool.openOnPairFile(elsewhere(bytes, random))).decode()],
  xz: ['xz', unspool.decodeXz, (bytes, random) => streamed(unspool.xzStream(), bytes, random)],
  zst: ['zstd', (bytes) => unspool.decodeZstd(bytes, RFC8878), (bytes, random) => streamed(unspool.zstdStream(RFC8878), bytes, random)],
};

for (const [extension, [folder, whole, other]] of Object.entries(DOORS)) {
  test(`${folder}: one error for each damaged file`, async () => {
    const names = readdirSync(new URL(`../../../tests/vectors/${folder}`, import.meta.url));
    const files = names.filter((name) => name.endsWith(`.${extension}`)).map((name) => [name, read(`../${folder}/${name}`)]);
    const short = files.filter(([, bytes]) => bytes.length > 20 && bytes.length < 20_000);
    assert.ok(short.length > 1, `${short.length} files`);
    const random = randomFrom(11);
    let broken = 0;
    for (let round = 0; round < 600; round += 1) {
      const [name, bytes] = short[round % short.length];
      const changed = damaged(bytes, random);
      const expected = await outcome(() => whole(changed));
      // A file of several columns has no decoder for all of them.
      if (expected.startsWith('WrongType')) continue;
      const found = await outcome(() => other(changed, random));
      // Only a stream has a window.
      if (found.startsWith('WindowLimit')) continue;
      assert.equal(found, expected, `${name}, round ${round}`);
      broken += expected === 'ok' ? 0 : 1;
    }
    assert.ok(broken > 100, `${broken} files were broken`);
  });
}
