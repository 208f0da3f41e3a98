// What the inspector can do with an open file, and where a file can come from.
import assert from 'node:assert/strict';
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { crc32, gzipSync } from 'node:zlib';
import * as unspool from 'unspool';
import { inspector } from './harness.mjs';

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const vector = (name) => readFileSync(new URL(`../../tests/vectors/${name}`, import.meta.url));
const floats = (name) => new Float32Array(new Uint8Array(vector(name)).buffer);

const it = inspector();
let folder;
let page;
before(() => (folder = mkdtempSync(join(tmpdir(), 'unspool-'))));
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => ({ page } = it));

const { open, fact, byte } = it;
const heading = (name) => page.getByRole('heading', { name, level: 1 }).waitFor();
const summed = (term) => page.locator('.statistics dl div', { has: page.locator('dt', { hasText: new RegExp(`^${term}$`) }) }).locator('dd');
const cursorAt = (at) => page.locator(`#byte-${at}.cursor`).waitFor();
const pick = (name, buffer) => page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(buffer) });
const classes = (locator) => locator.getAttribute('class');
const hash = () => new URLSearchParams(new URL(page.url()).hash.slice(1));

test('nothing that axe finds serious, in light and dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const [address, shown] of [['', 'Drop a file here'], ['#sample=embeddings&at=9', 'Statistics'], ['#sample=strings&at=100', 'Values'], ['#sample=bins&at=60', 'Inside the codec'], ['#sample=zstd', 'Sequences of a block'], ['#sample=broken', 'Show byte'], ['#sample=at1&at=4', 'Zone maps']]) {
      await page.goto('about:blank');
      await open(address);
      await page.getByText(shown).or(page.getByRole('region', { name: shown })).first().waitFor();
      if (address !== '') await byte(0).or(page.locator('.byte').first()).first().waitFor();
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(
        serious.map(({ id, nodes }) => `${colorScheme} ${address}: ${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`),
        [],
      );
    }
  }
  it.forgive((what) => what === 'request: about:blank');
});

test('every sample says what it is, by its content and not by its name', async () => {
  await open();
  const ids = await page.locator('.samples a').evaluateAll((links) => links.map((link) => [new URLSearchParams(new URL(link.href).hash.slice(1)).get('sample'), link.querySelector('strong').textContent]));
  assert.equal(ids.length, 12);
  for (const [id] of ids) {
    await open(`#sample=${id}`);
    await page.locator(`nav [href="#sample=${id}"][aria-current]`).waitFor();
    await page.locator('.verdict', { hasText: id === 'broken' ? 'Broken at byte 213' : /^(Intact|No error found)$/ }).waitFor();
    await page.getByRole('region', { name: 'Decoded values' }).waitFor();
  }
  for (const [file, name] of [
    ['cvc/v1_int8.cvc', 'CVC embedding vectors'], ['pco/m_i32_classic_auto.pco', 'Pco numbers'], ['onpair/cpp/urls_b12.onp', 'OnPair strings'],
    ['zstd/rfc8878/text-1025.zst', 'Zstandard'], ['xz/blocks.xz', 'xz'], ['at1/c8_events.at1', 'AT-1 table'], ['gzip/v1_int8.cvc.gz', 'CVC embedding vectors'],
  ]) {
    await pick(`photo of ${name}.jpg`, vector(file));
    await heading(`photo of ${name}.jpg`);
    await page.getByRole('heading', { name, level: 2 }).waitFor();
  }
});

test('goes to an offset, and finds text and bytes, around the end and back', async () => {
  const file = vector('onpair/cpp/urls_b12.onp');
  await open('#sample=strings');
  await heading('urls.onp');
  await page.getByLabel('Go to byte').fill('0x1000');
  await page.getByLabel('Go to byte').press('Enter');
  await cursorAt(4096);
  await page.getByLabel('Go to byte').fill('99999999');
  await page.getByLabel('Go to byte').press('Enter');
  await page.getByText('An offset is a number below 53,731').waitFor();
  // A key leads to the field from anywhere.
  await page.getByRole('grid', { name: 'Bytes' }).focus();
  await page.keyboard.press('/');
  await page.keyboard.type('ONPAIR01');
  await page.keyboard.press('Enter');
  await cursorAt(0);
  await page.getByLabel('What to find').selectOption('bytes');
  const needle = file.subarray(20_000, 20_006);
  await page.getByLabel('Find in the file').fill(needle.toString('hex'));
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await cursorAt(file.indexOf(needle, 1));
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await cursorAt(file.lastIndexOf(needle));
  await page.getByLabel('Find in the file').fill('00112233445566778899');
  await page.getByLabel('Find in the file').press('Enter');
  await page.getByText('It does not occur.').waitFor();
  await page.getByLabel('Find in the file').fill('xyz');
  await page.getByLabel('Find in the file').press('Enter');
  await page.getByText('Bytes are pairs of hexadecimal digits').waitFor();
});

test('finds fields by what they are called and hold, around the end and back', async () => {
  await open('#sample=embeddings');
  await heading('embeddings.cvc');
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  await page.getByLabel('What to find').selectOption('field');
  const field = page.getByLabel('Find in the file');
  await field.fill('CRC-32');
  await field.press('Enter');
  await selected.filter({ hasText: 'crc-320x3d2a91ab' }).waitFor();
  await field.press('Enter');
  await selected.filter({ hasText: 'crc-320xa1f930d6' }).waitFor();
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await selected.filter({ hasText: 'crc-320x3d2a91ab' }).waitFor();
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await page.locator('.place', { hasText: /^chunk #3crc-32/ }).waitFor();
  await field.fill('num_vectors 400');
  await field.press('Enter');
  await selected.filter({ hasText: 'num_vectors400' }).waitFor();
  await field.fill('no such thing');
  await field.press('Enter');
  await page.getByText('No field is called so or holds that.').waitFor();
});

test('what is pasted opens: a file, or the address of one, but not what goes into a field', async () => {
  const paste = (target, text, base64) => page.locator(target).evaluate((element, [text, base64]) => {
    const clipboardData = new DataTransfer();
    if (text !== undefined) clipboardData.setData('text/plain', text);
    if (base64 !== undefined) clipboardData.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], 'pasted.cvc'));
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, [text, base64]);
  await open();
  await page.getByText('Drop a file here').waitFor();
  await paste('body', undefined, vector('cvc/v1_int8.cvc').toString('base64'));
  await heading('pasted.cvc');
  const url = new URL('#sample=xz', it.server.url).href;
  await paste('[aria-label="Find in the file"]', url);
  await paste('body', 'no address');
  await heading('pasted.cvc');
  await paste('body', ` ${url}\n`);
  // What is there is the page itself.
  await page.getByText('This looks like text').waitFor();
  assert.equal(hash().get('url'), url);
});

