// Files larger than memory should hold.
import assert from 'node:assert/strict';
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { crc32, gzipSync } from 'node:zlib';
import { decodeAt1, decodeZstd } from './unspool.mjs';
import { inspector } from './harness.mjs';
import { chunkHead, floats, PCO_HEAD, vector } from './vectors.mjs';

const it = inspector();
let folder;
let page;
before(() => (folder = mkdtempSync(join(tmpdir(), 'unspool-'))));
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => ({ page } = it));
const { open, heading, fact, summed, cursorAt, tab } = it;

/** Creates a sparse file with these parts at their offsets. */
function sparse(name, ...parts) {
  const path = join(folder, name);
  const handle = openSync(path, 'w');
  for (const [at, bytes] of parts) writeSync(handle, bytes, 0, bytes.length, at);
  closeSync(handle);
  return path;
}

test('shows the structure and values of a 2 GB file at once', async () => {
  const path = join(folder, 'large.cvc');
  writeFileSync(path, vector('cvc/v1_int8.cvc'));
  const handle = openSync(path, 'r+');
  ftruncateSync(handle, 2 * 2 ** 30);
  closeSync(handle);
  await open();
  const still = await it.watchFrames();
  const start = Date.now();
  await page.locator('input[type=file]').first().setInputFiles(path);
  await heading('large.cvc');
  assert.ok(Date.now() - start < 5000, `${Date.now() - start} ms`);
  await page.getByText('The file is large').waitFor();
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^magic CVCF/ }).waitFor();
  // Each chunk is shown by its length, and bytes after the last one are not an error.
  await page.getByRole('treeitem', { name: /^chunk #0/ }).waitFor();
  await tab('Bytes');
  await page.getByRole('button', { name: /^padding 2\.15 GB/ }).waitFor();
  await tab('Data');
  const expected = floats('cvc/v1_int8.f32.bin');
  const shown = await page.locator('.preview tbody tr').first().locator('td').first().textContent();
  assert.equal(Number(shown), Number(expected[0].toPrecision(5)));
  await tab('Structure');
  await page.getByLabel('Go to byte').fill(String(2 * 2 ** 30 - 1));
  await page.getByLabel('Go to byte').press('Enter');
  await cursorAt(2 * 2 ** 30 - 1);
  await still();
});

test('shows the chunks of a large vector file, and where it is truncated', async () => {
  const far = 3 * 2 ** 30;
  const json = Buffer.from(`{"chunks":[{"rows":1},{"file_offset":${far},"rows":1}],"compression":"fp16","dimension":2,"num_vectors":2}`);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  const chunk = (...halves) => Buffer.from([4, 0, 0, 0, ...new Uint8Array(Uint16Array.from(halves).buffer)]);
  const head = Buffer.concat([Buffer.from('CVCF'), length, json, chunk(0x3c00, 0x4000)]);
  const path = sparse('far.cvc', [0, head], [far, chunk(0xc000, 0x3800)]);
  await open();
  await page.locator('input[type=file]').first().setInputFiles(path);
  await heading('far.cvc');
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^padding/ }).waitFor();
  await page.getByRole('treeitem', { name: /^values fp16/ }).last().click();
  await page.getByText('bytes 3,221,225,476 to 3,221,225,479').waitFor();
  await tab('Data');
  await page.waitForFunction(() => [...document.querySelectorAll('.preview tbody td')].map((cell) => cell.textContent).slice(-2).join() === '-2,0.5');
  // Its last byte is missing.
  const cut = sparse('cut.cvc', [0, head], [far, chunk(0xc000, 0x3800).subarray(0, 7)]);
  await page.locator('input[type=file]').first().setInputFiles(cut);
  await heading('cut.cvc');
  await page.getByText('Incomplete', { exact: true }).waitFor();
  // Its chunks were listed up to the error, and are not listed again.
  assert.equal(await page.getByRole('note').getByRole('button').count(), 0);
  await page.getByRole('treeitem', { name: /^payload length 4/ }).last().click();
  // The details of the byte scroll the tree, and a part under the pointer is described first.
  await page.mouse.move(0, 0);
  await page.getByText('bytes 3,221,225,472 to 3,221,225,475').waitFor();
});

