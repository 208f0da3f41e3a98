// Sources and formats of files.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { watchedPage } from './browser.mjs';
import { inspector } from './harness.mjs';
import { floats, vector, zeros } from './vectors.mjs';

const it = inspector('allow');
let page;
beforeEach(() => ({ page } = it));
const { open, heading, fact, summed, byte, pick, hash, tab } = it;

test('detects every sample by its content', async () => {
  await open();
  const ids = await page.locator('.samples a').evaluateAll((links) => links.map((link) => [new URLSearchParams(new URL(link.href).hash.slice(1)).get('sample'), link.textContent]));
  assert.equal(ids.length, 12);
  for (const [id] of ids) {
    await open(`#sample=${id}`);
    await page.locator(`.inspector`).waitFor();
    await page.locator('.verdict', { hasText: id === 'broken' ? 'Damaged in bytes 209 to 1,240' : /^(Intact|No error found)$/ }).waitFor();
    await tab('Data');
    await page.getByRole('region', { name: 'Decoded values' }).waitFor();
  }
  for (const [file, name] of [
    ['cvc/v1_int8.cvc', 'CVC embedding vectors'], ['pco/m_i32_classic_auto.pco', 'Pco numbers'], ['onpair/cpp/urls_b12.onp', 'OnPair strings'],
    ['zstd/rfc8878/text-1025.zst', 'Zstandard'], ['xz/blocks.xz', 'xz'], ['lzma/page.lzma', 'LZMA'], ['at1/c8_events.at1', 'AT-1 table'], ['gzip/v1_int8.cvc.gz', 'CVC embedding vectors'],
  ]) {
    await pick(`photo of ${name}.jpg`, vector(file));
    await heading(`photo of ${name}.jpg`);
    await page.getByRole('heading', { name, level: 2 }).waitFor();
  }
});

test('opens a pasted file or address, but not text pasted into a field', async () => {
  const paste = (target, text, base64) => page.locator(target).evaluate((element, [text, base64]) => {
    const clipboardData = new DataTransfer();
    if (text !== undefined) clipboardData.setData('text/plain', text);
    if (base64 !== undefined) clipboardData.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], 'pasted.cvc'));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, [text, base64]);
  await open();
  await page.getByText('Drop files here').waitFor();
  await paste('body', undefined, vector('cvc/v1_int8.cvc').toString('base64'));
  await heading('pasted.cvc');
  const url = new URL('#sample=xz', it.server.url).href;
  await tab('Structure');
  await paste('[aria-label="Find in the file"]', url);
  await paste('body', 'no address');
  await heading('pasted.cvc');
  await paste('body', ` ${url}\n`);
  // The page itself is still open.
  await page.getByText('This looks like text').waitFor();
  assert.equal(hash().get('url'), url);
});

test('unwraps gzip, and shows unknown content as bytes', async () => {
  await open('#sample=wrapped');
  await page.getByText('CVC embedding vectors').waitFor();
  assert.equal(await fact('Wrapped in').textContent(), 'gzip of 1,868 bytes');
  assert.equal(await fact('Size').textContent(), `${vector('cvc/v1_int8.cvc').length.toLocaleString('en')} bytes`);
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^magic CVCF/ }).waitFor();
  await pick('strings.onp.gz', gzipSync(vector('onpair/cpp/urls_b12.onp')));
  await page.getByText('OnPair strings').waitFor();
  await pick('text.gz', gzipSync('some text\nin two lines\n'));
  await heading('text.gz');
  await tab('Data');
  assert.equal(await it.text(), 'some text\nin two lines');
  await pick('binary.gz', gzipSync(Uint8Array.of(0, 255, 254, 65)));
  await heading('binary.gz');
  await tab('Data');
  await page.getByText('00000000  00 ff fe 41').waitFor();
  const broken = gzipSync('some text');
  broken[broken.length - 5] ^= 1;
  await pick('broken.gz', broken);
  await heading('broken.gz');
  await page.getByText(/^Checksum mismatch: bytes 0 to \d+ are damaged. A checksum cannot say which byte.$/).waitFor();
});

test('names the content of a wrapper, and opens it by a button', async () => {
  const vectors = vector('cvc/v1_int8.cvc');
  const tar = Buffer.alloc(1024);
  tar.write('notes.txt');
  tar.write('ustar', 257);
  const broken = (change) => {
    const gzip = gzipSync(vectors);
    return change(gzip) ?? gzip;
  };
  /** Builds a Zstandard frame that stores bytes uncompressed. */
  const stored = (bytes) => {
    const header = Buffer.alloc(3);
    header.writeUIntLE(1 + 8 * bytes.length, 0, 3);
    return Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), header, bytes]);
  };
  await open();
  const inside = page.getByRole('button', { name: 'Open the content' });
  const content = page.locator('.within strong');
  for (const [name, bytes, kind] of [
    ['notes.tar.gz', gzipSync(tar), 'a tar archive'], ['picture.png.gz', gzipSync(Buffer.from('\x89PNG\r\n', 'latin1')), 'a PNG picture'],
  ]) {
    await pick(name, bytes);
    await heading(name);
    await tab('Data');
    await content.getByText(kind).waitFor();
    assert.equal(await inside.count(), 0, 'there is nothing more to see of it');
  }
  for (const [name, bytes, verdict] of [
    ['stored.cvc.zst', stored(vectors), 'Intact'],
    ['twice.cvc.gz', gzipSync(gzipSync(vectors)), 'Intact'],
    ['cut.cvc.gz', broken((gzip) => gzip.subarray(0, gzip.length - 200)), 'Incomplete'],
    ['crc.cvc.gz', broken((gzip) => void (gzip[gzip.length - 6] ^= 1)), 'Intact'],
    ['more.cvc.gz', broken((gzip) => Buffer.concat([gzip, Buffer.from('garbage')])), 'Intact'],
  ]) {
    await pick(name, bytes);
    await heading(name);
    await tab('Data');
    await content.getByText('CVC embedding vectors').waitFor();
    await inside.click();
    await heading(name.replace(/\.\w+$/, ''));
    await page.getByText('CVC embedding vectors').waitFor();
    await page.locator('.verdict', { hasText: verdict }).waitFor();
  }
});

