// Memory of large files is freed, even after a failed read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, expected, read, valid } from './vectors.mjs';

const entry = valid.find(({ name }) => name === 'v1_int8');
const bytes = read(entry.file);

let instances = 0;
let memory;
const memories = [];
/** Returns the bytes of all memories. */
const total = () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(...args) {
    super(...args);
    instances++;
    memory = this.exports.memory;
    memories.push(memory);
  }
};

// The modules are instantiated when they are loaded.
const { decode, decodeCvc, decodeInto, inspect, openCvc, openOnPair } = await import('./all.mjs');

test('reuses memory of earlier calls, including failed ones', () => {
  const files = [
    'at1/c7_derived_chain.at1', 'cvc/v1_int8.cvc', 'onpair/cpp/utf8_b12.onp', 'pco/assets/v1_0_0_conv1.pco', 'xz/page.xz', 'zstd/page.zst',
  ].map((path) => read(`../${path}`));
  const room = new Uint8Array(4e6);
  const round = () => {
    for (const file of files) {
      decode(file);
      inspect(file);
      assert.throws(() => decode(file.subarray(0, file.length - 5)), { name: /./ });
    }
    decodeInto(files[4], room);
    const column = openOnPair(files[2]);
    column.texts(0, 10);
    column.search({ contains: 'a' });
    column.release();
  };
  for (let i = 0; i < 3; i++) round();
  const before = total();
  for (let i = 0; i < 200; i++) round();
  assert.equal(total(), before);
  assert.equal(instances, 8, 'one for each format');
  assert.ok(before < 64e6, `${before}`);
});

/** Returns bytes that an inspector copies to its module, and refuses. */
function junk(magic, length) {
  const bytes = new Uint8Array(length);
  bytes.set(Buffer.from(magic));
  return bytes;
}
/** Makes the memory of a module large for one call. */
const growCvc = (length = 100e6) => inspect(junk('CVCF', length));
const growOnPair = (length = 100e6) => inspect(junk('ONPAIR01', length));

test('shares an instance between small files, and replaces it after a large one', async () => {
  const small = () => assert.deepEqual(bytesOf(decodeCvc(bytes).data), expected(entry)[0].bytes);
  small();
  instances = 1;
  inspect(bytes);
  small();
  assert.equal(instances, 1);
  growCvc();
  small();
  small();
  assert.equal(instances, 2);

  // Failed reads keep no task open that would hold the next instance.
  class Failing extends Blob {
    slice(start, end) {
      if (start > 13 + 300) throw new Error('the disk is gone');
      return super.slice(start, end);
    }
  }
  const file = await openCvc(new Failing([bytes]));
  for (let round = 0; round < 10; round++) await assert.rejects(file.column().rows(90, 100), /the disk is gone/);
  assert.equal(instances, 2);
  growCvc();
  small();
  assert.equal(instances, 3);

  // Open handles keep their instance.
  let free;
  const gate = new Promise((resolve) => (free = resolve));
  class Slow extends Blob {
    slice(...range) {
      const part = super.slice(...range);
      const read = part.arrayBuffer.bind(part);
      part.arrayBuffer = () => (range[0] > 0 ? gate.then(read) : read());
      return part;
    }
  }
  const slow = await openCvc(new Slow([bytes]));
  const pending = slow.column().rows();
  growCvc();
  small();
  assert.equal(instances, 3);
  free();
  assert.deepEqual(bytesOf((await pending).data), expected(entry)[0].bytes);
  small();
  assert.equal(instances, 4);
});

/** Builds the buffers of an OnPair column of one-byte rows. */
function column(rows) {
  const codeOffsets = Uint32Array.from({ length: rows + 1 }, (_, row) => row);
  return openOnPair({ dictBytes: Uint8Array.of(120), dictOffsets: Uint32Array.of(0, 1), codes: new Uint16Array(rows), codeOffsets });
}

test('frees the memory of a large file or column at once', () => {
  const isSmall = () => memory.buffer.byteLength < 64 * 2 ** 20;
  growOnPair();
  assert.ok(isSmall());
  const large = column(15e6);
  assert.ok(!isSmall());
  large.release();
  assert.ok(isSmall());
});

test('frees the memory of other calls while a small column is open', () => {
  const isSmall = () => memory.buffer.byteLength < 64 * 2 ** 20;
  const small = column(10);
  const old = instances;
  growOnPair();
  assert.ok(isSmall());
  assert.equal(instances, old + 1);
  assert.equal(small.text(9), 'x', 'it reopens');
  // Two columns, of which the first is of an instance that is gone.
  const second = column(20);
  growOnPair();
  const third = column(30);
  small.release();
  second.release();
  growOnPair();
  assert.ok(isSmall());
  assert.deepEqual([small, second, third].map((column) => column.text(1)), ['x', 'x', 'x']);
  for (const open of [small, second, third]) open.release();
});

test('keeps a large column open during other calls', () => {
  const large = column(15e6);
  const before = instances;
  for (let turn = 0; turn < 3; turn++) {
    growOnPair(10e6);
    assert.equal(large.text(turn), 'x');
  }
  assert.equal(instances, before);
  large.release();
  assert.equal(large.text(7), 'x');
  large.release();
});