test('lists two thousand chunks of a 2 GB file in the background', async () => {
  const [chunks, bytes] = [1900, 2 ** 20];
  const json = Buffer.from(JSON.stringify({ num_vectors: chunks * 2 ** 16, dimension: 8, compression: 'fp16', chunks: Array(chunks).fill({ rows: 2 ** 16 }) }));
  const length = (number) => {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(number);
    return word;
  };
  const head = Buffer.concat([Buffer.from('CVCF'), length(json.length), json]);
  const places = Array.from({ length: chunks }, (_, chunk) => head.length + chunk * (4 + bytes));
  const path = sparse('many.cvc', [0, head], ...places.map((at) => [at, length(bytes)]), [places[0] + 4 + chunks * (4 + bytes) - 5, Buffer.from([0])]);
  await open();
  const start = Date.now();
  await page.locator('input[type=file]').first().setInputFiles(path);
  await heading('many.cvc');
  await page.locator('.preview tbody td').first().waitFor();
  assert.ok(Date.now() - start < 2000, `${Date.now() - start} ms`);
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^magic CVCF/ }).click();
  // Cancel listing the chunks, then list them.
  await page.getByRole('button', { name: 'Cancel listing the chunks' }).click();
  const still = await it.watchFrames();
  await page.getByRole('button', { name: 'List 1,900 chunks' }).click();
  await page.getByRole('progressbar', { name: 'listing the chunks' }).waitFor();
  await page.getByRole('treeitem', { name: /^chunk #0/ }).waitFor({ timeout: 60_000 });
  assert.equal(await page.getByRole('note').getByRole('button').count(), 0);
  // The selection moves to the fuller tree.
  await page.locator('[role=treeitem][aria-selected=true]', { hasText: 'magic' }).waitFor();
  await page.getByRole('tree').press('End');
  await page.getByRole('treeitem', { name: /^chunk #1,?899/ }).waitFor();
  await still();
});

test('queries a 2 GB table without reading it', async () => {
  const path = join(folder, 'large.at1');
  writeFileSync(path, vector('at1/c8_events.at1'));
  const handle = openSync(path, 'r+');
  ftruncateSync(handle, 2 * 2 ** 30);
  closeSync(handle);
  await open();
  await page.locator('input[type=file]').first().setInputFiles(path);
  await heading('large.at1');
  await page.getByText('The file is large').waitFor();
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^stream meta/ }).waitFor();
  await tab('Data');
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('From').fill('1700010480');
  await page.getByLabel('To', { exact: true }).fill('1700010520');
  await page.getByText('9 rows that meet all conditions. 2 row groups read, 23 ruled out').waitFor();
  // Saves the rows, and the whole text by row group: to a file on disk, if the browser can.
  await page.getByRole('button', { name: 'Rows as CSV' }).waitFor();
  await page.evaluate(() => {
    globalThis.showSaveFilePicker = async ({ suggestedName }) => (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true });
  });
  await page.getByRole('button', { name: 'Whole text' }).click();
  await page.getByText('Saved as large.bin.').waitFor();
  const text = await page.evaluate(async () => (await (await (await navigator.storage.getDirectory()).getFileHandle('large.bin')).getFile()).text());
  assert.equal(text, Buffer.from(decodeAt1(vector('at1/c8_events.at1'))).toString());
});

test('says that only the head of a large file was read', async () => {
  const path = sparse('large.at1', [0, vector('at1/c0_ssh.at1')], [3 * 2 ** 30, Buffer.alloc(1)]);
  await open();
  await page.locator('input[type=file]').first().setInputFiles(path);
  await heading('large.at1');
  await page.getByRole('note').getByText('Only its first 16.8 MB were read').waitFor();
});