test("goes back and forward through the visitor's own files", async () => {
  const start = () => page.getByText('Drop files here').waitFor();
  await open();
  await pick('first.cvc', vector('cvc/v1_int8.cvc'));
  await heading('first.cvc');
  await pick('second.xz', vector('xz/blocks.xz'));
  await heading('second.xz');
  await page.goBack();
  await heading('first.cvc');
  await page.goBack();
  await start();
  await page.goForward();
  await heading('first.cvc');
  await page.goForward();
  await heading('second.xz');
  // After a reload, the file's bytes are gone, and nothing else is opened for it.
  await page.reload();
  await start();
  await pick('third.xz', vector('xz/blocks.xz'));
  await heading('third.xz');
  await page.goBack();
  await start();
  await page.goBack();
  await start();
  await open('#sample=xz');
  await heading('page.xz');
  await pick('first.cvc', vector('cvc/v1_int8.cvc'));
  await heading('first.cvc');
  await page.goBack();
  await heading('page.xz');
  // Going between entries with and without an address also changes the fragment.
  await page.goForward();
  await heading('first.cvc');
  await page.getByRole('link', { name: 'unspool inspector, start' }).click();
  await start();
  await page.goBack();
  await heading('first.cvc');
  await page.evaluate(() => (location.hash = '#sample=embeddings'));
  await heading('embeddings.cvc');
  await page.goBack();
  await heading('first.cvc');
});

test('guesses the format of an unknown file', async () => {
  await open('#sample=zstd');
  await page.locator('.verdict', { hasText: 'Intact' }).waitFor();
  for (const [name, bytes, words] of [
    ['picture', '\x89PNG\r\n', 'This looks like a PNG picture'],
    ['notes', 'Words, and an é.\n', 'This looks like text'],
    ['nothing', '', 'The file is empty.'],
    ['short', '\x28\xb5', 'The file is too short to detect its format.'],
    ['noise', '\xf0\x9f\0\xff', 'Unknown format: the first bytes match none that this page knows.'],
  ]) {
    await pick(name, Buffer.from(bytes, name === 'notes' ? 'utf8' : 'latin1'));
    await heading(name);
    await page.getByRole('alert').getByText(words).waitFor();
  }
});

