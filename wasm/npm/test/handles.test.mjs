// What an error and a handle say of themselves.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode, decodeCvc, inspect, openCvc, openOnPair, UnspoolError } from 'unspool';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));

test('an error tells in which part of the structure it lies', () => {
  const broken = read('cvc/bad/payload_flip.cvc');
  assert.throws(() => decode(broken), { name: 'CvcCrc', part: 'chunk 0 › crc-32' });
  assert.equal(inspect(broken).error.part, 'chunk 0 › crc-32');
  assert.equal(inspect(broken).error.toJSON().part, 'chunk 0 › crc-32');
  const pco = read('pco/k_u32_arange.pco');
  assert.throws(() => decode(pco.subarray(0, pco.length - 2)), ({ part }) => /^page › page metadata/.test(part));
  // What is wrong with the call is in no part of the file.
  assert.throws(() => decodeCvc(read('cvc/v1_int8.cvc'), { column: 'nobody' }), { name: 'CvcNoSuchColumn', part: undefined });
  assert.throws(() => decode(new Uint8Array([1, 2, 3])), ({ name, part }) => name === 'UnknownFormat' && part === undefined);
});

test('the part is that which holds the offset, wherever the walk over the structure ends', () => {
  /** With a byte flipped, refused with an error in this part. */
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
  // The walk ends for another reason, but has seen where this is.
  const at1 = read('at1/c8_events.at1');
  at1[38] ^= 1;
  const error = refusal(() => decode(at1));
  assert.notEqual(inspect(at1).error.name, error.name);
  assert.match(error.part, /^stream meta › payload xz › stream 0/);
});

test('the part is looked for when somebody asks, and what goes wrong then is no error', () => {
  const broken = read('cvc/bad/payload_flip.cvc');
  const asked = refusal(() => decode(broken));
  assert.equal(asked.part, 'chunk 0 › crc-32');
  const late = refusal(() => decode(broken));
  structuredClone(broken, { transfer: [broken.buffer] });
  assert.equal(late.part, undefined);
  assert.equal(asked.part, 'chunk 0 › crc-32', 'found once');
});

test('an error that is kept does not keep its file', () => {
  const script = `
    import('unspool').then(async ({ decode }) => {
      const errors = [];
      for (let count = 0; count < 10; count++) {
        const file = new Uint8Array(20e6);
        file.set([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 1, 0, 0, 0, 7]);
        try { decode(file); } catch (error) { errors.push(error); }
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

test('an error survives as plain data', () => {
  const { error } = inspect(read('cvc/bad/payload_flip.cvc'));
  const again = UnspoolError.from(JSON.parse(JSON.stringify(error)));
  assert.ok(again instanceof UnspoolError);
  assert.deepEqual(again.toJSON(), error.toJSON());
});

test('handles can be disposed of, and come back when they are used again', async () => {
  const column = openOnPair(read('onpair/cpp/urls_b12.onp'));
  const first = column.text(0);
  column[Symbol.dispose]();
  assert.equal(column.text(0), first);
  const file = await openCvc(read('cvc/v1_lossless_med.cvc'));
  const rows = await file.column().rows(0, 3);
  file[Symbol.dispose]();
  assert.deepEqual(await file.column().rows(0, 3), rows);
});

test('what nobody released does not keep its instance in use forever', () => {
  const script = `
    import('unspool').then(async ({ decodeXz, inspect, RunningStatistics }) => {
      let memory;
      const { Instance } = WebAssembly;
      WebAssembly.Instance = class extends Instance {
        constructor(...args) { super(...args); memory = this.exports.memory; }
      };
      (() => new RunningStatistics().add(new Float64Array(10)))();
      for (let turn = 0; turn < 20; turn++) { gc(); await new Promise((resolve) => setTimeout(resolve, 5)); }
      inspect(new Uint8Array(100e6));
      decodeXz(require('node:fs').readFileSync('../../../tests/vectors/xz/page.xz'));
      console.log(memory.buffer.byteLength < 64e6);
    });`;
  const said = execFileSync(process.execPath, ['--expose-gc', '-e', script], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
  assert.equal(said, 'true\n');
});