test('decodes a large file of numbers chunk by chunk, and values on demand', async () => {
  const count = 2 ** 24;
  const step = 17 + 8 * count;
  const last = Buffer.concat([chunkHead(3), Buffer.from(new BigUint64Array([7n, 8n, 9n]).buffer), Buffer.from([0])]);
  const path = sparse('large.pco', [0, Buffer.concat([PCO_HEAD, chunkHead(count)])], [7 + step, last]);
  await open();
  const still = await it.watchFrames();
  await page.locator('input[type=file]').first().setInputFiles(path);
  await page.getByRole('status').getByText('Reading').waitFor();
  await heading('large.pco');
  await page.getByRole('note').getByText('it was decoded chunk by chunk').waitFor();
  assert.equal(await fact('Numbers').textContent(), '16,777,219');
  assert.equal(await fact('Type').textContent(), 'uint64');
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^page of numbers 16777216/ }).waitFor();
  await tab('Data');
  await page.getByText('of 2; this one holds rows 0 to 16,777,215').waitFor();
  await page.getByLabel('Go to chunk').fill('1');
  await page.getByLabel('Go to chunk').press('Enter');
  await page.waitForFunction(() => [...document.querySelectorAll('.preview tbody td')].map((cell) => cell.textContent).slice(-4).join() === '0,7,8,9');
  await page.getByText('Distribution of 16,777,219 values').waitFor();
  assert.deepEqual([await summed('Max').textContent(), await summed('Mean').textContent()], ['9', '1.431e-6']);
  await tab('Codec');
  await page.getByLabel('Chunk', { exact: true }).fill('1');
  await page.getByLabel('Chunk', { exact: true }).press('Enter');
  await page.getByText('100% (3)').waitFor();
  await tab('Data');
  // All of them are saved to disk in pieces. A test sees no dialog.
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
  // Saving can be cancelled, and leaves no incomplete file.
  await page.getByRole('button', { name: 'CSV' }).click();
  await page.getByRole('progressbar', { name: 'saving' }).waitFor();
  await page.getByRole('button', { name: 'Cancel saving' }).press('Enter');
  await page.getByText('Cancelled.').waitFor();
  // Tab continues from the same place.
  await page.getByRole('button', { name: 'Cancel saving' }).waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Copy TypeScript');
  assert.deepEqual(await saved('large.csv'), [0, []]);
  await still();
});

test('starts no statistics after the sample of them was cancelled', async () => {
  // The sample never ends.
  await page.addInitScript(() => {
    const { postMessage } = Worker.prototype;
    window.asked = [];
    Worker.prototype.postMessage = function (message, ...rest) {
      if ('statistics' in message) window.asked.push(message.sample);
      if (message.sample !== true) postMessage.call(this, message, ...rest);
    };
  });
  await open();
  await page.locator('input[type=file]').first().setInputFiles(sparse('sampled.pco', [0, Buffer.concat([PCO_HEAD, chunkHead(2 ** 23)])], [7 + 17 + 2 ** 26, Buffer.from([0])]));
  await heading('sampled.pco');
  await page.getByRole('button', { name: /^Cancel computing/ }).click();
  await page.getByRole('button', { name: /^Compute statistics/ }).waitFor();
  // A worker that does not react is replaced, and repeats its jobs.
  await page.waitForTimeout(1500);
  assert.deepEqual(await page.evaluate(() => window.asked), [true]);
});

test('reads and searches a large string file on demand', async () => {
  const small = vector('onpair/cpp/urls_b12.onp');
  const word = (number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(number);
    return bytes;
  };
  // The codes move far back: those in between belong to no row.
  const tokens = 13 + small.readUInt32LE(9);
  const codes = tokens + 4 + 4 * small.readUInt32LE(tokens);
  const words = small.readUInt32LE(codes);
  // Enough words for a whole number of codes.
  const [added, offsets] = [3 * 2 ** 23, codes + 4 + 8 * words];
  const shift = (8 * 8 * added) / small[8];
  const moved = Buffer.from(small.subarray(offsets));
  for (let at = 4; at < moved.length; at += 4) moved.writeUInt32LE(moved.readUInt32LE(at) + shift, at);
  const path = sparse('large.onp', [0, small.subarray(0, codes)], [codes, word(words + added)], [codes + 4 + 8 * added, Buffer.concat([small.subarray(codes + 4, offsets), moved])]);
  await open();
  await page.locator('input[type=file]').first().setInputFiles(path);
  await heading('large.onp');
  await page.getByText('values are read when you view them').waitFor();
  assert.equal(await fact('Rows').textContent(), '3,000');
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^codes/ }).waitFor();
  await tab('Data');
  const shown = () => page.locator('.preview tbody td.text').allTextContents();
  await page.locator('.preview tbody td.text').first().waitFor();
  const far = await shown();
  await page.getByLabel('Search', { exact: true }).fill('42');
  await page.getByText(/^[\d,]+ of 3,000 rows$/).waitFor();
  await page.locator('.preview tbody td.text').first().waitFor();
  const [said, found] = [await page.getByText(/of 3,000 rows$/).textContent(), await shown()];
  // If the browser cannot write to a chosen file, the content is assembled in pieces.
  const save = async () => {
    await page.evaluate(() => delete Window.prototype.showSaveFilePicker && delete globalThis.showSaveFilePicker);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'JSON', exact: true }).click()]);
    return JSON.parse(readFileSync(await download.path(), 'utf8'));
  };
  const saved = await save();
  assert.equal(saved.length, 3000);
  // The original file, decoded as a whole, has the same content.
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