test('reads the bytes at the cursor as numbers of every type', async () => {
  const bytes = vector('cvc/med_fp16.cvc');
  await open('#sample=embeddings&at=9');
  await page.getByText('Byte 9 read as').waitFor();
  const row = (name) => page.locator('.readings tr', { has: page.getByRole('rowheader', { name }) }).locator('td').allTextContents();
  const [little, big] = [await row('little-endian'), await row('big-endian')];
  assert.deepEqual(little.slice(0, 6), [
    bytes.readUInt8(9), bytes.readInt8(9), bytes.readUInt16LE(9), bytes.readInt16LE(9), bytes.readUInt32LE(9), bytes.readInt32LE(9),
  ].map(String));
  assert.deepEqual(little.slice(6, 8), [bytes.readBigUInt64LE(9), bytes.readBigInt64LE(9)].map(String));
  assert.deepEqual(big.slice(2, 8), [
    bytes.readUInt16BE(9), bytes.readInt16BE(9), bytes.readUInt32BE(9), bytes.readInt32BE(9), bytes.readBigUInt64BE(9), bytes.readBigInt64BE(9),
  ].map(String));
  assert.equal(Number(big[10]), Number(bytes.readDoubleBE(9).toExponential(3)));
  // At the end there is not enough for the wide ones.
  await page.getByLabel('Go to byte').fill(String(bytes.length - 1));
  await page.getByLabel('Go to byte').press('Enter');
  await page.getByText(`Byte ${(bytes.length - 1).toLocaleString('en')} read as`).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.readings td')[2]?.textContent === '–');
});

test('fields that share a byte are told apart by their bits, both ways', async () => {
  await open('#sample=bins&at=16');
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  const bit = (number) => page.getByRole('group', { name: 'Bits' }).getByRole('button', { name: new RegExp(`^Bit ${number % 8} of byte ${number >> 3} is`) });
  // The upper half of the byte is the logarithm 7, the lower one two fields.
  await page.getByText('bits 4 to 7 of byte 16').waitFor();
  assert.match(await selected.textContent(), /^log of table size74 bits$/);
  assert.equal(await page.locator('.bit').evaluateAll((bits) => bits.map(({ textContent }) => textContent).join('')), (0x71).toString(2).padStart(8, '0'));
  for (let at = 4; at < 8; at++) assert.match(await classes(bit(8 * 16 + at)), /part-table selected/);
  await bit(8 * 16 + 3).click();
  assert.match(await selected.textContent(), /^secondary too01 bit$/);
  await bit(8 * 16).hover();
  await page.locator('.node.hovered', { hasText: /^order1/ }).waitFor();
  await bit(8 * 16).click();
  await page.getByText('bits 0 to 2 of byte 16').waitFor();
  // A field over the borders of bytes, and one that ends with them.
  await page.getByRole('treeitem', { name: /^n_hint/ }).click();
  await page.getByText('bit 6 of byte 6 to bit 0 of byte 8').waitFor();
  const marked = await page.locator('.bit').evaluateAll((bits) => bits.map((bit) => Number(bit.matches('.selected'))).join(''));
  assert.equal(marked, '110000001111111100000001');
  await page.getByRole('treeitem', { name: /^magic/ }).click();
  await page.getByText('bytes 0 to 3').waitFor();
  assert.equal(await page.locator('.bit').count(), 0);
});

test('the map shows the whole file, zooms, and follows keys and clicks', async () => {
  await open('#sample=embeddings');
  const map = page.getByRole('slider', { name: 'Place in the file' });
  await map.waitFor();
  await page.getByText('all 51.4 KB').waitFor();
  // Most of it is data: its colour fills the middle.
  const colours = await map.evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, canvas.height / 2, canvas.width, 1);
    return new Set(Array.from({ length: canvas.width }, (_, x) => data.slice(4 * x, 4 * x + 3).join())).size;
  });
  assert.ok(colours >= 2, `${colours} colours`);
  const box = await map.boundingBox();
  await map.click({ position: { x: box.width / 2, y: 10 } });
  const middle = Number(await map.getAttribute('aria-valuenow'));
  assert.ok(Math.abs(middle - 51_436 / 2) < 200, `${middle}`);
  await cursorAt(middle);
  await map.press('+');
  await map.press('+');
  await page.locator('.map .facts', { hasText: /^bytes [\d,]+ to [\d,]+, 12.9 KB$/ }).waitFor();
  await map.press('ArrowRight');
  assert.ok(Number(await map.getAttribute('aria-valuenow')) > middle);
  await map.press('End');
  assert.equal(await map.getAttribute('aria-valuenow'), await map.getAttribute('aria-valuemax'));
  await page.getByRole('button', { name: 'Whole file' }).click();
  await page.getByText('all 51.4 KB').waitFor();
});

