// Broken files fail with the error that every door of the core agrees on, at the same byte.
// `tests/tests/agree.rs` writes the table.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as unspool from './all.mjs';
import { read, text } from './vectors.mjs';

const DOORS = {
  at1: unspool.decodeAt1,
  cvc: unspool.decodeCvc,
  gzip: unspool.decodeGzip,
  lzma: unspool.decodeLzma,
  onpair: unspool.decodeOnPair,
  pco: unspool.decodePco,
  xz: unspool.decodeXz,
  zstd: unspool.decodeZstd,
};

const verdicts = text('golden/verdicts.txt').trim().split('\n').map((line) => line.split(' '));

function damaged(bytes, change, place) {
  if (change === 'cut') return bytes.slice(0, place);
  if (change === 'drop') return new Uint8Array([...bytes.slice(0, place), ...bytes.slice(place + 3)]);
  bytes[place >> 3] ^= 1 << (place & 7);
  return bytes;
}

for (const [format, decode] of Object.entries(DOORS)) {
  test(`${format} fails with the same error at the same byte as the core`, async () => {
    const own = verdicts.filter(([path]) => path.startsWith(`${format}/`));
    assert.ok(own.length > 80, `only ${own.length} verdicts`);
    for (const [path, change, place, kind, offset] of own) {
      const bytes = damaged(read(`../${path}`), change, Number(place));
      let found = ['accepted', '0'];
      try {
        decode(bytes);
      } catch (error) {
        assert.ok(error instanceof unspool.UnspoolError, `${path} ${change} ${place}: ${error}`);
        found = [error.name, String(error.offset)];
        // An LZMA symbol may be wrong after the last byte was read.
        assert.ok(error.class === 'Truncated' ? error.offset === bytes.length : error.offset < bytes.length + (format === 'lzma' ? 1 : 0), `${path} ${change} ${place}: ${error.message}`);
      }
      assert.deepEqual(found, [kind, offset], `${path} ${change} ${place}`);
      // Its properties are unusual, so it is not detected.
      if (path === 'lzma/properties.lzma') continue;
      const { error } = await unspool.inspect(bytes);
      const shown = error === undefined ? ['accepted', '0'] : [error.name, String(error.offset)];
      assert.deepEqual(shown, [kind, offset], `${path} ${change} ${place}, inspected`);
    }
  });
}