test('finds the lines of content that is larger than memory should hold', async () => {
  const member = gzipSync(Buffer.alloc(56_000_000, 'a line\n'), { level: 1 });
  const last = gzipSync('needle\nthe end\n');
  await open();
  await it.pick('lines.gz', Buffer.concat([...Array(10).fill(member), last]));
  await heading('lines.gz');
  await tab('Data');
  await page.getByText(/^The first 33\.\d MB of text/).waitFor();
  const still = await it.watchFrames();
  await page.getByRole('button', { name: /^Find all lines/ }).click();
  await page.getByRole('progressbar', { name: 'finding all lines' }).waitFor();
  await page.locator('.preview .facts', { hasText: /^560 MB of text, 80,000,002 lines$/ }).waitFor();
  const shown = (number) => it.lines().locator('tbody tr', { has: page.getByRole('rowheader', { name: number.toLocaleString('en'), exact: true }) }).locator('td');
  await page.getByLabel('Find in the content').fill('needle');
  await page.getByLabel('Find in the content').press('Enter');
  await page.getByText('In line 80,000,001.').waitFor();
  assert.equal(await shown(80_000_001).textContent(), 'needle');
  assert.equal(await shown(80_000_002).textContent(), 'the end');
  await page.getByLabel('go to line', { exact: true }).fill('3');
  await page.getByLabel('go to line', { exact: true }).press('Enter');
  await shown(3).filter({ hasText: 'a line' }).waitFor();
  await still();
});

test('sorts all rows of a table that is larger than memory should hold', async () => {
  const [head, same, last] = ['text,number\n', Buffer.alloc(56_000_000, `${'x'.repeat(997)},5\n`), 'largest,70\nsmallest,-8\n'].map((text) => gzipSync(text, { level: 1 }));
  await open();
  await it.pick('rows.csv.gz', Buffer.concat([head, ...Array(10).fill(same), last]));
  await heading('rows.csv.gz');
  await tab('Data');
  await page.getByRole('button', { name: /^Find all lines/ }).click();
  await page.locator('.preview .facts', { hasText: '560,002 rows of a table' }).waitFor();
  const still = await it.watchFrames();
  const region = page.getByRole('region', { name: 'Rows', exact: true });
  const first = (text) => region.locator('tbody tr').first().filter({ hasText: text }).waitFor();
  const by = region.getByRole('button', { name: 'number' });
  await by.click();
  // A cancelled job leaves the order of the file.
  await page.getByRole('button', { name: 'Cancel sorting' }).click();
  await page.getByText('Sorting').waitFor({ state: 'detached' });
  await first('xxx');
  await by.click();
  await page.getByText('Sorted: all 560,002 rows.').waitFor();
  await first('smallest');
  await by.click();
  await first('largest');
  // Equal rows are in the order of the file, and the smallest is the last.
  assert.equal(await region.locator('tbody tr').nth(1).getByRole('rowheader').textContent(), '0');
  await page.getByLabel('Go to row of rows').fill('560001');
  await page.getByLabel('Go to row of rows').press('Enter');
  await region.locator('tbody tr', { hasText: 'smallest' }).waitFor();
  await page.getByRole('button', { name: 'Order of the file' }).click();
  await first('xxx');
  await still();
});