test('a table says how many fields and bytes each part has, and they add up to the file', async () => {
  await open('#sample=embeddings');
  await page.getByText('As a table').click();
  const cells = await page.locator('.parts tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const sum = cells.reduce((sum, [, , bytes]) => sum + Number(bytes.replaceAll(',', '')), 0);
  assert.equal(sum, vector('cvc/med_fp16.cvc').length);
  assert.ok(cells.some(([name, fields]) => name === 'checksum' && fields === '4'));
});

test('each chunk, block, stream and column says what it takes and decodes to', async () => {
  const lines = () => page.locator('.shares tbody tr').evaluateAll((rows) => rows.map(({ children }) => [...children].map(({ textContent }) => textContent)));
  const shown = async (what) => {
    await page.getByText('Piece by piece').click();
    await page.locator('.shares tbody td').first().waitFor();
    assert.deepEqual((await lines())[0], what);
  };
  await open('#sample=xz');
  await heading('page.xz');
  await shown(['block 0', '616 bytes', '35 %', '1,500 bytes', '2.44×']);
  await page.getByRole('button', { name: /^Show block 2/ }).click();
  assert.match(await page.locator('[aria-selected=true][role=treeitem]').textContent(), /^block#2/);
  await open('#sample=at1');
  await heading('events.at1');
  await shown(['stream meta', '75 bytes', '0.5 %', '11 bytes', '0.15×']);
  await open('#sample=columns');
  await heading('columns.cvc');
  await shown(['int32_s', '44 bytes', '1.7 %', '44 bytes', '1.00×']);
  // The chunks of a single column: a hundred rows of 64 values, which decode from two bytes to four.
  await open('#sample=embeddings');
  await heading('embeddings.cvc');
  await shown(['chunk 0', '12.8 KB', '25 %', '25.6 KB', '2.00×']);
  assert.equal((await lines()).length, 4);
  // Two chunks of four zeros.
  const chunk = Buffer.concat([chunkHead(4), Buffer.alloc(32)]);
  await pick('two.pco', Buffer.concat([PCO_HEAD, chunk, chunk, Buffer.from([0])]));
  await heading('two.pco');
  await shown(['chunk 0 of u64', '49 bytes', '46 %', '32 bytes', '0.65×']);
});

test('statistics are those of all values', async () => {
  const values = floats('cvc/med_fp16.f32.bin');
  const norms = Array.from({ length: 400 }, (_, row) => Math.hypot(...values.subarray(row * 64, row * 64 + 64)));
  await open('#sample=embeddings');
  await summed('Mean').waitFor();
  const near = async (term, expected) => assert.ok(Math.abs(Number(await summed(term).textContent()) - expected) <= Math.abs(expected) * 1e-3 + 1e-9, term);
  assert.equal(await summed('Values').textContent(), '25,600');
  await near('Min', Math.min(...values));
  await near('Max', Math.max(...values));
  await near('Mean', values.reduce((sum, value) => sum + value, 0) / values.length);
  const shown = await page.locator('figcaption', { hasText: 'Lengths of the vectors' }).textContent();
  const [low, high] = shown.match(/[\d.]+/g).map(Number);
  assert.ok(Math.abs(low - Math.min(...norms)) < 1e-3 * low && Math.abs(high - Math.max(...norms)) < 1e-3 * high, shown);
  // Every bar says what it counts, and together they count all values.
  const counted = (await page.locator('.statistics svg title').allTextContents()).reduce((sum, title) => sum + Number(title.split(': ')[1].replaceAll(',', '')), 0);
  assert.equal(counted, 25_600);
  await page.getByLabel('by size, in powers of two').check();
  await page.getByRole('img', { name: /^Histogram: \d+ bins from 2\^/ }).waitFor();
});

test('values are saved as CSV, JSON, NPY and raw bytes, and as TypeScript', async () => {
  const values = floats('cvc/v1_int8.f32.bin');
  await open();
  await pick('mine.cvc', vector('cvc/v1_int8.cvc'));
  await heading('mine.cvc');
  const save = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path())];
  };
  const [rawName, raw] = await save('Raw bytes');
  assert.equal(rawName, 'mine.bin');
  assert.deepEqual(new Float32Array(new Uint8Array(raw).buffer), values);
  const [npyName, npy] = await save('NPY');
  assert.equal(npyName, 'mine.npy');
  const header = npy.subarray(10, 10 + npy.readUInt16LE(8)).toString();
  assert.match(header, /^\{'descr': '<f4', 'fortran_order': False, 'shape': \(100, 16\), \} *\n$/);
  assert.equal((10 + header.length) % 64, 0);
  assert.deepEqual(npy.subarray(10 + header.length), raw);
  const [, json] = await save('JSON');
  assert.deepEqual(Float32Array.from(JSON.parse(json).flat()), values);
  const [, csv] = await save('CSV');
  const lines = csv.toString().trimEnd().split('\n');
  assert.equal(lines.length, 101);
  assert.deepEqual(Float32Array.from(lines[100].split(',').slice(1), Number), values.subarray(99 * 16));
  await page.getByText('The same in TypeScript').click();
  assert.match(await page.getByRole('region', { name: 'TypeScript' }).textContent(), /import \{ decodeCvc \} from 'unspool';[^]*decodeCvc\(bytes\);$/);
});

test('the TypeScript that is copied gives what the page shows', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: it.server.url });
  /** Runs it, with the file where it looks for one, and gives what it made. */
  const run = async (code, file, name) => {
    // As JavaScript, in which an import is asked for and nothing gives a column back.
    const body = code.replace(/^import (.*) from 'unspool';$/m, 'const $1 = unspool;').replace('using ', 'const ');
    const fetched = async (asked) => new Response(file.name === asked ? file.bytes : undefined);
    return Object.getPrototypeOf(async () => undefined).constructor('unspool', 'fetch', `${body}\nreturn ${name};`)(unspool, fetched);
  };
  const copied = async () => {
    await page.getByRole('button', { name: 'Copy TypeScript' }).click();
    await page.getByText('Copied.').waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  for (const [id, file, name, expected] of [
    ['embeddings', 'cvc/med_fp16.cvc', 'data', floats('cvc/med_fp16.f32.bin')],
    ['wrapped', 'gzip/v1_int8.cvc.gz', 'data', floats('cvc/v1_int8.f32.bin')],
    ['numbers', 'pco/assets/v1_0_0_conv1.pco', 'numbers', new Int32Array(new Uint8Array(vector('pco/assets/v1_0_0_conv1.bin')).buffer)],
    ['strings', 'onpair/cpp/urls_b12.onp', 'texts.length', 3000],
    ['zstd', 'zstd/rfc8878/text-1025.zst', 'content', unspool.decodeZstd(vector('zstd/rfc8878/text-1025.zst'))],
    ['xz', 'xz/blocks.xz', 'content', unspool.decodeXz(vector('xz/blocks.xz'))],
    ['at1', 'at1/c8_events.at1', 'rows[0]', ['"click"', '1700000000', '5.183']],
  ]) {
    await open(`#sample=${id}`);
    await page.locator(`nav [href="#sample=${id}"][aria-current]`).waitFor();
    assert.deepEqual(await run(await copied(), { name: await page.getByRole('heading', { level: 1 }).textContent(), bytes: vector(file) }, name), expected, id);
  }
});

