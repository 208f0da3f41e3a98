// The lazy entry: detection without wasm, one format loaded, the results of the format entries.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { decode, decodeInto, inspect, open, probe, UnspoolError } from 'unspool';
import * as all from './all.mjs';

const read = (path) => new Uint8Array(readFileSync(new URL(`../../../tests/vectors/${path}`, import.meta.url)));

/** A file of each format. */
const files = {
  at1: 'at1/c8_events.at1',
  cvc: 'cvc/med_fp16.cvc',
  gzip: 'gzip/v1_int8.cvc.gz',
  lzma: 'lzma/page.lzma',
  onpair: 'onpair/cpp/urls_b12.onp',
  pco: 'pco/assets/v1_0_0_conv1.pco',
  xz: 'xz/page.xz',
  zstd: 'zstd/rfc8878/text-1025.zst',
};

test('has the magic numbers of the core', () => {
  const source = readFileSync(new URL('../../../core/src/probe.rs', import.meta.url), 'utf8');
  const names = Object.fromEntries([...source.matchAll(/Format::(\w+) => "([\w-]+)"/g)].map(([, variant, name]) => [variant, name]));
  const magics = [...source.matchAll(/^ {4}\(b"([^"]+)", Format::(\w+)\),$/gm)].map(([, text, variant]) => [
    Uint8Array.from(text.match(/\\x..|\\0|./g), (part) => (part === '\\0' ? 0 : part.startsWith('\\x') ? parseInt(part.slice(2), 16) : part.charCodeAt(0))),
    names[variant],
  ]);
  assert.equal(magics.length, 10);
  for (const [magic, format] of magics) {
    assert.deepEqual(probe(magic), { format });
    assert.deepEqual(probe(Uint8Array.of(...magic, 255, 255)), { format });
    for (let length = 0; length < magic.length; length++) {
      const { format: early, needed } = probe(magic.subarray(0, length));
      assert.ok(early === undefined && needed > length && needed <= 8, `${format} ${length}`);
    }
    for (let bit = 0; bit < 8 * magic.length; bit++) {
      const other = magic.slice();
      other[bit >> 3] ^= 1 << (bit & 7);
      const isFree = format === 'zstd-skippable' && bit < 4;
      const wanted = isFree ? format : magics.find(([known]) => known.every((byte, at) => other[at] === byte))?.[1];
      assert.equal(probe(other).format, wanted, `${format} ${bit}`);
    }
  }
  for (let first = 0; first < 256; first++) {
    assert.equal(probe(Uint8Array.of(first, 0x2a, 0x4d, 0x18)).format, first >> 4 === 5 ? 'zstd-skippable' : undefined);
  }
  assert.deepEqual(probe(new Uint8Array()), { format: undefined, needed: 3 });
  assert.deepEqual(probe(Uint8Array.from('GIF89a', (letter) => letter.charCodeAt(0))), { format: undefined });
});

