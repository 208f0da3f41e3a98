// Single-format entries: the same results from a module of their own, in a process that loads
// nothing else.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeAt1, decodeCvc, decodeGzip, decodeLzma, decodeOnPair, decodePco, decodeXz, decodeZstd, errorTable } from './all.mjs';
import { gzipSync } from 'node:zlib';

const vectors = new URL('../../../tests/vectors/', import.meta.url);
const file = (path) => fileURLToPath(new URL(path, vectors));

/** Runs a module in a process of its own. Returns its output. */
function inNode(script, path) {
  return execFileSync(process.execPath, ['--input-type=module', '-e', script, path], { cwd: new URL('.', import.meta.url), encoding: 'utf8' });
}

const digest = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');

const cases = [
  { format: 'at1', path: 'at1/c8_events.at1', door: 'decodeAt1', take: '', expected: (bytes) => decodeAt1(bytes) },
  { format: 'cvc', path: 'cvc/v1_int8.cvc', door: 'decodeCvc', take: '.data', expected: (bytes) => decodeCvc(bytes).data },
  { format: 'gzip', path: 'gzip/v1_int8.cvc.gz', door: 'decodeGzip', take: '', expected: (bytes) => decodeGzip(bytes) },
  { format: 'lzma', path: 'lzma/page.lzma', door: 'decodeLzma', take: '', expected: (bytes) => decodeLzma(bytes) },
  { format: 'onpair', path: 'onpair/cpp/urls_b12.onp', door: 'decodeOnPair', take: '.bytes', expected: (bytes) => decodeOnPair(bytes).bytes },
  { format: 'pco', path: 'pco/assets/v1_0_0_conv1.pco', door: 'decodePco', take: '.data', expected: (bytes) => decodePco(bytes).data },
  { format: 'xz', path: 'xz/page.xz', door: 'decodeXz', take: '', expected: (bytes) => decodeXz(bytes) },
  { format: 'zstd', path: 'zstd/rfc8878/s-rand34.zst', door: 'decodeZstd', take: '', expected: (bytes) => decodeZstd(bytes) },
];

test('has a case for each single-format entry except streams', () => {
  const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const alone = Object.keys(exports).flatMap((path) => /^\.\/(\w+)\/separate$/.exec(path)?.[1] ?? []);
  assert.deepEqual(cases.map(({ format }) => format), alone);
});

for (const { format, path, door, take, expected } of cases) {
  for (const [entry, init] of [
    [`unspool/${format}`, ''],
    [`unspool/${format}/separate`, `await init(readFileSync(new URL(import.meta.resolve('unspool/${format}.wasm'))));`],
  ]) {
    test(`decodes with ${entry}, and refuses with the same message`, () => {
      const script = `
        import { readFileSync } from 'node:fs';
        import { ${door}, init, errorTable, UnspoolError } from '${entry}';
        ${init}
        const bytes = readFileSync(process.argv[1]);
        const found = ${door}(bytes)${take};
        console.log(Buffer.from(found.buffer, found.byteOffset, found.byteLength).toString('base64'));
        try {
          ${door}(bytes.subarray(0, bytes.length >> 1));
        } catch (error) {
          console.log(error instanceof UnspoolError, error.name, error.message);
        }
        console.log(errorTable().length);`;
      const [decoded, refusal, errors] = inNode(script, file(path)).split('\n');
      const bytes = readFileSync(file(path));
      assert.equal(decoded, digest(expected(bytes)));
      let error;
      try {
        expected(bytes.subarray(0, bytes.length >> 1));
      } catch (thrown) {
        error = thrown;
      }
      assert.equal(refusal, `true ${error.name} ${error.message}`);
      assert.ok(Number(errors) > 15 && Number(errors) < errorTable().length, 'only its own words');
    });
  }
}

test('shares errors between entries, and keeps their modules apart', async () => {
  const pco = await import('unspool/pco');
  const lazy = await import('unspool');
  assert.equal(pco.UnspoolError, lazy.UnspoolError);
  const bytes = readFileSync(file('pco/assets/v1_0_0_conv1.pco'));
  assert.equal(digest(pco.decodePco(bytes).data), digest((await lazy.decode(bytes)).arrays[0].data));
});

test('finds the part of an error once the inspector is loaded', () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { decodeZstd } from 'unspool/zstd';
    const bytes = readFileSync(process.argv[1]);
    decodeZstd(bytes);
    const refused = (call) => { try { call(); } catch ({ part }) { console.log(part); } };
    refused(() => decodeZstd(bytes.subarray(0, bytes.length - 5)));
    const { loadInspector } = await import('unspool/inspect');
    await loadInspector('zstd');
    refused(() => decodeZstd(bytes.subarray(0, bytes.length - 5)));
    const { decode } = await import('unspool');
    await decode(bytes.subarray(0, bytes.length - 5)).catch(({ part }) => console.log(part));`;
  assert.match(inNode(script, file('zstd/rfc8878/text-1025.zst')), /^undefined\nframe 0.*\nframe 0.*\n$/);
});

test('ignores an entry without a module if another entry has one', () => {
  const script = `
    import { readFileSync } from 'node:fs';
    import { decodeZstd as separate } from 'unspool/zstd/separate';
    const bytes = readFileSync(process.argv[1]);
    const words = (decode) => { try { return decode(bytes).length; } catch ({ message }) { return message; } };
    console.log(words(separate));
    const { decodeZstd } = await import('unspool/zstd');
    const { decode } = await import('unspool');
    const { bytes: found } = await decode(bytes);
    console.log(found.length, decodeZstd(bytes).length, words(separate));
    const { decodePco, init } = await import('unspool/pco/separate');
    await init(readFileSync(new URL(import.meta.resolve('unspool/pco.wasm'))));
    console.log(decodePco(readFileSync(new URL('${new URL('pco/assets/v1_0_0_conv1.pco', vectors)}'))).data.length);`;
  const { length } = decodeZstd(readFileSync(file('zstd/rfc8878/s-rand34.zst')));
  assert.match(inNode(script, file('zstd/rfc8878/s-rand34.zst')), new RegExp(`^this entry of unspool has no wasm module inside; await init\\(url\\) first\\n${length} ${length} ${length}\\n2000\\n$`));
});

test('embeds each module as text of the same gzipped size', async () => {
  const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { bytesOfText } = await import('../dist/text.js');
  for (const [path, { default: target }] of Object.entries(exports).filter(([path]) => path.endsWith('.wasm'))) {
    const name = path.slice(2, -5);
    const [module, inlined] = [new URL(`../${target}`, import.meta.url), new URL(`../dist/inlined/${name}.js`, import.meta.url)].map((url) => readFileSync(url));
    const { text } = await import(`../dist/inlined/${name}.js`);
    assert.match(text, /^[ -~]+$/, name);
    assert.doesNotMatch(text, /["$'<\\`]/, `${name}: a letter that somebody would escape`);
    assert.deepEqual(Buffer.from(bytesOfText(text)), module, name);
    const [ours, theirs] = [inlined, module].map((bytes) => gzipSync(bytes, { level: 9 }).length);
    // The order of letters takes 512 bytes before gzip.
    assert.ok(ours < 1.05 * theirs + 300, `${name}: ${ours} bytes gzipped, its module ${theirs}`);
  }
});