test('strings are saved, quoted where they must be', async () => {
  await open('#sample=strings');
  await page.getByRole('button', { name: 'CSV' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV', exact: true }).click()]);
  const lines = readFileSync(await download.path(), 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, 3001);
  assert.match(lines[1], /^0,"http.*"$/);
});

test('an address restores the byte, the field and the column', async () => {
  await open('#sample=columns&column=2&at=100');
  await cursorAt(100);
  const third = page.getByRole('tab').nth(2);
  await third.waitFor();
  assert.equal(await third.getAttribute('aria-selected'), 'true');
  await page.getByRole('tab').nth(4).click();
  await page.getByRole('treeitem', { name: /^magic/ }).click();
  await page.waitForFunction(() => /column=4/.test(location.hash) && /node=\d/.test(location.hash) && !/at=/.test(location.hash));
  assert.equal(hash().get('sample'), 'columns');
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('[role=treeitem][aria-selected=true]', { hasText: /^magic/ }).waitFor();
  assert.equal(await page.getByRole('tab').nth(4).getAttribute('aria-selected'), 'true');
  it.forgive((what) => what === 'request: about:blank');
});

test('what is wrapped in gzip is unwrapped, and what is not known is shown as bytes', async () => {
  await open('#sample=wrapped');
  await page.getByText('CVC embedding vectors').waitFor();
  assert.equal(await fact('Wrapped in').textContent(), 'gzip of 1,868 bytes');
  assert.equal(await fact('Size').textContent(), `${vector('cvc/v1_int8.cvc').length.toLocaleString('en')} bytes`);
  await page.getByRole('treeitem', { name: /^magic CVCF/ }).waitFor();
  await pick('strings.onp.gz', gzipSync(vector('onpair/cpp/urls_b12.onp')));
  await page.getByText('OnPair strings').waitFor();
  await pick('text.gz', gzipSync('some text\nin two lines\n'));
  await heading('text.gz');
  assert.equal(await page.getByRole('region', { name: 'Decoded bytes' }).textContent(), 'some text\nin two lines\n');
  await pick('binary.gz', gzipSync(Uint8Array.of(0, 255, 254, 65)));
  await heading('binary.gz');
  await page.getByText('00000000  00 ff fe 41').waitFor();
  const broken = gzipSync('some text');
  broken[broken.length - 5] ^= 1;
  await pick('broken.gz', broken);
  await heading('broken.gz');
  await page.getByText('The file was damaged after it was written.').waitFor();
});

test('what Zstandard, xz and AT-1 hold is shown as text', async () => {
  for (const [id, name, start] of [['zstd', 'Zstandard', 'Quoun gisweet'], ['xz', 'xz', 'station,time'], ['at1', 'AT-1 table', vector('at1/c0_ssh.orig').toString().slice(0, 40)]]) {
    // Only some tables of AT-1 can be asked; the others are text.
    if (id === 'at1') await pick('log.at1', vector('at1/c0_ssh.at1'));
    else await open(`#sample=${id}`);
    await page.getByRole('heading', { name, exact: true, level: 2 }).waitFor();
    const content = page.getByRole('region', { name: 'Decoded bytes' });
    await content.waitFor();
    assert.ok((await content.textContent()).startsWith(start), name);
    if (id !== 'at1') assert.match(await fact('Checksums').textContent(), /right$/);
  }
  // A longer text has pages.
  const [content, log] = [page.getByRole('region', { name: 'Decoded bytes' }), vector('at1/c0_ssh.orig').toString()];
  assert.equal(await content.textContent(), log.slice(0, 4096));
  await page.getByRole('button', { name: 'Later' }).click();
  await content.filter({ hasText: log.slice(4096, 4160) }).waitFor();
  await page.getByLabel('Page of the content').fill('999');
  await page.getByLabel('Page of the content').press('Enter');
  await content.filter({ hasText: log.slice(-64).trimEnd() }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Later' }).isDisabled());
});

test('an error says in which part of the structure it lies', async () => {
  await open('#sample=broken');
  await page.locator('.problem', { hasText: 'CvcCrc, number 514, in chunk 0' }).waitFor();
  await page.locator('.byte.broken').waitFor();
  assert.equal(await page.locator('.verdict').textContent(), 'Broken at byte 213');
  // What is wrong with the content of a stream is said of the stream, although each of its bytes was understood.
  await pick('months.at1', vector('at1/bad/c0_months.at1'));
  await page.locator('.problem', { hasText: /At1ListShort, number 612, in stream \w+ › payload xz/ }).waitFor();
  assert.match(await page.getByRole('treeitem', { name: /broken here/ }).textContent(), /^payload/);
  // A file that breaks off does so at its last byte.
  await pick('cut.zst', vector('zstd/rfc8878/text-1025.zst').subarray(0, 300));
  await page.locator('#byte-299.broken').waitFor();
  assert.match(await page.getByRole('treeitem', { name: /ends too early/ }).textContent(), /^block/);
  assert.equal(await page.locator('.verdict').textContent(), 'Incomplete');
  const shares = await page.locator('.parts .legend .percent').allTextContents();
  assert.ok(shares.length > 0 && shares.every((share) => parseFloat(share.replace('<', '')) <= 100), shares.join(', '));
  await page.getByRole('treeitem', { name: /^magic number/ }).click();
  await page.getByRole('button', { name: 'Show where it ends' }).click();
  await cursorAt(299);
});

test('a file that is none of those says what it may be', async () => {
  await open('#sample=zstd');
  await page.locator('.verdict', { hasText: 'Intact' }).waitFor();
  for (const [name, bytes, words] of [
    ['picture', '\x89PNG\r\n', 'This looks like a PNG picture'],
    ['notes', 'Words, and an é.\n', 'This looks like text'],
    ['nothing', '', 'The file is empty.'],
    ['short', '\x28\xb5', 'The file ends before its format can be told.'],
    ['noise', '\xf0\x9f\0\xff', 'This is not a format that this page knows.'],
  ]) {
    await pick(name, Buffer.from(bytes, name === 'notes' ? 'utf8' : 'latin1'));
    await heading(name);
    await page.getByRole('alert').getByText(words).waitFor();
  }
});

test('a file of two gigabytes shows its structure at once, and its values', async () => {
  const path = join(folder, 'large.cvc');
  writeFileSync(path, vector('cvc/v1_int8.cvc'));
  const handle = openSync(path, 'r+');
  ftruncateSync(handle, 2 * 2 ** 30);
  closeSync(handle);
  await open();
  const still = await it.watchFrames();
  const start = Date.now();
  await page.locator('input[type=file]').setInputFiles(path);
  await heading('large.cvc');
  assert.ok(Date.now() - start < 5000, `${Date.now() - start} ms`);
  await page.getByText('The file is large').waitFor();
  await page.getByRole('treeitem', { name: /^magic CVCF/ }).waitFor();
  const expected = floats('cvc/v1_int8.f32.bin');
  const shown = await page.locator('.preview tbody tr').first().locator('td').first().textContent();
  assert.equal(Number(shown), Number(expected[0].toPrecision(5)));
  await page.getByLabel('Go to byte').fill(String(2 * 2 ** 30 - 1));
  await page.getByLabel('Go to byte').press('Enter');
  await cursorAt(2 * 2 ** 30 - 1);
  await still();
});

const PCO_HEAD = Buffer.from('70636f21020003', 'hex');

/** What a chunk of Pco starts with whose numbers of 64 bits stand in the file as they are, in one bin. */
function chunkHead(count) {
  const bytes = Buffer.from('02000000001000000000000000000000' + '02', 'hex');
  bytes.writeUIntLE(count - 1, 1, 3);
  return bytes;
}

/** A Pco file of so many zeros. */
const zeros = (count) => Buffer.concat([PCO_HEAD, chunkHead(count), Buffer.alloc(8 * count + 1)]);

/** A server of another origin that answers ranges of a file, which may be longer than its bytes. */
async function elsewhere(bytes, size, { ranges = true } = {}) {
  let sent = 0;
  const other = createServer((request, response) => {
    const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range', 'Access-Control-Expose-Headers': 'Content-Range, Content-Length' };
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    const range = ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') : null;
    const [start, end] = range === null ? [0, size] : [Number(range[1]), Math.min(size, Number(range[2]) + 1)];
    const body = Buffer.alloc(end - start);
    bytes.copy(body, 0, start, end);
    sent += body.length;
    const extra = range === null ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${size}` };
    response.writeHead(range === null ? 200 : 206, { ...cors, ...extra, 'Content-Type': 'application/octet-stream', 'Content-Length': body.length });
    response.end(body);
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${other.address().port}/vectors.cvc`, sent: () => sent, close: () => other.close() };
}

for (const [what, size, ranges, most] of [
  ['small, with ranges', undefined, true, 100_000],
  ['small, without ranges', undefined, false, 200_000],
  ['large, of which only what is looked at is fetched', 300e6, true, 1_000_000],
]) {
  test(`opens a file of another server: ${what}`, async () => {
    const bytes = vector('cvc/med_fp16.cvc');
    const other = await elsewhere(bytes, size ?? bytes.length, { ranges });
    try {
      await open();
      await page.getByLabel('or the address of one').fill(other.url);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await heading('vectors.cvc');
      await page.getByText('CVC embedding vectors').waitFor();
      const expected = floats('cvc/med_fp16.f32.bin');
      const shown = await page.locator('.preview tbody tr').first().locator('td').first().textContent();
      assert.equal(Number(shown), Number(expected[0].toPrecision(5)));
      await byte(12).click();
      await page.waitForFunction(() => /at=12/.test(location.hash));
      assert.equal(hash().get('url'), other.url);
      assert.ok(other.sent() < most, `${other.sent()} bytes were sent`);
    } finally {
      other.close();
    }
    it.forgive((what) => what.startsWith(`request: ${other.url}`) || what.startsWith(`failed: ${other.url}`));
  });
}

test('of a large file of another server that says nothing of where its parts are, all is fetched only when somebody wants that', async () => {
  const file = zeros(2 ** 23);
  const other = await elsewhere(file, file.length);
  try {
    await open(`#url=${encodeURIComponent(other.url)}`);
    await page.getByRole('note').getByText('only its first 1.05 MB were looked at').waitFor();
    assert.ok(other.sent() < 3 * 2 ** 20, `${other.sent()} bytes were sent`);
    await page.getByRole('button', { name: 'Fetch all 67.1 MB' }).click();
    await page.getByText('How all 8,388,608 values spread').waitFor();
    assert.equal(await page.getByRole('note').count(), 0);
    assert.ok(hash().has('all'), 'the address fetches all of it again');
  } finally {
    other.close();
  }
  it.forgive((what) => what.startsWith(`request: ${other.url}`) || what.startsWith(`failed: ${other.url}`));
});

test('an address that leads nowhere is said so in words', async () => {
  await open(`#url=${encodeURIComponent('http://127.0.0.1:9/nothing.cvc')}`);
  await page.getByText('The server cannot be reached').waitFor();
  it.forgive(() => true);
});

test('works offline after the first visit, samples included', async () => {
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

test('a table is asked: conditions, what they cost, and which row groups were ruled out', async () => {
  const rows = page.getByRole('region', { name: 'Rows', exact: true }).locator('tbody tr');
  const said = page.locator('.query').getByRole('status').first();
  const fates = (fate) => page.locator(`.zone-chart .zone.${fate}`);
  await open('#sample=at1');
  await heading('events.at1');
  await page.getByText('2,500 rows in 25 groups, 3 columns').waitFor();
  // 1,000 rows are in the first ten of the groups.
  await page.getByText('10 row groups read, 15 not needed').waitFor();
  assert.deepEqual([await fates('read').count(), await fates('unneeded').count()], [10, 15]);
  assert.deepEqual(await rows.first().locator('td').allTextContents(), ['"click"', '1700000000', '5.183']);

  // A range on times, which rise: all groups but two are ruled out.
  await page.getByRole('button', { name: 'Add a condition' }).click();
  const first = page.getByRole('group', { name: 'Condition 1' });
  assert.equal(await first.getByLabel('Column').locator('option:checked').textContent(), 'ts (integer)');
  await first.getByLabel('From').fill('1700010480');
  await first.getByLabel('To').fill('1700010520');
  await page.getByText('9 rows that meet all conditions. 2 row groups read, 23 ruled out by their zone maps').waitFor();
  assert.deepEqual([await fates('read').count(), await fates('skipped').count()], [2, 23]);
  assert.match(await said.textContent(), /: [\d,.]+ (bytes|KB) of 13\.1 KB of blocks, (\d|\d\.\d) %\.$/);
  assert.equal(await rows.count(), 9);
  const ts = await rows.locator('td:nth-of-type(2)').allTextContents();
  assert.deepEqual(ts.map(Number), Array.from({ length: 9 }, (_, at) => 1_700_010_480 + 5 * at));

  // Another condition, of texts.
  await page.getByRole('button', { name: 'Add a condition' }).click();
  const second = page.getByRole('group', { name: 'Condition 2' });
  await second.getByLabel('Column').selectOption({ label: 'type (text)' });
  const click = (await rows.locator('td:nth-of-type(1)').allTextContents()).filter((type) => type === '"click"').length;
  await second.getByLabel('Value').fill('"click"');
  await page.getByText(`${click} row${click === 1 ? '' : 's'} that meet all conditions`).waitFor();

  // The question as TypeScript, and its rows as a file.
  await page.getByText('The same in TypeScript').click();
  const snippet = await page.getByRole('region', { name: 'TypeScript' }).textContent();
  assert.match(snippet, /where: \[\{ column: "ts", from: "1700010480", to: "1700010520" \}\]/);
  assert.match(snippet, /eq: \[\{ column: "type", value: "\\"click\\"" \}\]/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const lines = readFileSync(await download.path(), 'utf8').trimEnd().split('\n');
  assert.equal(lines[0], '"type","ts","val"');
  assert.equal(lines.length, click + 1);
  assert.ok(lines.slice(1).every((line) => line.startsWith('"""click""","17000105') || line.startsWith('"""click""","17000104')));

  // Answers that are no rows.
  await second.getByRole('button', { name: 'Remove condition 2' }).click();
  await page.getByLabel('What to show').selectOption('sum');
  await page.getByLabel('Of which column').selectOption('ts');
  await page.locator('.result', { hasText: String(ts.map(BigInt).reduce((a, b) => a + b)) }).waitFor();
  await page.getByLabel('What to show').selectOption('count');
  await page.getByText('9 rows that meet all conditions').waitFor();
  await first.getByLabel('From').fill('soon');
  await page.getByRole('alert').getByText('This cannot be answered').waitFor();

  // Lines as they were, of all groups; each group and its zone map.
  await page.getByRole('button', { name: 'Remove condition 1' }).click();
  await page.getByLabel('What to show').selectOption('lines');
  await rows.first().getByText('{"type":"click","ts":1700000000,"val":5.183}').waitFor();
  await page.getByText('Each of the 25 groups').click();
  const group = page.getByRole('region', { name: 'Row groups' }).locator('tbody tr').nth(1);
  await group.waitFor();
  assert.deepEqual((await group.locator('td').allTextContents()).filter((_, at) => at !== 1), ['100', '1700000500', '1700000995', 'read']);
});

test('the bins of Pco stand against the data', async () => {
  const bins = page.getByRole('region', { name: 'Bins' }).locator('tbody tr');
  const cells = async (column) => (await bins.locator(`td:nth-of-type(${column})`).allTextContents()).map((text) => text.trim());
  const number = (text) => Number(/\(([\d,]+)\)/.exec(text)[1].replaceAll(',', ''));

  // Numbers as they are: the page counts what it counts here.
  await open();
  await pick('classic.pco', vector('pco/assets/v0_0_0_classic.pco'));
  await heading('classic.pco');
  await page.getByText('2,000 numbers of i32, mode classic, delta none').waitFor();
  await page.getByRole('columnheader', { name: 'in the data' }).waitFor();
  const numbers = new Int32Array(new Uint8Array(vector('pco/assets/v0_0_0_classic.bin')).buffer);
  const [low, high, held] = [await cells(1), await cells(2), await cells(6)];
  assert.equal(low.length, 2);
  for (const [at, text] of held.entries()) {
    assert.equal(number(text), numbers.filter((n) => n >= Number(low[at]) && n <= Number(high[at])).length);
  }
  assert.equal(held.reduce((sum, text) => sum + number(text), 0), numbers.length);

  // Differences of numbers.
  await pick('differences.pco', vector('pco/m_i32_classic_auto.pco'));
  await heading('differences.pco');
  await page.getByText('delta consecutive of order 1: 6 bins').waitFor();
  await page.getByRole('columnheader', { name: 'in the data' }).waitFor();
  const all = new Int32Array(new Uint8Array(vector('pco/m_i32_classic_auto.bin')).buffer);
  const differences = Array.from(all.subarray(1), (n, at) => (n - all[at]) | 0);
  // Bins are in order here, and the range of one may reach into the next.
  const starts = (await cells(1)).map(Number);
  for (const [at, text] of (await cells(6)).entries()) {
    assert.equal(number(text), differences.filter((n) => n >= starts[at] && !(n >= starts[at + 1])).length, `bin ${at}`);
  }

  // What is made of numbers in other ways is counted by its symbols as well.
  await open('#sample=numbers');
  await heading('numbers.pco');
  await page.getByText('delta convolution: 3 bins').waitFor();
  await page.getByRole('columnheader', { name: 'in the data' }).waitFor();
  assert.equal(await bins.count(), 3);
  // But the two that the convolution starts from.
  assert.equal((await cells(6)).reduce((sum, text) => sum + number(text), 0), 2000 - 2);
});

test('the tables of Zstandard are those that its literals are coded with', async () => {
  const rows = page.getByRole('region', { name: 'Codes' }).locator('tbody tr');
  await open('#sample=zstd');
  await heading('text.zst');
  await page.getByText('codes of').waitFor();
  const table = (await rows.evaluateAll((lines) => lines.map((line) => [...line.children].map(({ textContent }) => textContent)))).map(([symbol, , bits, prefix]) => [Number(symbol), Number(bits), prefix]);
  assert.ok(table.every(([, bits, prefix]) => prefix.length === bits));
  assert.equal(table.reduce((sum, [, bits]) => sum + 2 ** -bits, 0), 1);
  // The first of the four streams lies in the bytes 51 to 173, and is read from its last set bit backwards.
  const file = vector('zstd/rfc8878/text-1025.zst');
  const bits = [...file.subarray(51, 174)].reverse().map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let [at, text] = [bits.indexOf('1') + 1, ''];
  while (text.length < 13) {
    const [symbol, length] = table.find(([, , prefix]) => bits.startsWith(prefix, at));
    text += String.fromCharCode(symbol);
    at += length;
  }
  assert.equal(text, 'Quoun gisweet');

  // A table of sequences, picked in the list and in the tree.
  await page.getByLabel('Table', { exact: true }).selectOption({ label: 'block 0: FSE table of match lengths' });
  await page.getByText('32 states of 5 bits').waitFor();
  const states = (await rows.locator('td:nth-of-type(3)').allTextContents()).map(Number);
  assert.equal(states.reduce((sum, share) => sum + share, 0), 32);
  await page.locator('[role=treeitem][aria-selected=true]', { hasText: 'match lengths' }).waitFor();
  await page.getByRole('treeitem', { name: /^offsets/ }).click();
  await page.locator('.inside select option:checked', { hasText: 'FSE table of offsets' }).waitFor({ state: 'attached' });
});

test('the sequences of Zstandard copy what the text holds twice', async () => {
  await open('#sample=zstd');
  await heading('text.zst');
  const rows = page.getByRole('table', { name: 'Sequences' }).getByRole('row');
  await rows.nth(1).waitFor();
  const text = unspool.decodeZstd(vector('zstd/rfc8878/text-1025.zst'));
  const total = Number(await page.getByRole('table', { name: 'Sequences' }).getAttribute('aria-rowcount')) - 1;
  assert.ok(total > 20);
  const seen = new Set();
  for (let guard = 0; seen.size < total && guard < 50; guard++) {
    for (const line of await rows.evaluateAll((lines) => lines.slice(1).map(({ children }) => [...children].map(({ textContent }) => Number(textContent.replace(/\D/g, '')))))) {
      const [number, start, literals, length, offset] = line;
      if (seen.has(number)) continue;
      seen.add(number);
      const at = start + literals;
      assert.deepEqual(text.subarray(at, at + length), text.subarray(at - offset, at - offset + length), `${line}`);
    }
    await page.getByRole('region', { name: 'Sequences', exact: true }).evaluate((box) => box.scrollBy(0, 200));
    await page.waitForTimeout(30);
  }
  assert.equal(seen.size, total);
});

/** A file of these parts, each at its place, and holes between them. */
function sparse(name, ...parts) {
  const path = join(folder, name);
  const handle = openSync(path, 'w');
  for (const [at, bytes] of parts) writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
  return path;
}

test('a large file of which only the head can be understood says so', async () => {
  const path = sparse('large.at1', [0, vector('at1/c0_ssh.at1')], [3 * 2 ** 30, Buffer.alloc(1)]);
  await open();
  await page.locator('input[type=file]').setInputFiles(path);
  await heading('large.at1');
  await page.getByRole('note').getByText('only its first 16.8 MB were looked at').waitFor();
});

test('a large file of numbers is decoded chunk by chunk, and its numbers where somebody looks', async () => {
  const count = 2 ** 24;
  const step = 17 + 8 * count;
  const last = Buffer.concat([chunkHead(3), Buffer.from(new BigUint64Array([7n, 8n, 9n]).buffer), Buffer.from([0])]);
  const path = sparse('large.pco', [0, Buffer.concat([PCO_HEAD, chunkHead(count)])], [7 + step, last]);
  await open();
  const still = await it.watchFrames();
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByRole('status').getByText('Reading').waitFor();
  await heading('large.pco');
  await page.getByRole('note').getByText('it was decoded chunk by chunk').waitFor();
  assert.equal(await fact('Numbers').textContent(), '16,777,219');
  assert.equal(await fact('Type').textContent(), 'uint64');
  await page.getByRole('treeitem', { name: /^page of numbers 16777216/ }).waitFor();
  await page.getByText('of 2; this one holds rows 0 to 16,777,215').waitFor();
  await page.getByLabel('Go to chunk').fill('1');
  await page.getByLabel('Go to chunk').press('Enter');
  await page.waitForFunction(() => [...document.querySelectorAll('.preview tbody td')].map((cell) => cell.textContent).slice(-4).join() === '0,7,8,9');
  await page.getByText('How all 16,777,219 values spread').waitFor();
  assert.deepEqual([await summed('Max').textContent(), await summed('Mean').textContent()], ['9', '1.431e-6']);
  await page.getByLabel('Chunk', { exact: true }).fill('1');
  await page.getByLabel('Chunk', { exact: true }).press('Enter');
  await page.getByText('100 % (3)').waitFor();
  // All of them go to a file on disk, as they come. No dialog asks a test for it.
  await page.evaluate(() => {
    globalThis.showSaveFilePicker = async ({ suggestedName }) => (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
  });
  const saved = (name) => page.evaluate(async (name) => {
    const file = await (await (await navigator.storage.getDirectory()).getFileHandle(name)).getFile();
    return [file.size, [...new BigUint64Array(await file.slice(-32).arrayBuffer())].map(Number)];
  }, name);
  await page.getByRole('button', { name: 'Raw bytes' }).click();
  await page.getByText('Saved as large.bin.').waitFor();
  assert.deepEqual(await saved('large.bin'), [8 * (count + 3), [0, 7, 8, 9]]);
  // Nobody has to wait for it, and a file that is not whole is none.
  await page.getByRole('button', { name: 'CSV' }).click();
  await page.getByRole('progressbar', { name: 'saving' }).waitFor();
  await page.getByRole('button', { name: 'Cancel saving' }).click();
  await page.getByText('Cancelled.').waitFor();
  assert.deepEqual(await saved('large.csv'), [0, []]);
  await still();
});

test('a large file of strings is read where somebody looks, and searched', async () => {
  const small = vector('onpair/cpp/urls_b12.onp');
  const word = (number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(number);
    return bytes;
  };
  // The codes move far behind their place: those between belong to no row.
  const tokens = 13 + small.readUInt32LE(9);
  const codes = tokens + 4 + 4 * small.readUInt32LE(tokens);
  const words = small.readUInt32LE(codes);
  // As many words as hold a whole number of codes.
  const [added, offsets] = [3 * 2 ** 23, codes + 4 + 8 * words];
  const shift = (8 * 8 * added) / small[8];
  const moved = Buffer.from(small.subarray(offsets));
  for (let at = 4; at < moved.length; at += 4) moved.writeUInt32LE(moved.readUInt32LE(at) + shift, at);
  const path = sparse('large.onp', [0, small.subarray(0, codes)], [codes, word(words + added)], [codes + 4 + 8 * added, Buffer.concat([small.subarray(codes + 4, offsets), moved])]);
  await open();
  await page.locator('input[type=file]').setInputFiles(path);
  await heading('large.onp');
  await page.getByText('of its values only those are read that you look at').waitFor();
  assert.equal(await fact('Rows').textContent(), '3,000');
  await page.getByRole('treeitem', { name: /^codes/ }).waitFor();
  const shown = () => page.locator('.preview tbody td.text').allTextContents();
  await page.locator('.preview tbody td.text').first().waitFor();
  const far = await shown();
  await page.getByLabel('Search', { exact: true }).fill('42');
  await page.getByText(/^[\d,]+ of 3,000 rows$/).waitFor();
  await page.locator('.preview tbody td.text').first().waitFor();
  const [said, found] = [await page.getByText(/of 3,000 rows$/).textContent(), await shown()];
  // Where the browser cannot write to a file that the visitor picks, what is saved is put together piece by piece.
  const save = async () => {
    await page.evaluate(() => delete Window.prototype.showSaveFilePicker && delete globalThis.showSaveFilePicker);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'JSON', exact: true }).click()]);
    return JSON.parse(readFileSync(await download.path(), 'utf8'));
  };
  const saved = await save();
  assert.equal(saved.length, 3000);
  // The same of the file as it was, which is decoded as a whole.
  await open('#sample=strings');
  await heading('urls.onp');
  await page.locator('.preview tbody td.text').first().waitFor();
  assert.deepEqual(far, await shown());
  await page.getByLabel('Search', { exact: true }).fill('42');
  await page.getByText(said, { exact: true }).waitFor();
  await page.locator('.preview tbody td.text').first().waitFor();
  assert.deepEqual(found, await shown());
  assert.deepEqual(saved, await save());
});

test('a large file shows its blocks by their headers, and long work can be cancelled', async () => {
  const text = vector('zstd/rfc8878/text-1025.zst');
  // Two frames, and eight gigabytes in skippable ones between them.
  const gap = Buffer.from('502a4d18000000f0', 'hex');
  const step = 8 + 0xf000_0000;
  const path = sparse('large.zst', [0, text], [640, gap], [640 + step, gap], [640 + 2 * step, text]);
  await open();
  const start = Date.now();
  await page.locator('input[type=file]').setInputFiles(path);
  await heading('large.zst');
  assert.ok(Date.now() - start < 5000, `${Date.now() - start} ms`);
  await page.getByRole('note').getByText('What is in them was not decoded').waitFor();
  await page.getByRole('treeitem', { name: /^frame #3/ }).waitFor();
  await page.getByRole('treeitem', { name: /^checksum 0x05f574ca/ }).last().waitFor();
  // Eight gigabytes without the needle: whoever does not want to wait need not.
  await page.getByLabel('Find in the file').fill('there is no such text in it');
  await page.getByLabel('Find in the file').press('Enter');
  await page.getByRole('progressbar', { name: 'searching' }).waitFor();
  await page.getByRole('button', { name: 'Cancel searching' }).click();
  await page.getByText('Cancelled.').waitFor();
  // The page goes on with another worker.
  await page.getByLabel('Go to byte').fill('640');
  await page.getByLabel('Go to byte').press('Enter');
  await cursorAt(640);
  await page.getByLabel('Find in the file').fill('PI');
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await cursorAt(vector('zstd/rfc8878/text-1025.zst').lastIndexOf('PI'));
});

test('the blocks of a large xz file are read off its index', async () => {
  const small = vector('xz/blocks.xz');
  // One block of three gigabytes, which only the index knows.
  const number = (value) => {
    const bytes = [];
    for (; value >= 128; value = Math.floor(value / 128)) bytes.push((value % 128) + 128);
    return [...bytes, value];
  };
  const size = 3 * 2 ** 30;
  const index = Buffer.from([0, 1, ...number(size), ...number(5e9)]);
  const padded = Buffer.concat([index, Buffer.alloc((4 - (index.length % 4)) % 4)]);
  const sum = (bytes) => {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(crc32(bytes));
    return word;
  };
  const backward = Buffer.from([padded.length / 4, 0, 0, 0, ...small.subarray(6, 8)]);
  const footer = Buffer.concat([sum(backward), backward, Buffer.from('YZ')]);
  const path = sparse('large.xz', [0, small.subarray(0, 12)], [12 + size, Buffer.concat([padded, sum(padded), footer])]);
  await open();
  await page.locator('input[type=file]').setInputFiles(path);
  await heading('large.xz');
  await page.getByRole('treeitem', { name: /^block #0/ }).click();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('treeitem', { name: /^content of decoded size 5000000000/ }).waitFor();
});

test('a table of two gigabytes is asked without being read', async () => {
  const path = join(folder, 'large.at1');
  writeFileSync(path, vector('at1/c8_events.at1'));
  const handle = openSync(path, 'r+');
  ftruncateSync(handle, 2 * 2 ** 30);
  closeSync(handle);
  await open();
  await page.locator('input[type=file]').setInputFiles(path);
  await heading('large.at1');
  await page.getByText('The file is large').waitFor();
  await page.getByRole('treeitem', { name: /^stream meta/ }).waitFor();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('From').fill('1700010480');
  await page.getByLabel('To', { exact: true }).fill('1700010520');
  await page.getByText('9 rows that meet all conditions. 2 row groups read, 23 ruled out').waitFor();
  // Rows of it can be saved, all of it cannot.
  await page.getByRole('button', { name: 'CSV' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Raw bytes' }).count(), 0);
});

test('the structure and the bytes of a field are saved', async () => {
  const save = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path())];
  };
  await open('#sample=zstd');
  await heading('text.zst');
  const [name, text] = await save('Save the structure as JSON');
  assert.equal(name, 'text.zst.structure.json');
  const nodes = JSON.parse(text.toString());
  assert.equal(nodes[0].name, 'frame');
  const leaves = nodes.filter(({ part }) => part !== undefined);
  assert.equal(leaves.reduce((sum, { startBit, endBit }) => sum + endBit - startBit, 0), 640 * 8);
  assert.ok(await page.getByRole('button', { name: 'Save the bytes of this field' }).isDisabled());
  await page.getByRole('treeitem', { name: /^checksum 0x05f574ca/ }).click();
  const [field, bytes] = await save('Save the bytes of this field');
  assert.equal(field, 'text.zst.636-640.bin');
  assert.deepEqual(bytes, vector('zstd/rfc8878/text-1025.zst').subarray(636));
});

test('a file and its dictionary are opened together, whichever comes first', async () => {
  const folder = 'zstd/rfc8878/';
  const [file, dictionary] = ['dict-id40000-empty.zst', 'dict-id40000'].map((name) => ({ name, mimeType: '', buffer: vector(folder + name) }));
  const [raw, lines] = [vector(`${folder}dict-id123456789`), vector(`${folder}dict-id123456789-json60k-stdin.zst`)];
  const input = page.locator('input[type=file]');
  await open();
  await input.setInputFiles(file);
  await page.getByRole('alert').getByText('The file was compressed against a dictionary').waitFor();
  for (const files of [[file, dictionary], [dictionary, file]]) {
    await input.setInputFiles(files);
    await page.getByText('There is nothing to show.').waitFor();
    assert.equal(await fact('Dictionary').textContent(), '65.5 KB');
    assert.equal(await page.getByRole('alert').count(), 0);
  }
  await input.setInputFiles([{ name: 'lines.zst', mimeType: '', buffer: lines }, { name: 'words', mimeType: '', buffer: raw }]);
  await heading('lines.zst');
  const content = page.getByRole('region', { name: 'Decoded bytes' });
  await content.waitFor();
  assert.match(await content.textContent(), /^\{"/);
});
