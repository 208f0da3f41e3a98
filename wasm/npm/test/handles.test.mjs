// Errors and handles: parts, lifetimes, plain data.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode, decodeCvc, inspect, openCvc, openOnPair, UnspoolError } from './all.mjs';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));

test('reports the part of the structure that an error points to', () => {
  const broken = read('cvc/bad/payload_flip.cvc');
  assert.throws(() => decode(broken), { name: 'CvcCrc', part: 'chunk 0 › crc-32' });
  assert.equal(inspect(broken).error.part, 'chunk 0 › crc-32');
  assert.equal(inspect(broken).error.toJSON().part, 'chunk 0 › crc-32');
  const pco = read('pco/k_u32_arange.pco');
  assert.throws(() => decode(pco.subarray(0, pco.length - 2)), ({ part }) => /^page › page metadata/.test(part));
  // A wrong call has no part.
  assert.throws(() => decodeCvc(read('cvc/v1_int8.cvc'), { column: 'nobody' }), { name: 'CvcNoSuchColumn', part: undefined });
  assert.throws(() => decode(new Uint8Array([1, 2, 3])), ({ name, part }) => name === 'UnknownFormat' && part === undefined);
});

test('finds the part at the offset even if the walk ends elsewhere', () => {
  /** Flips a byte, and expects an error in this part. */
  for (const [path, at, mask, name, part] of [
    ['cvc/med_fp16.cvc', 41, 2, 'CvcUnknownCompression', 'header › chunks › chunk 0 › compression'],
    ['onpair/cpp/urls_b12.onp', 20540, 2, 'OnPairCode', /^codes \d+ › row/],
    ['pco/assets/v1_0_0_conv1.pco', 4, 16, 'PcoStandaloneVersion', 'header'],
    ['at1/c8_events.at1', 40, 1, 'XzCheck', 'stream meta › payload xz › stream 0 › block 0 › check'],
    ['at1/c8_events.at1', 6185, 8, 'ZstdHuffmanStream', 'stream blocks › payload stored › bytes'],
  ]) {
    const bytes = read(path);
    bytes[at] ^= mask;
    for (const error of [inspect(bytes).error, refusal(() => decode(bytes))]) {
      assert.equal(error.name, name, path);
      assert.match(error.part, part instanceof RegExp ? part : new RegExp(`^${part}$`), path);
    }
  }
  // The walk alone would end later, for another reason. It has passed this offset.
  const at1 = read('at1/c8_events.at1');
  at1[38] ^= 1;
  const error = refusal(() => decode(at1));
  assert.equal(inspect(at1).error.name, error.name);
  assert.match(error.part, /^stream meta › payload xz › stream 0/);
});

test('finds the part on access, and ignores failures of the search', () => {
  const broken = read('cvc/bad/payload_flip.cvc');
  const asked = refusal(() => decode(broken));
  assert.equal(asked.part, 'chunk 0 › crc-32');
  const late = refusal(() => decode(broken));
  structuredClone(broken, { transfer: [broken.buffer] });
  assert.equal(late.part, undefined);
  assert.equal(asked.part, 'chunk 0 › crc-32', 'found once');
});

test('does not keep a file alive through its error', () => {
  const script = `
    import('unspool').then(async ({ decode }) => {
      await (await import('unspool/inspect')).loadInspector('zstd');
      const errors = [];
      for (let count = 0; count < 10; count++) {
        const file = new Uint8Array(20e6);
        file.set([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 1, 0, 0, 0, 7]);
        await decode(file).catch((error) => errors.push(error));
      }
      for (let turn = 0; turn < 20; turn++) { gc(); await new Promise((resolve) => setTimeout(resolve, 5)); }
      console.log(errors.length, process.memoryUsage().arrayBuffers < 50e6, errors[0].part);
    });`;
  const said = execFileSync(process.execPath, ['--expose-gc', '-e', script], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
  assert.equal(said, '10 true undefined\n');
});

function refusal(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  assert.fail('not refused');
}

test('restores an error from plain data', () => {
  const { error } = inspect(read('cvc/bad/payload_flip.cvc'));
  const again = UnspoolError.from(JSON.parse(JSON.stringify(error)));
  assert.ok(again instanceof UnspoolError);
  assert.deepEqual(again.toJSON(), error.toJSON());
});

test('disposes of handles, and reopens them on use', async () => {
  const column = openOnPair(read('onpair/cpp/urls_b12.onp'));
  const first = column.text(0);
  column[Symbol.dispose]();
  assert.equal(column.text(0), first);
  const file = await openCvc(read('cvc/v1_lossless_med.cvc'));
  const rows = await file.column().rows(0, 3);
  file[Symbol.dispose]();
  assert.deepEqual(await file.column().rows(0, 3), rows);
});

test('frees the instance of a collected handle', () => {
  const script = `
    Promise.all([import('unspool/gzip')]).then(async ([{ decodeGzip, gzipStream }]) => {
      let memory;
      const { Instance } = WebAssembly;
      WebAssembly.Instance = class extends Instance {
        constructor(...args) { super(...args); memory = this.exports.memory; }
      };
      const { gzipSync } = require('node:zlib');
      await (async () => {
        const { readable, writable } = gzipStream();
        writable.getWriter().write(gzipSync(new Uint8Array(1e6))).catch(() => undefined);
        await readable.getReader().read();
      })();
      for (let turn = 0; turn < 20; turn++) { gc(); await new Promise((resolve) => setTimeout(resolve, 5)); }
      try { decodeGzip(new Uint8Array(100e6)); } catch {}
      console.log(memory.buffer.byteLength < 64e6);
    });`;
  const said = execFileSync(process.execPath, ['--expose-gc', '-e', script], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
  assert.equal(said, 'true\n');
});
