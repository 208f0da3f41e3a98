// The npm package in headless Chromium.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchedPage } from './browser.mjs';
import { inspector } from './harness.mjs';
import { serve } from './server.mjs';
import { vector } from './vectors.mjs';

const it = inspector();

test('decodes bit for bit in the browser, with the module inside and separate', async () => {
  const { entries } = JSON.parse(vector('cvc/manifest.json'));
  const strings = JSON.parse(vector('onpair/manifest.json')).container.find(({ file }) => file === 'cpp/urls_b12.onp').expected;
  const numbers = JSON.parse(vector('pco/manifest.json')).files.filter(({ n, dtype }) => n > 0 && dtype !== 'mixed');
  assert.equal(new Set(numbers.map(({ dtype }) => dtype)).size, 11);
  const host = await serve({
    '/blank.html': '<!doctype html><title>blank</title><link rel="icon" href="data:,">',
    ...Object.fromEntries(entries.map(({ file }) => [`/${file}`, vector(`cvc/${file}`)])),
    '/urls.onp': vector('onpair/cpp/urls_b12.onp'),
    ...Object.fromEntries(numbers.map(({ file }) => [`/${file}`, vector(`pco/${file}`)])),
  }, new URL('../../wasm/npm/', import.meta.url));
  const watched = await watchedPage(it.browser, host.url);
  try {
    for (const door of ['inside', 'separate', 'lazy']) {
      await watched.page.goto(`${host.url}blank.html`);
      const [decoded, halves] = await watched.page.evaluate(
        async ([door, files, pco]) => {
          const entry = async (name) => {
            const functions = await import(`/dist/entries/${name}${door === 'separate' ? '-separate' : ''}.js`);
            if (door === 'separate') await functions.init(`/wasm/${name}/unspool_bg.wasm`);
            return functions;
          };
          const { decode } = await import('/dist/index.js');
          if (door === 'separate') await entry('cvc');
          const { decodeOnPair, openOnPair } = await entry('onpair');
          const { decodePco } = door === 'lazy' ? { decodePco: async (bytes) => (await decode(bytes)).arrays[0] } : await entry('pco');
          const digest = async (data) => {
            const hash = await crypto.subtle.digest('SHA-256', new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
            return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
          };
          const results = {};
          for (const file of files) {
            const bytes = await (await fetch(`/${file}`)).arrayBuffer();
            const columns = (await decode(bytes)).columns.map(async ({ data }) => [data.constructor.name, await digest(data)]);
            results[file] = await Promise.all(columns);
          }
          const onp = await (await fetch('/urls.onp')).arrayBuffer();
          const { bytes, offsets } = decodeOnPair(onp);
          const column = openOnPair(onp);
          results.strings = [await digest(bytes), offsets.length - 1, column.search({ startsWith: column.text(7) })[0]];
          for (const file of pco) {
            const { data } = await decodePco(await (await fetch(`/${file}`)).arrayBuffer());
            results[file] = [data.constructor.name, await digest(data)];
          }
          return [results, 'Float16Array' in globalThis];
        },
        [door, entries.map(({ file }) => file), numbers.map(({ file }) => file)],
      );
      assert.deepEqual(decoded.strings, [strings.sha256, strings.rows, 7]);
      const arrays = {
        u8: 'Uint8Array', i8: 'Int8Array', u16: 'Uint16Array', i16: 'Int16Array', f16: halves ? 'Float16Array' : 'Uint16Array',
        u32: 'Uint32Array', i32: 'Int32Array', f32: 'Float32Array', u64: 'BigUint64Array', i64: 'BigInt64Array', f64: 'Float64Array',
      };
      for (const { file, dtype, sha256 } of numbers) assert.deepEqual(decoded[file], [arrays[dtype], sha256], `${file} through unspool/${door}`);
      const names = { float32: 'Float32Array', float16: 'Float16Array', int64: 'BigInt64Array', int32: 'Int32Array', int8: 'Int8Array', uint8: 'Uint8Array' };
      for (const { file, expected, columns } of entries) {
        const wanted = (columns?.map(({ expected }) => expected) ?? [expected]).map(({ dtype = 'float32', sha256 }) => [names[dtype], sha256]);
        assert.deepEqual(decoded[file], wanted, `${file} through unspool/${door}`);
      }
    }
    assert.deepEqual(watched.wrong, []);
  } finally {
    await watched.close();
    host.close();
  }
});