test('recognises the headers of .lzma that the core recognises', async () => {
  // The module of the inspector, which detects formats with the core: an instance for this test.
  const core = await import('../wasm/lzma-inspect/unspool.js?core');
  core.initSync({ module: readFileSync(new URL('../wasm/lzma-inspect/unspool_bg.wasm', import.meta.url)) });
  const limits = Float64Array.of(2 ** 20, 2 ** 20, 2 ** 20, 2 ** 20, 2 ** 20, 100);
  const [TRUNCATED, UNKNOWN] = [1, 2];
  const probeInCore = (bytes) => {
    const found = core.inspect(bytes, 10, limits);
    const [code, , need] = found.error() ?? [];
    found.free();
    if (code === UNKNOWN) return { format: undefined };
    return bytes.length < 14 && code === TRUNCATED ? { format: undefined, needed: need } : { format: 'lzma' };
  };
  const header = (dictionary, size, first = 0x5d, code = 0) => {
    const bytes = new DataView(new ArrayBuffer(20));
    bytes.setUint8(0, first);
    bytes.setUint32(1, dictionary, true);
    bytes.setBigUint64(5, size, true);
    bytes.setUint8(13, code);
    return new Uint8Array(bytes.buffer);
  };
  const [UNSIZED, USUAL] = [2n ** 64n - 1n, 2 ** 23];
  const around = (number) => [number - 1n, number, number + 1n, number + number / 2n];
  const powers = Array.from({ length: 64 }, (_, bit) => 2n ** BigInt(bit)).flatMap(around);
  const headers = [
    ...powers.filter((size) => size < 2n ** 32n).map((size) => header(Number(size), UNSIZED)),
    ...powers.filter((size) => size < 2n ** 64n).map((size) => header(USUAL, size)),
    ...Array.from({ length: 256 }, (_, byte) => [header(USUAL, 5n, byte), header(USUAL, 5n, 0x5d, byte)]).flat(),
    header(0, 0n), header(2 ** 32 - 1, UNSIZED), header(2 ** 32 - 1, 0n),
  ];
  let recognised = 0;
  for (const bytes of headers) {
    for (const length of [5, 6, 12, 13, 14, 20]) {
      const start = bytes.subarray(0, length);
      const found = probe(start);
      assert.deepEqual(found, probeInCore(start), Buffer.from(start).toString('hex'));
      recognised += found.format === 'lzma';
    }
  }
  assert.ok(recognised > 200 && recognised < 4 * headers.length / 2, `${recognised} of ${headers.length}`);
  const file = read(files.lzma);
  for (let length = 0; length < 14; length++) {
    const start = file.subarray(0, length);
    assert.deepEqual(probe(start), probeInCore(start));
    // A skippable frame may start with the same byte.
    if (length > 1) assert.equal(probe(start).needed, 14);
  }
});

test('detects every vector from 14 bytes', () => {
  const folder = new URL('../../../tests/vectors/', import.meta.url);
  let detected = 0;
  for (const name of readdirSync(folder, { recursive: true }).filter((name) => /\.(at1|cvc|gz|lzma|onp|pco|xz|zst)$/.test(name))) {
    const bytes = new Uint8Array(readFileSync(new URL(name, folder)));
    const found = probe(bytes.subarray(0, 14));
    assert.deepEqual(found, probe(bytes), name);
    assert.ok(bytes.length < 14 || found.needed === undefined, name);
    detected += found.format === undefined ? 0 : 1;
  }
  assert.ok(detected > 500, `${detected} files`);
});

test('returns what the format entries return', async () => {
  for (const [format, path] of Object.entries(files)) {
    const bytes = read(path);
    assert.deepEqual(await decode(bytes), all.decode(bytes), format);
    assert.deepEqual(await decode(gzipSync(bytes)), format === 'gzip' ? { format, bytes } : all.decode(bytes), `${format} in gzip`);
    assert.deepEqual(await inspect(bytes), all.inspect(bytes), format);
    const [one, two] = [new Uint8Array(2e6), new Uint8Array(2e6)];
    if (format !== 'gzip') assert.equal(await decodeInto(bytes, one), all.decodeInto(bytes, two), format);
    assert.deepEqual(one, two);
    for (const length of [0, 2, bytes.length >> 1]) {
      let error;
      try {
        all.decode(bytes.subarray(0, length));
      } catch (thrown) {
        error = thrown;
      }
      await assert.rejects(decode(bytes.subarray(0, length)), ({ name, message, offset, need }) => {
        assert.deepEqual([name, message, offset, need], [error.name, error.message, error.offset, error.need], `${format} ${length}`);
        return true;
      });
      assert.deepEqual((await inspect(bytes.subarray(0, length))).error?.toJSON(), all.inspect(bytes.subarray(0, length)).error?.toJSON(), `${format} ${length}`);
    }
  }
  const text = gzipSync('some text');
  assert.deepEqual(Buffer.from((await decode(text)).bytes).toString(), 'some text');
  const room = new Uint8Array(9);
  assert.equal(await decodeInto(text, room), 9);
  assert.equal(Buffer.from(room).toString(), 'some text');
  await assert.rejects(decodeInto(text, new Uint8Array(8)), { class: 'OutputTooSmall' });
  await assert.rejects(decode(Uint8Array.from('GIF89a', (letter) => letter.charCodeAt(0))), { name: 'UnknownFormat' });
  const unknown = await inspect(new Uint8Array(20));
  assert.deepEqual([unknown.format, unknown.size, unknown.error.name, unknown.structure.length], [undefined, 20, 'UnknownFormat', 0]);
  for (const wrong of ['CVCF', null, undefined, 3]) for (const call of [decode, inspect]) await assert.rejects(call(wrong), TypeError);
  for (const wrong of [null, 7, { maxOutput: 1 }]) for (const call of [decode, inspect, open]) await assert.rejects(call(read(files.cvc), wrong), TypeError);
});

