// The header functions, which state sizes before anything is allocated.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { at1Header } from 'unspool/at1';
import { cvcHeader } from 'unspool/cvc';
import { gzipHeader } from 'unspool/gzip';
import { lzmaHeader } from 'unspool/lzma';
import { onPairHeader, openOnPair } from 'unspool/onpair';
import { pcoHeader } from 'unspool/pco';
import { decodeXz, xzHeader } from 'unspool/xz';
import { zstdHeader } from 'unspool/zstd';

const vectors = new URL('../../../tests/vectors/', import.meta.url);
const read = (path) => new Uint8Array(readFileSync(new URL(path, vectors)));
const filesIn = (folder, ending) => readdirSync(new URL(folder, vectors), { recursive: true }).filter((name) => name.endsWith(ending)).map((name) => `${folder}/${name}`);

/** Returns the length of what `decode` returns, or `undefined` if it throws. */
function lengthOf(decode) {
  try {
    return decode().length;
  } catch {
    return undefined;
  }
}

test('xzHeader states the size of every file that decodes', () => {
  let compared = 0;
  for (const file of filesIn('xz', '.xz')) {
    const bytes = read(file);
    const length = lengthOf(() => decodeXz(bytes));
    if (length === undefined) continue;
    const { check, blockCount, size } = xzHeader(bytes);
    assert.equal(size, length, file);
    assert.ok(check !== undefined && blockCount >= 0, file);
    compared++;
    for (let cut = 12; cut < Math.min(bytes.length, 400); cut++) assert.ok(xzHeader(bytes.subarray(0, cut)).size === undefined || cut % 4 === 0, `${file} ${cut}`);
  }
  assert.ok(compared > 2, `${compared} files`);
  // Two streams with padding between them.
  const [one, two] = [read('xz/page.xz'), read('xz/unspool.xz')];
  const both = new Uint8Array([...one, 0, 0, 0, 0, ...two, 0, 0, 0, 0]);
  assert.equal(xzHeader(both).size, decodeXz(both).length);
  assert.throws(() => xzHeader(Uint8Array.of(1)), { name: 'XzMagic' });
  for (let length = 0; length < 12; length++) assert.throws(() => xzHeader(one.subarray(0, length)), { name: 'Truncated', offset: length, need: 12 });
});

test('gzipHeader reads every field of the header, whatever follows it', () => {
  const bare = { name: undefined, modified: undefined, headLength: 10, size: undefined };
  for (const bytes of [gzipSync(''), gzipSync('a text, a text'), gzipSync('a text').subarray(0, 10)]) assert.deepEqual(gzipHeader(new Uint8Array(bytes)), bare);
  const plain = gzipSync('some text');
  const text = (letters) => [...Buffer.from(letters, 'latin1'), 0];
  // An extra field, a name, a comment and a checksum.
  const head = [0x1f, 0x8b, 8, 4 | 8 | 16 | 2, 1, 2, 3, 4, 0, 3, 3, 0, 9, 9, 9, ...text('n\u00e4me'), ...text('a comment'), 7, 7];
  const bytes = Uint8Array.from([...head, ...plain.subarray(10)]);
  const expected = { name: 'n\u00e4me', modified: new Date(1000 * 0x04030201), headLength: head.length, size: undefined };
  for (const end of [bytes.length, head.length]) assert.deepEqual(gzipHeader(bytes.subarray(0, end)), expected);
  for (let cut = 0; cut < head.length; cut++) {
    assert.throws(() => gzipHeader(bytes.subarray(0, cut)), ({ name, offset, need }) => name === 'Truncated' && offset === cut && need > cut && need <= head.length, String(cut));
  }
  assert.throws(() => gzipHeader(Uint8Array.of(0x1f, 0x8c)), { name: 'GzipMagic' });
  assert.throws(() => gzipHeader(Uint8Array.from(plain, (byte, at) => (at === 2 ? 7 : byte))), { name: 'GzipMethod', offset: 2 });
  assert.throws(() => gzipHeader(Uint8Array.from(plain, (byte, at) => (at === 3 ? 32 : byte))), { name: 'GzipReservedFlag', offset: 3 });
});

test('onPairHeader counts rows and tokens', () => {
  for (const file of filesIn('onpair', '.onp').slice(0, 20)) {
    const bytes = read(file);
    const column = openOnPair(bytes);
    assert.deepEqual(onPairHeader(bytes), { rowCount: column.rowCount, tokenCount: column.tokenCount, codeBits: column.codeBits, end: column.size, size: undefined }, file);
    for (const cut of [0, 8, 9, 12, 13, 100, column.size - 1]) assert.throws(() => onPairHeader(bytes.subarray(0, cut)), { class: 'Truncated' }, `${file} ${cut}`);
  }
  assert.throws(() => onPairHeader(Uint8Array.of(1)), { name: 'OnPairMagic' });
});

test('every header of a prefix is that of the file, or states a length to try next', () => {
  const files = [
    [at1Header, 'at1/c8_events.at1'], [cvcHeader, 'cvc/v2_ints_default.cvc'], [gzipHeader, 'gzip/v1_int8.cvc.gz'], [lzmaHeader, 'lzma/page.lzma'],
    [onPairHeader, 'onpair/cpp/urls_b12.onp'], [pcoHeader, 'pco/assets/v1_0_0_conv1.pco'], [zstdHeader, 'zstd/rfc8878/text-1025.zst'],
  ];
  for (const [header, path] of files) {
    const bytes = read(path);
    for (let [end, found] = [0]; found === undefined; ) {
      try {
        found = header(bytes.subarray(0, end));
        assert.deepEqual(found, header(bytes), path);
      } catch (error) {
        assert.equal(error.name, 'Truncated', `${path}: ${error}`);
        // A header of Zstandard does not state its length.
        const next = header === zstdHeader ? end + 1 : error.need;
        assert.ok(next > end && next <= bytes.length, `${path}: ${next} after ${end}`);
        end = next;
      }
    }
  }
});

test('at1Header names the codec', () => {
  assert.deepEqual(at1Header(Uint8Array.of(0x41, 0x54, 0x31, 2, 255)), { codec: 'raw', isFramed: false, size: undefined });
  assert.deepEqual(at1Header(Uint8Array.of(0x41, 0x54, 0x31, 3, 8)), { codec: 'qjson', isFramed: true, size: undefined });
  assert.deepEqual(at1Header(read('at1/c8_events.at1')), { codec: 'qjson', isFramed: false, size: undefined });
  assert.throws(() => at1Header(Uint8Array.of(0x41, 0x54, 0x31, 2)), { name: 'Truncated', offset: 4, need: 5 });
  assert.throws(() => at1Header(Uint8Array.of(0x41, 0x54, 0x31, 2, 13)), { name: 'At1Codec', offset: 4 });
  assert.throws(() => at1Header(Uint8Array.of(0x41, 0x54, 0x31, 1, 0)), { name: 'At1Magic' });
});

test('lzmaHeader reads the properties and the size', () => {
  const head = Uint8Array.of(0x5d, 0, 0, 0x80, 0, 5, 0, 0, 0, 0, 0, 0, 0);
  assert.deepEqual(lzmaHeader(head), { lc: 3, lp: 0, pb: 2, window: 2 ** 23, size: 5 });
  assert.equal(lzmaHeader(Uint8Array.from(head, (byte, at) => (at > 4 ? 255 : byte))).size, undefined);
  assert.throws(() => lzmaHeader(head.subarray(0, 12)), { name: 'Truncated', offset: 12, need: 13 });
  assert.throws(() => lzmaHeader(Uint8Array.of(225)), { name: 'XzProperties' });
});