test('outlines a large file from its headers, and cancels long work', async () => {
  const text = vector('zstd/rfc8878/text-1025.zst');
  // Two frames, with eight gigabytes of skippable frames between them.
  const gap = Buffer.from('502a4d18000000f0', 'hex');
  const step = 8 + 0xf000_0000;
  const path = sparse('large.zst', [0, text], [640, gap], [640 + step, gap], [640 + 2 * step, text]);
  await open();
  const start = Date.now();
  await page.locator('input[type=file]').first().setInputFiles(path);
  await heading('large.zst');
  assert.ok(Date.now() - start < 5000, `${Date.now() - start} ms`);
  await page.getByRole('note').getByText('their content was not decoded').waitFor();
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^frame #3/ }).waitFor();
  await page.getByRole('treeitem', { name: /^checksum 0x05f574ca/ }).last().waitFor();
  // The start of the content, from the first megabytes of the file.
  await tab('Data');
  await page.getByText('The first 1,025 bytes of text').waitFor();
  assert.equal(await it.text(), Buffer.from(decodeZstd(text)).toString().replace(/\n$/, ''));
  // The frame after the gap decodes by itself.
  await page.getByLabel('block', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Show block' }).click();
  await page.locator('.preview .facts', { hasText: 'Block 1: 1,025 bytes' }).waitFor();
  assert.equal(await it.text(), Buffer.from(decodeZstd(text)).toString().replace(/\n$/, ''));
  // All content: the gap is skipped, and only the frame of a line is decoded.
  await page.getByRole('button', { name: 'Show from the start' }).click();
  await page.getByRole('button', { name: /^Find all lines \(reads 8\.05 GB\)/ }).click();
  await page.locator('.preview .facts', { hasText: /^2,050 bytes of text, 31 lines$/ }).waitFor();
  await page.getByLabel('go to line', { exact: true }).fill('31');
  await page.getByLabel('go to line', { exact: true }).press('Enter');
  const all = Buffer.from(decodeZstd(text)).toString().repeat(2).split('\n');
  assert.ok((await it.text()).endsWith(all.slice(20, 31).join('\n')));
  await tab('Structure');
  // Eight gigabytes without the needle: the search can be cancelled.
  await page.getByLabel('Find in the file').fill('there is no such text in it');
  await page.getByLabel('Find in the file').press('Enter');
  await page.getByRole('progressbar', { name: 'searching' }).waitFor();
  await page.getByRole('button', { name: 'Cancel searching' }).click();
  await page.getByText('Cancelled.').waitFor();
  // A worker that does not react is replaced by another one.
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (!('cancel' in message)) post.call(this, message, ...rest);
    };
    const { Worker: Old } = globalThis;
    globalThis.Worker = class extends Old {
      constructor(...options) {
        super(...options);
        globalThis.another = true;
      }
    };
  });
  await page.getByLabel('Find in the file').press('Enter');
  await page.getByRole('button', { name: 'Cancel searching' }).click();
  await page.waitForFunction(() => globalThis.another);
  await page.getByLabel('Go to byte').fill('640');
  await page.getByLabel('Go to byte').press('Enter');
  await cursorAt(640);
  await page.getByLabel('Find in the file').fill('PI');
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await cursorAt(vector('zstd/rfc8878/text-1025.zst').lastIndexOf('PI'));
});

