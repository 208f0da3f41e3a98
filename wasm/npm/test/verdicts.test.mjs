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

for (const [format, decode] of Object.entries(DOORS)) {
  test(`${format} fails with the same error at the same byte as the core`, () => {
    const own = verdicts.filter(([path]) => path.startsWith(`${format}/`));
    assert.ok(own.length > 80, `only ${own.length} verdicts`);
    for (const [path, change, place, kind, offset] of own) {
      const whole = read(`../${path}`);
      const bytes = change === 'cut' ? whole.slice(0, Number(place)) : whole;
      if (change === 'flip') bytes[place >> 3] ^= 1 << (place & 7);
      let found = ['accepted', '0'];
      try {
        decode(bytes);
      } catch (error) {
        assert.ok(error instanceof unspool.UnspoolError, `${path} ${change} ${place}: ${error}`);
        found = [error.name, String(error.offset)];
      }
      assert.deepEqual(found, [kind, offset], `${path} ${change} ${place}`);
    }
  });
}