test('loads one format, and nothing before the first file', () => {
  const script = `
    const { decode, inspect, open, probe } = await import('unspool');
    const { readFileSync } = await import('node:fs');
    const { compile, Module } = WebAssembly;
    let modules = 0;
    WebAssembly.compile = (bytes) => (modules++, compile(bytes));
    // Nothing is compiled on the main thread.
    WebAssembly.Module = new Proxy(Module, { construct() { throw new Error('synchronous'); } });
    const bytes = readFileSync(process.argv[1]);
    console.log(probe(bytes).format, modules);
    await decode(bytes);
    console.log(modules);
    await decode(bytes);
    await open(bytes);
    console.log(modules);
    await inspect(bytes);
    console.log(modules);
    await inspect(bytes);
    await decode(bytes);
    console.log(modules);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script, fileURLToPath(new URL(`../../../tests/vectors/${files.pco}`, import.meta.url))], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
  assert.equal(said, 'pco 0\n1\n1\n2\n2\n');
});

test('uses a module that was compiled ahead', () => {
  const script = `
    import { decode } from 'unspool';
    import { init } from 'unspool/pco/separate';
    import { readFileSync } from 'node:fs';
    await init(new WebAssembly.Module(readFileSync(new URL(import.meta.resolve('unspool/pco.wasm')))));
    WebAssembly.compile = WebAssembly.Module = class { constructor() { throw new Error('not here'); } };
    console.log((await decode(readFileSync(process.argv[1]))).arrays[0].data.length);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script, fileURLToPath(new URL(`../../../tests/vectors/${files.pco}`, import.meta.url))], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
  assert.equal(said, '2000\n');
});