test('shows the start of large content, and saves all of it in pieces', async () => {
  // After the content, there are 1.5 GB of skippable frames.
  const text = vector('zstd/rfc8878/text-1025.zst');
  const step = 8 + 0x6000_0000;
  const zst = sparse('more.txt.zst', [0, text], [640, Buffer.from('502a4d1800000060', 'hex')], [640 + step, text]);
  await open();
  await page.locator('input[type=file]').first().setInputFiles(zst);
  await heading('more.txt.zst');
  await tab('Data');
  await page.getByText('The first 1,025 bytes of text').waitFor();
  await page.getByText('Show the TypeScript').click();
  assert.match(await page.getByRole('region', { name: 'TypeScript' }).textContent(), /pipeThrough\(zstdStream\(\)\)/);
  const content = Buffer.from(decodeZstd(text));
  await page.evaluate(() => delete Window.prototype.showSaveFilePicker && delete globalThis.showSaveFilePicker);
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), page.getByRole('button', { name: 'Raw bytes' }).click()]);
  assert.equal(download.suggestedFilename(), 'more.txt');
  assert.ok(readFileSync(await download.path()).equals(Buffer.concat([content, content])));
  // The content before the error of a large file.
  const broken = Buffer.from(text);
  broken[broken.length - 1] ^= 1;
  const bad = sparse('bad.zst', [0, broken], [640, Buffer.from('502a4d1800000060', 'hex')], [640 + step, text]);
  await page.locator('input[type=file]').first().setInputFiles(bad);
  await heading('bad.zst');
  await page.locator('.problem h2', { hasText: /^Checksum mismatch: bytes 0 to 639 are damaged/ }).waitFor();
  await tab('Data');
  await page.getByText('any part of this content may be wrong').waitFor();
  // A small file that decodes to more than memory: endless runs of 128 KiB.
  const run = Buffer.from([2, 0, 16, 0x2e]);
  const bomb = Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), ...Array(20_000).fill(run), Buffer.from([1, 0, 0])]);
  await page.locator('input[type=file]').first().setInputFiles({ name: 'bomb.zst', mimeType: '', buffer: bomb });
  await heading('bomb.zst');
  await page.getByRole('note').getByText('decodes to more than this page keeps in memory').waitFor();
  assert.equal(await page.locator('.verdict').count(), 0, 'an unchecked file has no verdict');
  await tab('Data');
  await page.getByText('The first 33.6 MB of text').waitFor();
  // Reading ends long before decoding; the progress must not show it as done.
  await page.getByRole('button', { name: 'Raw bytes' }).click();
  await page.locator('.export progress:not([value])').waitFor();
  assert.equal(await page.locator('.export .percent').textContent(), '');
  await page.getByRole('button', { name: 'Cancel saving' }).click();
  await page.getByText('Cancelled.').waitFor();
});

test('explains why a small table that decodes to gigabytes is not decoded', async () => {
  const bomb = overfull(16);
  await open();
  await page.locator('input[type=file]').first().setInputFiles({ name: 'bomb.at1', mimeType: '', buffer: bomb });
  await heading('bomb.at1');
  await page.locator('.verdict', { hasText: 'Not decoded' }).waitFor();
  await page.getByText('Needs more memory than this page allows.').waitFor();
  await page.getByRole('treeitem', { name: /^frame #0/ }).waitFor();
});

test('reports reading and decoding', async () => {
  await open();
  // Slow steps are skipped: only the texts are tested.
  await page.evaluate(() => {
    window.said = new Set();
    new MutationObserver(() => window.said.add(document.querySelector('.busy p')?.textContent.split(' ')[0])).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  const run = Buffer.from([2, 0, 16, 0x2e]);
  const long = Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), ...Array(4000).fill(run), Buffer.from([1, 0, 0])]);
  await page.locator('input[type=file]').first().setInputFiles({ name: 'long.zst', mimeType: '', buffer: long });
  await heading('long.zst');
  assert.ok(await page.evaluate(() => window.said.has('Decoding')));
});

/** Builds a table of AT-1 frames that each decode to 128 MiB. */
function overfull(frames) {
  const block = (last) => Buffer.from([2 + last, 0, 16, 0]);
  const payload = Buffer.concat([Buffer.from('28b52ffde00000000800000000', 'hex'), ...Array(1023).fill(block(0)), block(1)]);
  const frame = Buffer.concat([Buffer.from('8f200101', 'hex'), payload]);
  return Buffer.concat([Buffer.from('415431030402', 'hex'), ...Array(frames).fill(frame)]);
}

test('outlines a large xz file from its index', async () => {
  const small = vector('xz/blocks.xz');
  // One block of three gigabytes, known only from the index.
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
  await page.locator('input[type=file]').first().setInputFiles(path);
  await heading('large.xz');
  await page.getByRole('treeitem', { name: /^block #0/ }).click();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('treeitem', { name: /^content of decoded size 5000000000/ }).waitFor();
});
