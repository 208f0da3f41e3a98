// Streams and files that are not in memory fail with the error of `decode*`, at the same byte.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import * as unspool from './all.mjs';
import { read } from './vectors.mjs';

/** Returns random numbers below a bound, the same in each run. */
function randomFrom(seed) {
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
}

/** Cuts a file, changes some of its bytes, or drops some. */
function damaged(bytes, random) {
  const kind = random(4);
  if (kind === 0) return bytes.slice(0, random(bytes.length + 1));
  const changed = [...bytes];
  for (let left = 1 + random(3); left > 0; left -= 1) {
    // Headers decide most.
    const place = random(random(2) === 0 ? changed.length : Math.min(64, changed.length));
    if (kind === 1) changed[place] ^= 1 << random(8);
    else if (kind === 2) changed[place] = [0, 255, 127, 128, random(256)][random(5)];
    else changed.splice(place, 1 + random(3));
  }
  return new Uint8Array(changed);
}

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

// A stream cannot look ahead to tell the draft apart.
const RFC8878 = { format: 'zstd' };

const DOORS = {
  cvc: ['cvc', unspool.decodeCvc, async (bytes) => (await unspool.openCvc(new Blob([bytes]))).column().rows()],
  gz: ['gzip', unspool.decodeGzip, (bytes, random) => streamed(unspool.gzipStream(), bytes, random)],
  lzma: ['lzma', unspool.decodeLzma, (bytes, random) => streamed(unspool.lzmaStream(), bytes, random)],
  onp: ['onpair/cpp', unspool.decodeOnPair, async (bytes) => (await unspool.openOnPairFile(new Blob([bytes]))).decode()],
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
