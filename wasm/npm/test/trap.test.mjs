// A real trap: the module runs out of memory, because this test limits it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeCvc, init as initCvc, openCvc, UnspoolError } from 'unspool/cvc/separate';
import { decodeGzip, gzipStream, init as initGzip } from 'unspool/gzip/separate';
import { init as initOnPair, openOnPair } from 'unspool/onpair/separate';
import { bytesOf, expected, read, valid } from './vectors.mjs';

const entry = valid.find(({ name }) => name === 'v1_int8');
const bytes = read(entry.file);

/** Loads the module with a memory of at most this many 64 KiB pages. */
function withMaximum(module, pages) {
  let at = 8;
  const leb = () => {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = module[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte > 127);
    return value;
  };
  const encode = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...encode(value >>> 7)]);
  for (;;) {
    const start = at;
    const id = module[at++];
    const length = leb();
    if (id !== 5) {
      at += length;
      continue;
    }
    assert.equal(leb(), 1, 'one memory');
    assert.equal(module[at++], 0, 'without a maximum');
    const memory = [1, 1, ...encode(leb()), ...encode(pages)];
    return Buffer.concat([module.subarray(0, start), Buffer.from([5, ...encode(memory.length), ...memory]), module.subarray(at)]);
  }
}

const pages = 40;
before(async () => {
  for (const [name, init] of Object.entries({ cvc: initCvc, gzip: initGzip, onpair: initOnPair })) {
    await init(withMaximum(readFileSync(new URL(`../wasm/${name}/unspool_bg.wasm`, import.meta.url)), pages));
  }
});

/** Bytes that do not fit in the memory of a module. */
const tooMuch = new Uint8Array(pages * 65536);
/** A CVC file whose head is that long. */
const longHead = new Uint8Array(tooMuch.length + 8);
longHead.set(Buffer.from('CVCF'));
new DataView(longHead.buffer).setUint32(4, tooMuch.length, true);

test('replaces the instance after a trap', async () => {
  const file = await openCvc(bytes);
  // More than the memory can hold: the allocation fails, and the module traps.
  assert.throws(() => decodeCvc(longHead), (error) => {
    assert.ok(error instanceof UnspoolError);
    assert.deepEqual([error.name, error.code, error.class], ['Trap', 0, 'Internal']);
    assert.ok(error.cause instanceof WebAssembly.RuntimeError);
    return true;
  });
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(bytesOf(decodeCvc(bytes).data), expected(entry)[0].bytes, 'the call after the trap');
    assert.deepEqual(bytesOf((await file.column().rows()).data), expected(entry)[0].bytes, 'a file opened before it');
    assert.throws(() => decodeCvc(longHead), { name: 'Trap' });
  }
});

test('reports handles lost by a trap, and works with new ones', async () => {
  const { readable, writable } = gzipStream();
  const [reader, writer] = [readable.getReader(), writable.getWriter()];
  writer.closed.catch(() => undefined);
  const written = writer.write(gzipSync(new Uint8Array(1e6)));
  written.catch(() => undefined);
  await reader.read();
  assert.throws(() => decodeGzip(tooMuch), { message: /the next call starts a new instance/ });
  const lost = { name: 'Trap', class: 'Internal', message: /create streams again/ };
  await assert.rejects(reader.read(), lost);
  await assert.rejects(written, lost);
  assert.equal(await new Response(new Blob([gzipSync('again')]).stream().pipeThrough(gzipStream())).text(), 'again');
});

test('reopens an OnPair column after a trap', () => {
  const column = openOnPair(read('../onpair/cpp/urls_b12.onp'));
  const first = column.text(0);
  assert.throws(() => openOnPair(tooMuch), { name: 'Trap' });
  assert.equal(column.text(0), first);
  column.release();
});

test('fails to continue a read after a trap, and succeeds from the start', async () => {
  let release;
  class Slow extends Blob {
    slice(...range) {
      const part = super.slice(...range);
      const read = part.arrayBuffer.bind(part);
      part.arrayBuffer = async () => {
        await release?.promise;
        return read();
      };
      return part;
    }
  }
  const file = await openCvc(new Slow([bytes]));
  let free;
  release = { promise: new Promise((resolve) => (free = resolve)) };
  const pending = file.column().rows();
  assert.throws(() => decodeCvc(longHead), { name: 'Trap' });
  free();
  await assert.rejects(pending, { name: 'Trap' });
  assert.deepEqual(bytesOf((await file.column().rows()).data), expected(entry)[0].bytes);
});

