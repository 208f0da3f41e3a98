// The page in headless Chromium, with real files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { launch, watchedPage } from './browser.mjs';
import { serve } from './server.mjs';

const vector = (name) => readFileSync(new URL(`../../tests/vectors/cvc/${name}`, import.meta.url));

let browser;
let server;
let page;
let wrong;
let close;

before(async () => {
  [browser, server] = await Promise.all([launch(), serve()]);
});
after(async () => {
  await browser?.close();
  server?.close();
});
beforeEach(async () => {
  ({ page, wrong, close } = await watchedPage(browser, server.url, { viewport: { width: 1280, height: 900 } }));
});
afterEach(async () => {
  await close();
  assert.deepEqual(wrong, [], 'no errors, no warnings, no requests to anywhere else');
});

const open = (hash = '') => page.goto(`${server.url}${hash}`);
const fact = (term) => page.locator('.overview dl div', { has: page.locator('dt', { hasText: new RegExp(`^${term}$`) }) }).locator('dd');
const byte = (at) => page.locator(`#byte-${at}`);
const item = (name) => page.getByRole('treeitem', { name });
const classes = (locator) => locator.getAttribute('class');

/** Drops a file on the page, as a file manager would. */
async function drop(name, bytes) {
  const transfer = await page.evaluateHandle(
    ([name, base64]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      return transfer;
    },
    [name, Buffer.from(bytes).toString('base64')],
  );
  await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
  await page.getByText('Drop it').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

test('a sample shows what it is and its values', async () => {
  await open();
  await page.getByText('Nothing leaves your machine').waitFor();
  await page.getByRole('link', { name: /^Embeddings/ }).click();
  await page.getByRole('heading', { name: 'embeddings.cvc' }).waitFor();
  assert.equal(await fact('Rows').textContent(), '400');
  assert.equal(await fact('Dimension').textContent(), '64');
  assert.equal(await fact('Stored as').textContent(), 'fp16');
  assert.match(await fact('Decodes to').textContent(), /^102 KB, 1\.99×$/);
  assert.equal(await fact('Checksums').textContent(), '4 right');
  // The values that the reference implementation decodes.
  const expected = new Float32Array(new Uint8Array(vector('med_fp16.f32.bin')).buffer);
  await page.locator('tbody tr').first().waitFor();
  const shown = await page.locator('tbody tr').first().locator('td:not(.more)').allTextContents();
  assert.equal(shown.length, 12);
  shown.forEach((text, at) => assert.equal(text, Number(expected[at].toPrecision(5)).toString(), `value ${at}`));
  // And those of the last page.
  await page.getByLabel('Page of rows').fill('16');
  await page.getByLabel('Page of rows').press('Enter');
  await page.getByRole('button', { name: 'Draw row 399' }).click();
  const last = await page.locator('tr.selected td').first().textContent();
  assert.equal(last, Number(expected[399 * 64].toPrecision(5)).toString());
  await page.getByText('Row 399, all 64 values').waitFor();
});

test('columns of every type', async () => {
  await open('#sample=columns');
  await page.getByRole('tab', { name: 'int64_v', exact: true }).click();
  const expected = new BigInt64Array(new Uint8Array(vector('v2_ints_default.col3.raw.bin')).buffer);
  await page.getByText('11 rows of 3 values, int64').waitFor();
  await page.locator('tbody tr').first().waitFor();
  const shown = await page.locator('tbody td').allTextContents();
  assert.deepEqual(shown, Array.from(expected, String));
  await page.keyboard.press('ArrowRight');
  await page.getByText('11 rows of 1 value, int8').waitFor();
  assert.equal(await page.getByRole('tab', { name: 'int8_s', exact: true }).getAttribute('aria-selected'), 'true');
});

test('a dropped file opens, also from the start page and over another', async () => {
  await open('#sample=columns');
  await page.getByRole('heading', { name: 'columns.cvc' }).waitFor();
  await drop('mine.cvc', vector('v1_int8.cvc'));
  await page.getByRole('heading', { name: 'mine.cvc' }).waitFor();
  assert.equal(await fact('Stored as').textContent(), 'int8');
  assert.equal(new URL(page.url()).hash, '', 'a file of the visitor has no address');
  const expected = new Float32Array(new Uint8Array(vector('v1_int8.f32.bin')).buffer);
  await page.locator('tbody tr').first().waitFor();
  const shown = await page.locator('tbody tr').first().locator('td').first().textContent();
  assert.equal(Number(shown), Number(expected[0].toPrecision(5)));
  await page.goBack();
  await page.getByRole('heading', { name: 'columns.cvc' }).waitFor();
});

test('a picked file opens', async () => {
  await open();
  await page.locator('input[type=file]').setInputFiles({ name: 'picked.cvc', mimeType: '', buffer: vector('v0_int8.cvc') });
  await page.getByRole('heading', { name: 'picked.cvc' }).waitFor();
  assert.equal(await fact('Checksums').textContent(), 'none in this version');
});

test('a field in the tree lights up its bytes', async () => {
  await open('#sample=embeddings');
  await item(/^crc-32/).first().click();
  for (let at = 218; at < 222; at++) assert.match(await classes(byte(at)), /part-checksum.* selected/);
  assert.doesNotMatch(await classes(byte(217)), /selected/);
  assert.doesNotMatch(await classes(byte(222)), /selected/);
  await page.locator('.place').getByText('bytes 218 to 221, checksum').waitFor();
  // Pointing is enough to see, and does not select.
  await item(/^magic/).hover();
  assert.match(await classes(byte(0)), /hovered/);
  assert.match(await classes(byte(218)), /selected/);
  // The last chunk is far below, and its bytes come into sight.
  await page.getByRole('tree').press('End');
  await byte(51_445).or(byte(38_646)).first().waitFor();
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  assert.match(await selected.textContent(), /^values/);
  assert.ok((await page.locator('.byte.selected').count()) > 16);
});

test('a byte selects the innermost field', async () => {
  await open('#sample=embeddings&at=100');
  // The address names a byte in the middle of the header.
  await page.locator('#byte-100.cursor').waitFor();
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  assert.match(await selected.textContent(), /^(rows|compression|json)/);
  assert.ok(Number(await selected.getAttribute('aria-level')) >= 3, 'the groups around it are unfolded');
  await byte(5).click();
  assert.match(await selected.textContent(), /^major version1/);
  assert.match(page.url(), /sample=embeddings&at=5$/);
  await page.getByRole('grid').press('ArrowRight');
  assert.match(await selected.textContent(), /^minor version0/);
  await page.getByRole('grid').press('End');
  assert.match(await selected.textContent(), /^values/);
  await page.locator('#byte-51445.cursor').waitFor();
});

test('the tree answers to the keyboard', async () => {
  await open('#sample=embeddings');
  const tree = page.getByRole('tree');
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  await tree.focus();
  await tree.press('Home');
  assert.match(await selected.textContent(), /^magic/);
  for (let step = 0; step < 4; step++) await tree.press('ArrowDown');
  assert.match(await selected.textContent(), /^header/);
  assert.equal(await selected.getAttribute('aria-expanded'), 'true');
  await tree.press('ArrowLeft');
  assert.equal(await selected.getAttribute('aria-expanded'), 'false');
  await tree.press('ArrowRight');
  await tree.press('ArrowRight');
  assert.equal(await selected.getAttribute('aria-level'), '2');
  await tree.press('ArrowLeft');
  assert.match(await selected.textContent(), /^header/);
  assert.equal(await tree.getAttribute('aria-activedescendant'), await selected.getAttribute('id'));
});

test('a broken file shows where and why, and what came before', async () => {
  await open('#sample=broken');
  const alert = page.locator('.problem');
  await alert.getByText('The file was damaged after it was written.').waitFor();
  await alert.getByText('Checksum mismatch at byte 213: the CRC-32 of the chunk differs from the one in the file.').waitFor();
  assert.match(await classes(byte(213)), /broken/);
  assert.match(await item(/broken here/).textContent(), /^crc-32/);
  await item(/^magic/).click();
  await page.getByRole('button', { name: 'Show byte 213' }).click();
  assert.match(await page.locator('[aria-selected=true][role=treeitem]').textContent(), /^crc-32/);
  // The values around it are refused, and those of the other chunks are shown.
  await page.locator('.refused').waitFor();
  await page.getByRole('button', { name: 'Later rows' }).click();
  await page.getByRole('button', { name: 'Later rows' }).click();
  await page.locator('tbody tr').first().waitFor();
});

test('files that are broken in other ways, and files that are none', async () => {
  await open();
  for (const [name, words] of [
    ['trunc_in_payload', /ends too early/],
    ['json_bad_escape', /contradicts itself/],
    ['comp_bfloat16', /not a format, or not a variant/],
    ['empty_file', /ends too early/],
    ['magic_bad', /not a format/],
    ['lossless_bits255', /contradicts itself/],
  ]) {
    await drop(`${name}.cvc`, vector(`bad/${name}.cvc`));
    await page.getByRole('heading', { name: `${name}.cvc` }).waitFor();
    await page.locator('.problem h3', { hasText: words }).waitFor();
  }
  await drop('picture.gif', Buffer.from('GIF89a and so on'));
  await page.getByText('Not a format that unspool knows').waitFor();
  assert.equal(await byte(0).textContent(), '47', 'the bytes are shown even so');
});

/** Makes a file inside of the page, drops it, and measures from then on how long the page stands still. */
async function dropMade(make, ...args) {
  await page.evaluate(`window.transfer = new DataTransfer();
    window.transfer.items.add((${make})(...${JSON.stringify(args)}));`);
  await page.evaluate(() => {
    window.gap = 0;
    let last = performance.now();
    const tick = () => {
      const now = performance.now();
      window.gap = Math.max(window.gap, now - last);
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    const { transfer } = window;
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  });
}

/** What a visitor would still call immediate, on a machine that runs the rest of the tests too. */
const STILL = 300;

/** A file of so many chunks of one row. */
function manyChunks(chunks) {
  const head = `{"chunks":[${Array(chunks).fill('{"rows":1}').join(',')}],"compression":"fp16","dimension":2,"num_vectors":${chunks}}`;
  const bytes = new Uint8Array(12 + head.length + 12 * chunks);
  bytes.set(new TextEncoder().encode(`CVCF\x01\0\0\0____${head}`));
  const view = new DataView(bytes.buffer);
  view.setUint32(8, head.length, true);
  for (let at = 12 + head.length; at < bytes.length; at += 12) {
    view.setUint32(at, 4, true);
    view.setUint32(at + 4, 0x2144df1c, true); // the CRC-32 of four zeros
  }
  return new File([bytes], 'many.cvc');
}

/** 100 MB of values in one chunk, of version 0: its header length stands where others have their version. */
function largeChunk(rows) {
  const head = `{"num_vectors":${rows},"dimension":500,"compression":"fp16","chunks":[{"rows":${rows}}]}`;
  const bytes = new Uint8Array(12 + head.length);
  bytes.set(new TextEncoder().encode(`CVCF____${head}`));
  new DataView(bytes.buffer).setUint32(4, head.length, true);
  new DataView(bytes.buffer).setUint32(8 + head.length, 1000 * rows, true);
  return new File([bytes, new Uint8Array(1000 * rows)], 'large.cvc');
}

test('a hundred thousand chunks do not freeze the page', async () => {
  await open();
  await dropMade(manyChunks, 100_000);
  await page.getByRole('heading', { name: 'many.cvc' }).waitFor();
  assert.equal(await fact('Chunks').textContent(), '100,000');
  await page.getByRole('tree').press('End');
  await item(/^chunk #99999/).waitFor();
  await page.getByRole('grid').press('End');
  await page.locator('.byte.cursor').waitFor();
  await item(/^values fp16/).waitFor();
  const nodes = await page.locator('.node, .byte').count();
  assert.ok(nodes < 2000, `${nodes} elements: only what is in sight exists`);
  const gap = await page.evaluate(() => window.gap);
  assert.ok(gap < STILL, `the page stood still for ${gap} ms`);
});

test('a hundred megabytes do not freeze the page, and every line can be reached', async () => {
  await open();
  await dropMade(largeChunk, 100_000);
  await page.getByRole('heading', { name: 'large.cvc' }).waitFor();
  assert.equal(await fact('Rows').textContent(), '100,000');
  const grid = page.getByRole('grid');
  await grid.press('End');
  await page.locator('.byte.cursor').waitFor();
  const end = Number(await page.locator('.byte.cursor').getAttribute('data-byte'));
  assert.ok(end > 100_000_000);
  await grid.press('ArrowUp');
  await page.locator(`#byte-${end - 16}.cursor`).waitFor();
  // A turn of the wheel moves by lines, not by megabytes.
  const before = await page.locator('.row').first().getAttribute('aria-rowindex');
  await page.locator('.hex').hover();
  await page.mouse.wheel(0, -240);
  await page.waitForFunction((row) => document.querySelector('.row').getAttribute('aria-rowindex') !== row, before);
  const moved = Number(before) - Number(await page.locator('.row').first().getAttribute('aria-rowindex'));
  assert.ok(moved > 0 && moved <= 20, `moved by ${moved} lines`);
  const gap = await page.evaluate(() => window.gap);
  assert.ok(gap < STILL, `the page stood still for ${gap} ms`);
});

test('the package decodes bit-exactly in the browser, inlined and as a separate module', async () => {
  const npm = (path) => readFileSync(new URL(`../../wasm/npm/${path}`, import.meta.url));
  const modules = ['index', 'separate', 'api', 'cvc', 'decode', 'error', 'init', 'inlined', 'inspect', 'instance', 'limits', 'probe', 'source'];
  const { entries } = JSON.parse(vector('manifest.json'));
  const host = await serve({
    '/blank.html': '<!doctype html><title>blank</title><link rel="icon" href="data:,">',
    '/wasm/unspool.js': npm('wasm/unspool.js'),
    '/wasm/unspool_bg.wasm': npm('wasm/unspool_bg.wasm'),
    ...Object.fromEntries(modules.map((name) => [`/dist/${name}.js`, npm(`dist/${name}.js`)])),
    ...Object.fromEntries(entries.map(({ file }) => [`/${file}`, vector(file)])),
  });
  const watched = await watchedPage(browser, host.url);
  try {
    for (const door of ['index', 'separate']) {
      await watched.page.goto(`${host.url}blank.html`);
      const decoded = await watched.page.evaluate(
        async ([door, files]) => {
          const { decode, init } = await import(`/dist/${door}.js`);
          if (door === 'separate') await init('/wasm/unspool_bg.wasm');
          const digest = async (data) => {
            const hash = await crypto.subtle.digest('SHA-256', new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
            return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
          };
          const results = {};
          for (const file of files) {
            const bytes = await (await fetch(`/${file}`)).arrayBuffer();
            const columns = decode(bytes).columns.map(async ({ data }) => [data.constructor.name, await digest(data)]);
            results[file] = await Promise.all(columns);
          }
          return results;
        },
        [door, entries.map(({ file }) => file)],
      );
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

test('every colour scheme and width shows the same, with names for all controls', async () => {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1440, 800, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await open('#sample=sections');
      await page.getByRole('heading', { name: 'sections.cvc' }).waitFor();
      await byte(0).waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${colorScheme} ${width}: the page is ${overflow} pixels too wide`);
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('button, a, input, [role=tree], [role=grid], [role=img]')]
          .filter((element) => !(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length))
          .map((element) => element.outerHTML),
      );
      assert.deepEqual(nameless, []);
      await page.goto('about:blank');
    }
  }
  wrong.splice(0, wrong.length, ...wrong.filter((what) => what !== 'request: about:blank'));
});