test('opens a file and its dictionary together, in any order', async () => {
  const folder = 'zstd/rfc8878/';
  const [file, dictionary] = ['dict-id40000-empty.zst', 'dict-id40000'].map((name) => ({ name, mimeType: '', buffer: vector(folder + name) }));
  const [raw, lines] = [vector(`${folder}dict-id123456789`), vector(`${folder}dict-id123456789-json60k-stdin.zst`)];
  const input = page.locator('input[type=file]');
  await open();
  await input.setInputFiles(file);
  await page.getByRole('alert').getByText('This file needs its dictionary').waitFor();
  for (const files of [[file, dictionary], [dictionary, file]]) {
    await input.setInputFiles(files);
    await page.locator('.verdict', { hasText: /Intact|No error/ }).waitFor();
    await tab('Data');
    await page.getByText('The content is empty.').waitFor();
    assert.equal(await fact('Dictionary').textContent(), '65.5 KB');
    assert.equal(await page.getByRole('alert').count(), 0);
  }
  await input.setInputFiles([{ name: 'lines.zst', mimeType: '', buffer: lines }, { name: 'words', mimeType: '', buffer: raw }]);
  await heading('lines.zst');
  await tab('Data');
  assert.match(await it.text(), /^\{"/);
});

test('opens several files in tabs, to switch between and close', async () => {
  const files = ['a.txt', 'b.txt', 'c.txt'].map((name) => ({ name, mimeType: '', buffer: Buffer.from(name.repeat(9)) }));
  const tabs = page.getByRole('navigation', { name: 'Open files' });
  const names = () => tabs.locator('.file button:first-child').allTextContents();
  const input = page.locator('input[type=file]').first();
  await open();
  await input.setInputFiles(files);
  await heading('a.txt');
  assert.deepEqual(await names(), ['a.txt', 'b.txt', 'c.txt']);
  await tabs.getByRole('button', { name: 'c.txt', exact: true }).click();
  await heading('c.txt');
  assert.equal(await tabs.getByRole('button', { name: 'c.txt', exact: true }).getAttribute('aria-current'), 'page');
  // The place in a file is kept.
  await byte(7).click();
  await it.cursorAt(7);
  await tabs.getByRole('button', { name: 'b.txt', exact: true }).click();
  await heading('b.txt');
  await page.goBack();
  await heading('c.txt');
  await it.cursorAt(7);
  await tabs.getByRole('button', { name: 'Close c.txt' }).click();
  await heading('b.txt');
  assert.deepEqual(await names(), ['a.txt', 'b.txt']);
  // A single file needs no tab, until the start page is shown.
  await tabs.getByRole('button', { name: 'Close a.txt' }).click();
  assert.equal(await tabs.count(), 0);
  await page.getByRole('link', { name: 'unspool inspector, start' }).click();
  await page.getByText('Drop files here').waitFor();
  await tabs.getByRole('button', { name: 'b.txt', exact: true }).click();
  await heading('b.txt');
  // More files than stay in memory are read again.
  await input.setInputFiles(Array.from({ length: 9 }, (_, at) => ({ name: `${at}.cvc`, mimeType: '', buffer: vector('cvc/v1_int8.cvc') })));
  for (const at of [0, 1, 2, 3, 4, 5, 6, 7, 8, 0]) {
    await tabs.getByRole('button', { name: `${at}.cvc`, exact: true }).click();
    await heading(`${at}.cvc`);
    await page.locator('.preview tbody td').first().waitFor();
  }
  // Not a dictionary: a second Zstandard file, a file of another format, or any file beside one
  // that needs none.
  for (const other of ['zstd/page.zst', 'cvc/v1_int8.cvc', 'at1/c0_ssh.orig']) {
    const both = ['zstd/rfc8878/text-1025.zst', other];
    await input.setInputFiles(both.map((name) => ({ name: name.split('/').at(-1), mimeType: '', buffer: vector(name) })));
    await heading('text-1025.zst');
    await tabs.getByRole('button', { name: both[1].split('/').at(-1), exact: true }).last().waitFor();
  }
});

test('reaches the button of every tab with eight long names', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `${at} measurements of the long northern winter.txt`);
  const tabs = page.getByRole('navigation', { name: 'Open files' });
  await open();
  await page.locator('input[type=file]').first().setInputFiles(names.map((name) => ({ name, mimeType: '', buffer: Buffer.from(name) })));
  await heading(names[0]);
  const boxes = await tabs.locator('.file').evaluateAll((files) => files.map((file) => [file, ...file.children].map((element) => element.getBoundingClientRect()).map(({ left, right }) => [left, right])));
  for (const [[left, right], ...buttons] of boxes) for (const [from, to] of buttons) assert.ok(from >= left && to <= right, `${from} to ${to} in ${left} to ${right}`);
  // The current tab is in sight, also on a phone.
  await page.setViewportSize({ width: 400, height: 800 });
  for (const name of [names[7], names[0]]) {
    await tabs.getByRole('button', { name, exact: true }).click();
    await heading(name);
    const [box, tab] = await Promise.all([tabs.boundingBox(), tabs.locator('.current').boundingBox()]);
    assert.ok(tab.x >= box.x - 1 && tab.x + tab.width <= box.x + box.width + 1, `${tab.x} to ${tab.x + tab.width}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  // The last file has no tab.
  for (const name of names.slice(0, 7)) await tabs.getByRole('button', { name: `Close ${name}` }).click();
  await heading(names[7]);
});

test('shows the file that was dropped last', async () => {
  await open();
  await page.evaluate(() => {
    const { arrayBuffer } = Blob.prototype;
    const slow = new Promise((resolve) => (window.hurry = resolve));
    Blob.prototype.arrayBuffer = async function () {
      await slow;
      return arrayBuffer.call(this);
    };
  });
  await it.drop(['a.txt', Buffer.from('a')], ['b.txt', Buffer.from('b')]);
  await it.drop(['c.cvc', vector('cvc/v1_int8.cvc')]);
  await heading('c.cvc');
  await page.evaluate(() => window.hurry());
  await page.getByRole('button', { name: 'b.txt', exact: true }).waitFor();
  await heading('c.cvc');
  assert.equal(await page.getByRole('button', { name: 'c.cvc', exact: true }).getAttribute('aria-current'), 'page');
});

test('opens a dropped link, and copies a link to the place', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: it.server.url });
  await open();
  const url = new URL('#sample=xz', it.server.url).href;
  await page.locator('body').evaluate((body, url) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.setData('text/uri-list', `# a comment\r\n${url}`);
    body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, url);
  // The page itself is still open.
  await page.getByText('This looks like text').waitFor();
  assert.equal(hash().get('url'), url);
  await open('#sample=embeddings&view=structure');
  await heading('embeddings.cvc');
  await byte(100).click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('Link copied').waitFor();
  const copied = new URLSearchParams(new URL(await page.evaluate(() => navigator.clipboard.readText())).hash.slice(1));
  assert.deepEqual([copied.get('sample'), copied.get('at'), copied.get('view')], ['embeddings', '100', 'structure']);
  // A file of the visitor has no link.
  await pick('own.cvc', vector('cvc/v1_int8.cvc'));
  await heading('own.cvc');
  assert.equal(await page.getByRole('button', { name: 'Copy link' }).count(), 0);
});

/** Counts what a page loads, gzipped. */
function counted(page) {
  let loaded = [];
  page.on('response', (response) => loaded.push(response.body().then((body) => [new URL(response.url()).pathname, gzipSync(body).length]).catch(() => ['', 0])));
  /** Returns the names and the sum of the parts of the page that loaded since the last call. */
  return async () => {
    await page.waitForLoadState('networkidle');
    const files = (await Promise.all(loaded)).filter(([path]) => /\/$|\.(js|css|svg)$/.test(path));
    loaded = [];
    // The hash in a name may hold a hyphen.
    return [files.map(([path]) => path.replace(/^.*\/|-[\w-]{8}\.\w+$/g, '')), files.reduce((sum, [, length]) => sum + length, 0)];
  };
}

/**
 * Maximum bytes, gzipped, that a sample of each format loads after the start page until nothing
 * loads without a click. docs/inspector.md has the sizes.
 */
const MOST = { numbers: 43_500, embeddings: 75_000, columns: 76_500, strings: 53_500, at1: 153_000, zstd: 65_500, xz: 66_000, wrapped: 107_500 };

test('loads little before the first file, and then one format', async () => {
  for (const [sample, most] of Object.entries(MOST)) {
    // The service worker loads all files for later.
    const { page, wrong, close } = await watchedPage(it.browser, it.server.url, { serviceWorkers: 'block' });
    const taken = counted(page);
    await page.goto(it.server.url);
    await page.getByText('Drop files here').waitFor();
    const [, first] = await taken();
    assert.ok(first > 10_000 && first <= 53_000, `${first} bytes before the first file`);
    await page.evaluate((sample) => (location.hash = `#sample=${sample}`), sample);
    await page.locator('.statistics .curve, .preview td.text, .query tbody td, [role=tree] [role=treeitem]').first().waitFor();
    const [names, file] = await taken();
    assert.ok(file > 10_000 && file <= most, `${file} bytes for ${sample}: ${names}`);
    assert.deepEqual(wrong, []);
    await close();
  }
});

test('loads the inspector of a Pco file with its structure', async () => {
  const taken = counted(page);
  await open();
  await page.getByText('Drop files here').waitFor();
  await taken();
  await pick('numbers.pco', vector('pco/assets/v1_0_0_conv1.pco'));
  await page.locator('.statistics .curve').waitFor();
  const [names] = await taken();
  assert.deepEqual(names.filter((name) => /-inspect$|views/.test(name)), [], 'the decoder alone');
  await tab('Structure');
  await page.getByRole('tree').waitFor();
  const [views] = await taken();
  assert.deepEqual(new Set(views.filter((name) => /-inspect$|views/.test(name))), new Set(['pco-inspect', 'views']));
});

test('decodes a Pco file once, also a broken one', async () => {
  const whole = vector('pco/m_i32_classic_auto.pco');
  const files = { 'whole.pco': whole, 'cut.pco': whole.subarray(0, whole.length - 300), 'flipped.pco': Buffer.from(whole) };
  files['flipped.pco'][whole.length - 1] = 99;
  // Counts the calls that decode all bytes of a file.
  const count = (sizes) => {
    const Native = WebAssembly.Instance;
    self.decoded = 0;
    WebAssembly.Instance = function (module, imports) {
      const { exports } = new Native(module, imports);
      const { pco_decode: decode } = exports;
      return { exports: { ...exports, pco_decode: (...given) => {
        if (given.some((number) => sizes.includes(number))) self.decoded++;
        return decode(...given);
      } } };
    };
  };
  const sizes = Object.values(files).map(({ length }) => [length, length - 1]).flat();
  for (const [name, buffer] of Object.entries(files)) {
    // A service worker would answer instead of the route.
    const { page, wrong, close } = await watchedPage(it.browser, it.server.url, { serviceWorkers: 'block' });
    await page.route(/\/worker-[^/]*\.js$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${await response.text()}\n(${count})(${JSON.stringify(sizes)});` });
    });
    await page.goto(it.server.url);
    await page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer });
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.getByRole('tablist', { name: 'Views of the file' }).getByRole('tab', { name: 'Data', exact: true }).click();
    await page.locator('.statistics .curve').waitFor();
    assert.deepEqual(await Promise.all(page.workers().map((worker) => worker.evaluate(() => self.decoded))), [1], name);
    assert.deepEqual(wrong, []);
    await close();
  }
});

test('reports a folder or a deleted file, and opens a file that came with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'unspool-'));
  const [inner, gone, good] = ['folder.pco', 'gone.cvc', 'good.cvc'].map((name) => join(folder, name));
  mkdirSync(inner);
  writeFileSync(good, vector('cvc/v1_int8.cvc'));
  const browser = await page.context().newCDPSession(page);
  /** Drops a path, as a file manager does: only then can it be a folder. */
  const drop = async (...files) => {
    for (const type of ['dragEnter', 'dragOver', 'drop']) await browser.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data: { items: [], files, dragOperationsMask: 1 } });
  };
  const refused = page.getByRole('alert').getByText('This is a folder, or it can no longer be read.');
  try {
    await open();
    await page.getByText('Drop files here').waitFor();
    await drop(inner);
    await page.getByRole('heading', { name: 'folder.pco cannot be opened.' }).waitFor();
    await refused.waitFor();
    await drop(inner, good);
    await heading('good.cvc');
    await page.getByRole('navigation', { name: 'Open files' }).getByRole('button', { name: 'folder.pco', exact: true }).first().waitFor();
    // Picked files, one of which is deleted before it is opened.
    const picked = await page.evaluateHandle(() => document.body.appendChild(Object.assign(document.createElement('input'), { type: 'file', multiple: true, hidden: true })));
    for (const [files, shown] of [[[gone], 'gone.cvc'], [[gone, good], 'good.cvc']]) {
      writeFileSync(gone, vector('cvc/v1_int8.cvc'));
      await picked.setInputFiles(files);
      rmSync(gone);
      await picked.evaluate((input) => {
        const dataTransfer = new DataTransfer();
        for (const file of input.files) dataTransfer.items.add(file);
        dispatchEvent(new DragEvent('drop', { dataTransfer }));
      });
      if (shown === 'gone.cvc') await refused.waitFor();
      else await heading(shown);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('opens a dictionary after its file, and names the needed and the given one', async () => {
  const part = (name) => ({ name, mimeType: '', buffer: vector(`zstd/rfc8878/${name}`) });
  const input = page.locator('input[type=file]');
  const alert = page.getByRole('alert');
  const pickDictionary = async (name) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Open its dictionary' }).click()]);
    await chooser.setFiles(part(name));
  };
  await open();
  await input.setInputFiles(part('dict-json-s1.zst'));
  await alert.getByText('The dictionary has the ID 40000.').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Show byte/ }).count(), 0, 'nothing is to be seen there');
  await input.setInputFiles(part('dict-id13'));
  await alert.getByText('The dictionary opened with it has the ID 13.').waitFor();
  await pickDictionary('dict-raw');
  await alert.getByText('The dictionary opened with it has no ID.').waitFor();
  await pickDictionary('dict-id40000');
  await page.locator('.verdict', { hasText: /Intact|No error found/ }).waitFor();
  await heading('dict-json-s1.zst');
  assert.equal(await alert.count(), 0);
  // A dictionary that no file needs opens as a file of unknown format.
  await input.setInputFiles(part('dict-id40000'));
  await heading('dict-id40000');
  await alert.getByText('This looks like a Zstandard dictionary').waitFor();
  // A file without a dictionary ID, with the wrong dictionary and with the right one.
  await input.setInputFiles([part('dict-json-s4.zst'), part('dict-id40000')]);
  await page.getByText('Or it needs another dictionary. The dictionary opened with it has the ID 40000').waitFor();
  await input.setInputFiles(part('dict-id13'));
  await page.locator('.verdict', { hasText: 'No error found' }).waitFor();
  await heading('dict-json-s4.zst');
});

test('finds the dictionary of older flavours, and of a file that starts with a skippable frame', async () => {
  const input = page.locator('input[type=file]');
  const sound = page.locator('.verdict', { hasText: /Intact|No error found/ });
  const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  await open();
  for (const [folder, name, ...before] of [['v07', 'dict-id40000-cdict-json.zst'], ['draft', 'dict-id40000-cdict-json.zst'], ['rfc8878', 'dict-json-s1.zst', skipped]]) {
    const part = (name, before = []) => ({ name, mimeType: '', buffer: Buffer.concat([...before, vector(`zstd/${folder}/${name}`)]) });
    const [file, dictionary] = [part(name, before), part('dict-id40000')];
    await input.setInputFiles(file);
    await page.getByRole('alert').getByText('The dictionary has the ID 40000.').waitFor();
    // The field with the ID is marked, and no byte as wrong.
    await page.getByRole('treeitem', { name: /^dictionary ID.*needs its dictionary/ }).waitFor();
    assert.equal(await page.locator('.byte.broken').count(), 0);
    await input.setInputFiles(dictionary);
    await sound.waitFor();
    await heading(file.name);
    await input.setInputFiles([dictionary, file]);
    await sound.waitFor();
    await heading(file.name);
  }
});

test('suggests a dictionary for a file that does not name one', async () => {
  const part = (name) => ({ name, mimeType: '', buffer: vector(`zstd/rfc8878/${name}`) });
  await open();
  const hint = page.getByText('Or it needs a dictionary that it does not name. Open both files together.');
  for (const [name, dictionary, length, offset] of [['dict-json-s4.zst', 'dict-id13', 348, 10], ['dict-json-s7.zst', 'dict-raw', 459, 81]]) {
    await page.locator('input[type=file]').setInputFiles(part(name));
    await page.locator('.verdict', { hasText: `Broken at byte ${offset}` }).waitFor();
    await hint.waitFor();
    await page.locator('input[type=file]').setInputFiles([part(name), part(dictionary)]);
    await page.locator('.verdict', { hasText: 'No error found' }).waitFor();
    assert.match(await fact('Decodes to').textContent(), new RegExp(`^${length} bytes`));
    assert.equal(await page.locator('.problem').count() + await hint.count(), 0);
  }
  // Other errors do not suggest a dictionary.
  const broken = vector('zstd/rfc8878/text-1025.zst');
  broken[broken.length - 1] ^= 1;
  await page.locator('input[type=file]').setInputFiles({ name: 'broken.zst', mimeType: '', buffer: broken });
  await heading('broken.zst');
  await page.getByRole('alert').getByText(/^Checksum mismatch: .* A checksum cannot say which byte\.$/).waitFor();
  assert.equal(await hint.count(), 0);
});

/** A server of another origin with range requests. The file may be longer than its bytes. */
async function elsewhere(bytes, size, { ranges = true, exposed = 'Content-Range, Content-Length, ETag' } = {}) {
  let [sent, status, more, cut] = [0, 206, {}, 0];
  const other = createServer((request, response) => {
    const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range', 'Access-Control-Expose-Headers': exposed };
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    if (status !== 206) return response.writeHead(status, cors).end();
    const range = ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') : null;
    const [start, end] = range === null ? [0, size] : [Number(range[1]), Math.min(size, Number(range[2]) + 1)];
    const body = Buffer.alloc(end - start);
    if (start < bytes.length) bytes.copy(body, 0, start, end);
    sent += body.length;
    const part = body.subarray(cut);
    const extra = range === null ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${size}` };
    response.writeHead(range === null ? 200 : 206, { ...cors, ...extra, 'Content-Type': 'application/octet-stream', 'Content-Length': part.length, ...more });
    response.end(part);
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${other.address().port}/vectors.cvc`, sent: () => sent, answer: (now) => (status = now), add: (headers, less = 0) => ([more, cut] = [headers, less]), close: () => other.close() };
}

for (const [what, size, ranges, most] of [
  ['small, with ranges', undefined, true, 100_000],
  ['small, without ranges', undefined, false, 200_000],
  ['large, fetched on demand', 300e6, true, 1_000_000],
]) {
  test(`opens a remote file: ${what}`, async () => {
    const bytes = vector('cvc/med_fp16.cvc');
    const other = await elsewhere(bytes, size ?? bytes.length, { ranges });
    try {
      await open();
      await page.getByLabel('Or open a URL').fill(other.url);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await heading('vectors.cvc');
      await page.getByText('CVC embedding vectors').waitFor();
      const expected = floats('cvc/med_fp16.f32.bin');
      const shown = await page.locator('.preview tbody tr').first().locator('td').first().textContent();
      assert.equal(Number(shown), Number(expected[0].toPrecision(5)));
      await tab('Structure');
      await byte(12).click();
      await page.waitForFunction(() => /at=12/.test(location.hash));
      assert.equal(hash().get('url'), other.url);
      assert.ok(other.sent() < most, `${other.sent()} bytes were sent`);
      if (size !== undefined) {
        // Its four chunks are listed, and all values are read on request.
        await page.getByRole('tree').press('End');
        await page.getByRole('treeitem', { name: /^chunk #3/ }).waitFor();
        await tab('Data');
        await page.getByRole('button', { name: 'Compute statistics (all 25,600 values)' }).press('Enter');
        await summed('Mean').waitFor();
        assert.ok(await page.evaluate(() => document.activeElement.closest('.preview') !== null), 'the focus stays beside it');
      }
      await tab('Data');
      await summed('Mean').waitFor();
    } finally {
      other.close();
    }
    it.forgive((what) => what.startsWith(`request: ${other.url}`) || what.startsWith(`failed: ${other.url}`));
  });
}

test('lists few chunks of a remote file at once, and many on request', async () => {
  const chunks = 40;
  const head = JSON.stringify({ num_vectors: chunks * 2 ** 17, dimension: 8, compression: 'fp16', chunks: Array(chunks).fill({ rows: 2 ** 17 }) });
  const bytes = Buffer.alloc(8 + head.length + chunks * (4 + 2 ** 21));
  bytes.write('CVCF');
  bytes.writeUInt32LE(head.length, 4);
  bytes.write(head, 8);
  for (let at = 8 + head.length; at < bytes.length; at += 4 + 2 ** 21) bytes.writeUInt32LE(2 ** 21, at);
  const other = await elsewhere(bytes, bytes.length);
  // Chromium adds the tag of what it has cached to later ranges.
  const version = (tag) => other.add({ ETag: `"${tag}"`, 'Cache-Control': 'no-store' });
  version(1);
  try {
    await open(`#url=${encodeURIComponent(other.url)}`);
    await heading('vectors.cvc');
    // The worker reads the version that the page has opened.
    const list = page.getByRole('button', { name: 'List 40 chunks, one request each' });
    await list.waitFor();
    version(2);
    await list.click();
    await page.getByText('Listing failed: the file has changed since it was opened.').waitFor();
    version(1);
    const before = other.sent();
    await list.click();
    await tab('Structure');
    await page.getByRole('treeitem', { name: /^chunk #0/ }).waitFor();
    await page.getByRole('tree').press('End');
    await page.getByRole('treeitem', { name: /^chunk #39/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^List/ }).count(), 0);
    // The values arrive before the server stops.
    await tab('Data');
    await page.getByText('Row 0, all 8 values').waitFor();
    await page.locator('.preview tbody td').first().waitFor();
    assert.ok(other.sent() - before < bytes.length / 5, `${other.sent() - before} bytes were sent`);
    // The address lists them again.
    await page.waitForFunction(() => ['list', 'node'].every((name) => new URLSearchParams(location.hash.slice(1)).has(name)));
    await page.reload();
    await tab('Structure');
    await page.getByRole('treeitem', { name: /^chunk #39/ }).waitFor();
    await tab('Data');
    await page.getByText('Row 0, all 8 values').waitFor();
    await page.locator('.preview tbody td').first().waitFor();
  } finally {
    other.close();
  }
  it.forgive((what) => what.startsWith(`request: ${other.url}`) || what.startsWith(`failed: ${other.url}`));
});

test('retries bytes of a server that failed, and reports why they are missing', async () => {
  const bytes = zeros(2 ** 20);
  const other = await elsewhere(bytes, 300e6);
  try {
    await open(`#url=${encodeURIComponent(other.url)}`);
    await heading('vectors.cvc');
    await tab('Structure').catch(() => undefined);
    await byte(0).filter({ hasText: '70' }).waitFor();
    other.answer(503);
    const go = async (to) => {
      await page.getByLabel('Go to byte').fill(String(to));
      await page.getByLabel('Go to byte').press('Enter');
    };
    await go(200_000_000);
    const refused = page.getByRole('alert').filter({ hasText: 'Bytes in sight cannot be read: the server returned 503 Service Unavailable.' });
    await refused.waitFor();
    // The visitor presses Retry, or scrolls away and back.
    other.answer(206);
    await refused.getByRole('button', { name: 'Retry' }).click();
    await byte(200_000_000).filter({ hasText: '00' }).waitFor();
    await refused.waitFor({ state: 'detached' });
    other.answer(503);
    await go(100_000_000);
    await refused.waitFor();
    await go(0);
    await byte(0).filter({ hasText: '70' }).waitFor();
    await refused.waitFor({ state: 'detached' });
    other.answer(206);
    await go(100_000_000);
    await byte(100_000_000).filter({ hasText: '00' }).waitFor();
    // The bytes of a field are saved, or the page says why not.
    const save = page.getByRole('button', { name: 'Save the bytes of this field' });
    await page.getByRole('tree').press('End');
    await save.waitFor();
    other.answer(503);
    await save.click();
    await page.getByRole('alert').getByText('The bytes cannot be read: the server returned 503 Service Unavailable.').waitFor();
    other.answer(206);
    const [last] = await Promise.all([page.waitForEvent('download'), save.click()]);
    assert.ok(readFileSync(await last.path()).length > 0);
    assert.equal(await page.getByText('The bytes cannot be read').count(), 0);
    // The first bytes were read when the file was opened.
    await page.getByRole('tree').press('Home');
    await page.getByRole('treeitem', { name: /^magic/ }).click();
    other.answer(503);
    const [first] = await Promise.all([page.waitForEvent('download'), save.click()]);
    assert.equal(readFileSync(await first.path()).toString(), 'pco!');
  } finally {
    other.close();
  }
  it.forgive((what) => what.includes(other.url) || what.includes('503'));
});

test('refuses bytes of another version of a remote file', async () => {
  const other = await elsewhere(zeros(2 ** 20), 300e6);
  other.add({ ETag: '"1"' });
  try {
    await open(`#url=${encodeURIComponent(other.url)}`);
    await heading('vectors.cvc');
    await tab('Structure').catch(() => undefined);
    let place = 10_000_000;
    const go = async () => {
      place += 10_000_000;
      await page.getByLabel('Go to byte').fill(String(place));
      await page.getByLabel('Go to byte').press('Enter');
    };
    const whole = 'Content-Range';
    for (const [headers, cut, why] of [
      [{ ETag: '"2"' }, 0, 'the file has changed since it was opened'],
      [{ ETag: '"1"', [whole]: 'bytes 0-9/300000000' }, 0, 'the server sent another range than requested'],
      [{ ETag: '"1"' }, 1000, 'the server sent a body that does not match its Content-Range'],
    ]) {
      other.add(headers, cut);
      await go();
      const refused = page.getByRole('alert').filter({ hasText: `Bytes in sight cannot be read: ${why}.` });
      await refused.waitFor();
      // A weak tag names the same version.
      other.add({ ETag: 'W/"1"' });
      await refused.getByRole('button', { name: 'Retry' }).click();
      await byte(place).filter({ hasText: '00' }).waitFor();
    }
  } finally {
    other.close();
  }
  it.forgive((what) => what.includes(other.url));
});

test('explains that a server hides the size of a large file', async () => {
  const other = await elsewhere(Buffer.alloc(0), 70e6, { exposed: 'ETag' });
  try {
    await open(`#url=${encodeURIComponent(other.url)}`);
    await page.getByRole('alert').getByText('The file has 70.0 MB. Its server does not expose the header Content-Range (CORS)').waitFor();
  } finally {
    other.close();
  }
  it.forgive((what) => what.includes(other.url));
});

test('fetches a whole remote file without an outline on request only', async () => {
  const file = zeros(2 ** 23);
  const other = await elsewhere(file, file.length);
  try {
    await open(`#url=${encodeURIComponent(other.url)}`);
    await page.getByRole('note').getByText('Only its first 1.05 MB were read').waitFor();
    // The first numbers are shown at once, and called that.
    await tab('Data');
    assert.match(await fact('First numbers').textContent(), /^13\d,\d{3}$/);
    await page.locator('.preview tbody td', { hasText: /^0$/ }).first().waitFor();
    await page.getByText(/^Distribution of 13\d,\d{3} values/).waitFor();
    assert.equal(await page.getByText('Save as').count(), 0);
    assert.ok(other.sent() < 3 * 2 ** 20, `${other.sent()} bytes were sent`);
    await page.getByRole('button', { name: 'Fetch all 67.1 MB' }).click();
    await page.locator('.verdict').waitFor();
    await tab('Data');
    await page.getByText('Distribution of 8,388,608 values').waitFor();
    assert.equal(await page.getByRole('note').count(), 0);
    assert.ok(hash().has('all'), 'the address fetches all of it again');
  } finally {
    other.close();
  }
  it.forgive((what) => what.startsWith(`request: ${other.url}`) || what.startsWith(`failed: ${other.url}`));
});

test('shows the start of a large remote file, and saves all of it', async () => {
  const lines = Buffer.from('a line of text\n'.repeat(5_000_000));
  const file = gzipSync(lines, { level: 0 });
  const other = await elsewhere(file, file.length);
  try {
    await open(`#url=${encodeURIComponent(other.url)}`);
    await heading('vectors.cvc');
    await tab('Data');
    await page.getByText(/The first 1\.0\d MB of text/).waitFor();
    await page.getByRole('note').getByText('Only its first 1.05 MB were read').waitFor();
    assert.ok(other.sent() < 3 * 2 ** 20, `${other.sent()} bytes were sent`);
    await page.evaluate(() => delete Window.prototype.showSaveFilePicker && delete globalThis.showSaveFilePicker);
    const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), page.getByRole('button', { name: 'Raw bytes' }).click()]);
    assert.ok(readFileSync(await download.path()).equals(lines));
  } finally {
    other.close();
  }
  it.forgive((what) => what.startsWith(`request: ${other.url}`) || what.startsWith(`failed: ${other.url}`));
});

test('can cancel a slow server', async () => {
  // It never answers.
  const other = createServer(() => undefined);
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    await open(`#url=${encodeURIComponent(`http://127.0.0.1:${other.address().port}/slow.cvc`)}`);
    await page.getByRole('status').getByText('Fetching slow.cvc').waitFor();
    await page.getByRole('progressbar', { name: 'Fetching' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Drop files here').waitFor();
    assert.equal(new URL(page.url()).hash, '');
  } finally {
    other.closeAllConnections();
    other.close();
  }
  it.forgive((what) => what.includes('/slow.cvc'));
});

test('explains an unreachable address', async () => {
  await open(`#url=${encodeURIComponent('http://127.0.0.1:9/nothing.cvc')}`);
  await page.getByText('The server cannot be reached').waitFor();
  it.forgive(() => true);
});

test('reports how far a download came', async () => {
  const bytes = vector('cvc/v1_int8.cvc');
  const other = createServer((request, response) => {
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range', 'Content-Length': bytes.length });
    if (request.method === 'OPTIONS') return response.end();
    response.write(bytes.subarray(0, 100));
    setTimeout(() => response.destroy(), 200);
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${other.address().port}`;
  try {
    await open(`#url=${encodeURIComponent(`${url}/cut.cvc`)}`);
    await page.getByRole('alert').getByText(`The download stopped after 100 bytes of ${bytes.length.toLocaleString('en')} bytes.`).waitFor();
  } finally {
    other.closeAllConnections();
    other.close();
  }
  it.forgive((what) => what.includes(url) || what.includes('ERR_'));
  // An empty address is that of the start page.
  await open('#url=');
  await page.getByText('Drop files here').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
});

test('offers a retry, another address and another file after a failure', async () => {
  const bytes = vector('cvc/v1_int8.cvc');
  const answers = { '/late.cvc': undefined, '/100%.cvc': bytes };
  const other = createServer((request, response) => {
    const body = answers[request.url];
    response.writeHead(body === undefined ? 404 : 200, { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range' }).end(request.method === 'OPTIONS' ? undefined : body);
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${other.address().port}`;
  try {
    await open(`#url=${encodeURIComponent(`${url}/late.cvc`)}`);
    await page.getByRole('alert').getByText('The server returned 404').waitFor();
    const address = page.getByLabel('Or open a URL');
    assert.equal(await address.inputValue(), `${url}/late.cvc`, 'to be mended');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('alert').getByText('The server returned 404').waitFor();
    answers['/late.cvc'] = bytes;
    // Entering the same address again is a retry, too.
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await heading('late.cvc');
    await open('#sample=nope');
    await page.getByRole('alert').getByText('No sample has this name').waitFor();
    // A name that is not valid percent-encoding is used as it is.
    await address.fill(`${url}/100%.cvc`);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await heading('100%.cvc');
    await open('#url=http%3A%2F%2F');
    await page.getByRole('alert').getByText('This is not a valid URL.').waitFor();
    await pick('own.cvc', bytes);
    await heading('own.cvc');
    await page.locator('.verdict', { hasText: 'Intact' }).waitFor();
  } finally {
    other.close();
  }
  it.forgive((what) => what.includes(url) || what.includes('404'));
});

test('does not open the body of an error response', async () => {
  /** Status of the answer to a range, and to the whole file. */
  const answers = {
    '/empty': [416, 200],
    '/refused': [416, 500],
    '/gone': [206, 500],
    '/mended': [206, 200],
  };
  const bytes = vector('cvc/v1_int8.cvc');
  const other = createServer((request, response) => {
    const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range', 'Access-Control-Expose-Headers': 'Content-Range' };
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    const [part, all] = answers[request.url];
    const status = request.headers.range === undefined ? all : part;
    const range = { 206: `bytes 0-0/${bytes.length}`, 416: request.url === '/empty' ? 'bytes */0' : `bytes */${bytes.length}` }[status];
    response.writeHead(status, { ...cors, ...(range === undefined ? {} : { 'Content-Range': range }) });
    response.end(status === 200 ? (request.url === '/empty' ? '' : bytes) : status === 206 ? bytes.subarray(0, 1) : '<h1>Something went wrong</h1>');
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${other.address().port}`;
  try {
    await open(`#url=${encodeURIComponent(`${url}/empty`)}`);
    await page.getByText('The file is empty.').waitFor();
    await open(`#url=${encodeURIComponent(`${url}/refused`)}`);
    await page.getByRole('alert').getByText('The server returned 500').waitFor();
    await open(`#url=${encodeURIComponent(`${url}/gone`)}`);
    await page.getByRole('alert').getByText('The server returned 500').waitFor();
    answers['/gone'] = answers['/mended'];
    await page.getByRole('button', { name: 'Retry' }).click();
    await heading('gone');
    await page.locator('.verdict', { hasText: 'Intact' }).waitFor();
  } finally {
    other.close();
  }
  it.forgive((what) => what.includes(url) || /416|500/.test(what));
});

test('works offline after the first visit, including samples', async () => {
  await open();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => navigator.serviceWorker.controller ?? new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve))).then(() => undefined));
  await page.context().setOffline(true);
  await page.reload();
  await page.getByRole('link', { name: /^Embeddings/ }).click();
  await heading('embeddings.cvc');
  await page.locator('.preview tbody td').first().waitFor();
  await page.context().setOffline(false);
  it.forgive((what) => /ERR_INTERNET_DISCONNECTED|^failed/.test(what));
});