test('opens a file of any format', async () => {
  const content = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());
  for (const [format, path] of Object.entries(files)) {
    const bytes = read(path);
    for (const source of [bytes, new Blob([bytes]), { size: bytes.length, read: async ({ start, end }) => bytes.subarray(start, end) }]) {
      const file = await open(source);
      assert.deepEqual([file.format, file.size], [format, bytes.length]);
      assert.deepEqual(await file.decode(), all.decode(bytes), format);
      if (file.format === 'cvc') assert.deepEqual((await file.vectors.column().rows(5, 9)).data, all.decodeCvc(bytes, { rows: [5, 9] }).data);
      if (file.format === 'onpair') assert.equal(await file.strings.text(7), all.openOnPair(bytes).text(7));
      if (file.format === 'pco') assert.deepEqual(file.header, all.pcoHeader(bytes));
      if (file.format === 'at1') {
        assert.deepEqual(file.table.columns.map(({ name }) => name), (await all.describeAt1(bytes)).columns.map(({ name }) => name));
        assert.deepEqual((await file.query({ limit: 3 })).rows, (await all.queryAt1(bytes, { limit: 3 })).rows);
        const parts = [];
        for await (const part of file.text()) parts.push(part);
        assert.deepEqual(new Uint8Array(Buffer.concat(parts)), all.decodeAt1(bytes));
      }
      if (format === 'gzip') assert.deepEqual(await content(file.stream()), all.decodeGzip(bytes));
      if (format === 'lzma') assert.deepEqual(await content(file.stream()), all.decodeLzma(bytes));
      if (format === 'xz') assert.deepEqual(await content(file.stream()), all.decodeXz(bytes));
      if (format === 'zstd') assert.deepEqual(await content(file.stream()), all.decodeZstd(bytes));
    }
  }
  // The limits given to `open` hold unless a call has others.
  const limited = await open(read(files.pco), { limits: { maxOutput: 3 } });
  for (const own of [undefined, {}, { limits: undefined }]) await assert.rejects(limited.decode(own), { name: 'OutputLimit' });
  assert.equal((await limited.decode({ limits: {} })).format, 'pco');
  // Enough for the head of the table, not for its rows.
  const { query } = await open(read(files.at1), { limits: { maxOutput: 1000 } });
  for (const own of [{}, { limits: undefined }]) await assert.rejects(query({ limit: 3, ...own }), { name: 'OutputLimit' });
  assert.equal((await query({ limit: 3, limits: {} })).rows.length, 3);
  // Codecs without a table.
  const { format, table, decode: whole } = await open(read('at1/c5_pop_postext.at1'));
  assert.deepEqual([format, table], ['at1', undefined]);
  assert.ok((await whole()).files.length > 0);
  await assert.rejects(open(new Uint8Array(20)), { name: 'UnknownFormat' });
  await assert.rejects(open(read(files.onpair).subarray(0, 5)), { name: 'Truncated', need: 8 });
  await assert.rejects(open(read(files.onpair).subarray(0, 50)), UnspoolError);
});

test('takes the options of a stream when an open file is decoded as one', async () => {
  const content = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());
  for (const format of ['gzip', 'lzma', 'xz', 'zstd']) {
    const file = await open(read(files[format]));
    const aborted = AbortSignal.abort(new Error('enough'));
    await assert.rejects(content(file.stream({ signal: aborted })), /enough/, format);
    if (format !== 'gzip') await assert.rejects(content(file.stream({ limits: { maxWindow: 1 } })), { name: 'WindowLimit' }, format);
    assert.throws(() => file.stream({ limit: 1 }), /TypeError: unknown name limit in options/, format);
  }
  const [framed, dictionary, draft] = ['dict-id123456789-json60k-stdin.zst', 'dict-id123456789', '../draft/bal64.zst'].map((name) => read(`zstd/rfc8878/${name}`));
  assert.deepEqual(await content((await open(framed)).stream({ dictionary })), all.decodeZstd(framed, { dictionary }));
  // A stream cannot look ahead for the flavour.
  assert.deepEqual(await content((await open(draft)).stream({ format: 'zstd-draft' })), all.decodeZstd(draft));
  const { text } = await open(read(files.at1));
  await assert.rejects(text({ limits: { maxOutput: 1000 } }).next(), { name: 'OutputLimit' });
  await assert.rejects(text({ signal: AbortSignal.abort(new Error('enough')) }).next(), /enough/);
});

test('aborts every lazy call', async () => {
  const bytes = read(files.xz);
  const signal = AbortSignal.abort(new Error('before'));
  for (const call of [decode, inspect, open]) await assert.rejects(call(bytes, { signal }), /before/);
  await assert.rejects(decodeInto(bytes, new Uint8Array(9), { signal }), /before/);
  const stop = new AbortController();
  const file = await open(new Blob([bytes]), { signal: stop.signal });
  const reader = file.stream().getReader();
  stop.abort(new Error('enough'));
  await assert.rejects(async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read());
  }, /enough/);
  await assert.rejects(file.decode(), /enough/);
});
