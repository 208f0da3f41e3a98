// The page in headless Chromium, with real files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as unspool from './unspool.mjs';
import { inspector } from './harness.mjs';
import { chunkHead, PCO_HEAD, vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, heading, fact, summed, byte, item, classes, tab } = it;

/** Drops a file on the page, as a file manager does. */
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
  await page.getByText('Drop to open').waitFor();
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

/** Scrolls a table to a row. */
async function goToRow(row) {
  await page.getByLabel('Go to row of rows').fill(String(row));
  await page.getByLabel('Go to row of rows').press('Enter');
  await page.locator('.preview tbody th', { hasText: new RegExp(`^${row.toLocaleString('en')}$`) }).waitFor();
}

test('shows the description and values of a sample', async () => {
  await open();
  await page.getByText('Nothing leaves your machine').waitFor();
  await page.getByRole('link', { name: /^Embeddings/ }).click();
  await heading('embeddings.cvc');
  assert.equal(await fact('Rows').textContent(), '400');
  assert.equal(await fact('Dimension').textContent(), '64');
  assert.equal(await fact('Stored as').textContent(), 'fp16');
  assert.match(await fact('Decodes to').textContent(), /^102 KB, 1\.99×$/);
  assert.equal(await fact('Checksums').textContent(), '4 verified');
  // The values from the reference implementation.
  const expected = new Float32Array(new Uint8Array(vector('cvc/med_fp16.f32.bin')).buffer);
  await page.locator('.preview tbody td').first().waitFor();
  const shown = await page.locator('.preview tbody tr').first().locator('td').allTextContents();
  assert.ok(shown.length >= 10 && shown.length <= 14, `${shown.length} values in sight`);
  shown.forEach((text, at) => assert.equal(text, Number(expected[at].toPrecision(5)).toString(), `value ${at}`));
  // The last rows: only rows in sight are rendered.
  await goToRow(399);
  assert.ok((await page.locator('.preview tbody tr').count()) < 40);
  await page.getByRole('button', { name: 'Draw row 399' }).click();
  const last = await page.locator('.preview tr.selected td').first().textContent();
  assert.equal(last, Number(expected[399 * 64].toPrecision(5)).toString());
  await page.getByText('Row 399, all 64 values').waitFor();
  // A chunk has a hundred rows; those in sight are drawn.
  await page.getByLabel('Go to chunk').fill('2');
  await page.getByLabel('Go to chunk').press('Enter');
  await page.getByText('this one holds rows 200 to 299').waitFor();
  await page.getByText('Row 200, all 64 values').waitFor();
  await page.getByText(/^Rows 200 to 2\d\d, one below the other/).waitFor();
  await page.getByRole('img', { name: /rows as a heat map/ }).hover({ position: { x: 12, y: 4 } });
  await page.locator('figcaption', { hasText: `row 200, value 1: ${Number(expected[200 * 64 + 1].toPrecision(5))}` }).waitFor();
  const drawn = await page.getByRole('img', { name: /rows as a heat map/ }).evaluate((canvas) => {
    const data = pixelsOf(canvas, 0, 1);
    return Array.from({ length: 64 }, (_, at) => data[4 * at + 1]);
  });
  // Green rises with the values.
  const row = Array.from(expected.subarray(200 * 64, 201 * 64), (value, at) => [value, drawn[at]]).sort(([a], [b]) => a - b);
  assert.ok(row.every(([, green], at) => at === 0 || green >= row[at - 1][1]), 'the first row is drawn');
});

test('shows columns of every type', async () => {
  await open('#sample=columns');
  await page.getByRole('tab', { name: 'int64_v', exact: true }).click();
  const expected = new BigInt64Array(new Uint8Array(vector('cvc/v2_ints_default.col3.raw.bin')).buffer);
  await page.getByText('11 rows of 3 values, int64').waitFor();
  await page.locator('.preview tbody td').first().waitFor();
  const shown = await page.locator('.preview tbody td').allTextContents();
  assert.deepEqual(shown, Array.from(expected, String));
  await page.keyboard.press('ArrowRight');
  await page.getByText('11 rows of 1 value, int8').waitFor();
  assert.equal(await page.getByRole('tab', { name: 'int8_s', exact: true }).getAttribute('aria-selected'), 'true');
});

test('shows rows of strings, and searches them', async () => {
  const folder = new URL('../../tests/vectors/onpair/', import.meta.url);
  const { cases } = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));
  const all = readFileSync(new URL('data/urls.expected.bin', folder));
  const starts = new BigUint64Array(new Uint8Array(readFileSync(new URL('data/urls.row_offsets.bin', folder))).buffer);
  const text = (row) => all.subarray(Number(starts[row]), Number(starts[row + 1])).toString();
  const texts = () => page.locator('.preview td.text').allTextContents();
  await open();
  await page.getByRole('link', { name: /^Strings/ }).click();
  await heading('urls.onp');
  await page.getByText('OnPair strings').waitFor();
  assert.equal(await fact('Rows').textContent(), '3,000');
  // The last row offset, at the end of the file, is the number of codes.
  const codes = readFileSync(new URL('cpp/urls_b12.onp', folder)).readUInt32LE(53_731 - 4);
  assert.equal(await fact('Codes').textContent(), `${codes.toLocaleString('en')} of 12 bits`);
  assert.match(await fact('Decodes to').textContent(), /^136 KB, 2\.53×$/);
  await tab('Structure');
  await item(/^magic ONPAIR01/).waitFor();
  // Readable tokens are shown as text, others as bytes.
  await item(/^token 00 1 byte$/).waitFor();
  await byte(0x38).click();
  await item(/^token “&ref=” 5 bytes$/).waitFor();
  // A count is not shown as a number among siblings.
  assert.equal(await page.locator('.place').textContent(), 'tokens 944token“&ref=”bytes 55 to 59, table');
  // Rows are numbered as in the table below.
  await page.getByLabel('What to find').selectOption('field');
  await page.getByLabel('Find in the file').fill('row 2999');
  await page.getByLabel('Find in the file').press('Enter');
  await page.locator('[role=treeitem][aria-selected=true]', { hasText: /^row2999/ }).waitFor();
  await tab('Data');
  await page.locator('.preview td.text').first().waitFor();
  assert.deepEqual((await texts()).slice(0, 12), Array.from({ length: 12 }, (_, row) => text(row)));
  await goToRow(2999);
  assert.equal((await texts()).at(-1), text(2999));
  // Keys scroll, too: to the start, and by a page.
  const region = page.getByRole('region', { name: 'Rows', exact: true });
  await region.press('Home');
  await page.locator('.preview tbody th', { hasText: /^0$/ }).waitFor();
  await region.press('PageDown');
  await page.locator('.preview tbody th', { hasText: /^0$/ }).waitFor({ state: 'detached' });
  await page.locator('.preview tbody th', { hasText: /^14$/ }).waitFor();
  // The rows that the reference implementation finds, in order.
  const { search } = cases.find(({ case: name }) => name === 'urls_b12');
  const { needle, contains, starts_with } = search.find(({ needle }) => needle === 'https://www.');
  const status = (matches) => page.locator('.preview .facts', { hasText: new RegExp(`^${matches.length.toLocaleString('en')} of 3,000 rows$`) });
  await page.getByLabel('Search').fill(needle);
  await status(contains).waitFor();
  await page.locator('.preview tbody th', { hasText: new RegExp(`^${contains[0]}$`) }).first().waitFor();
  await page.locator('mark').first().waitFor();
  assert.deepEqual((await texts()).slice(0, 12), contains.slice(0, 12).map(text));
  // Rows are reached by their numbers, whether they match or not.
  await page.getByText(/^go to row .* of 3,000, or the next one found$/).waitFor();
  for (const [asked, shown] of [[contains[600] - 1, contains[600]], [2999, contains.at(-1)]]) {
    await page.getByLabel('Go to row of rows').fill(String(asked));
    await page.getByLabel('Go to row of rows').press('Enter');
    await page.locator('.preview tbody th', { hasText: new RegExp(`^${shown.toLocaleString('en')}$`) }).waitFor();
  }
  await page.getByLabel('Match').selectOption('start with');
  await status(starts_with).waitFor();
  await page.getByLabel('Match').selectOption('are');
  await page.getByText('No row matches.').waitFor();
  await page.getByLabel('Search').fill(text(7));
  await page.locator('.preview tbody th', { hasText: /^7$/ }).waitFor();
  assert.equal((await texts())[0], text(7));
});

test('shows numbers of every type', async () => {
  const folder = new URL('../../tests/vectors/pco/', import.meta.url);
  const bytesAt = (path) => new Uint8Array(readFileSync(new URL(path, folder)));
  await open('#sample=numbers');
  await heading('numbers.pco');
  await page.getByText('Pco numbers').waitFor();
  assert.equal(await fact('Numbers').textContent(), '2,000');
  assert.equal(await fact('Type').textContent(), 'int32');
  await tab('Structure');
  await item(/^chunk/).first().waitFor();
  await tab('Data');
  const expected = new Int32Array(bytesAt('assets/v1_0_0_conv1.bin').buffer);
  await page.locator('.preview tbody td').first().waitFor();
  await page.locator('.preview tbody td').first().waitFor();
  const numbersInSight = async () => (await page.locator('.preview tbody td').allTextContents()).slice(0, 12);
  assert.deepEqual(await numbersInSight(), Array.from(expected.subarray(0, 12), String));
  await page.getByText('Rows 0 to 255').waitFor();
  const [lowest, highest] = [Math.min(...expected), Math.max(...expected)].map((n) => `${n}`);
  await page.getByRole('img', { name: `All 2,000 values in order, from ${lowest} to ${highest}` }).waitFor();
  // A file of several types has a tab for each.
  await drop('mixed.pco', bytesAt('mixed_dtypes.pco'));
  await heading('mixed.pco');
  const { parts } = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')).files.find(({ file }) => file === 'mixed_dtypes.pco');
  // Decoded values are rendered after the rest.
  const columns = page.getByRole('tablist', { name: 'Columns' }).getByRole('tab');
  await columns.first().waitFor();
  assert.equal(await columns.count(), parts.length);
  const numbers = bytesAt('mixed_dtypes.bin').buffer;
  const at = (type) => parts.find(({ dtype }) => dtype === type).bin_offset;
  await page.getByRole('tab', { name: 'int64', exact: true }).click();
  await page.getByText('300 numbers, int64').waitFor();
  await page.locator('.preview tbody td', { hasText: new RegExp(`^${new BigInt64Array(numbers, at('i64'), 1)[0]}$`) }).first().waitFor();
  assert.deepEqual(await numbersInSight(), Array.from(new BigInt64Array(numbers, at('i64'), 12), String));
  await page.getByRole('tab', { name: 'float16', exact: true }).click();
  await page.getByText('300 numbers, float16').waitFor();
  // Numbers too far apart to subtract: they are drawn, and no infinite difference is shown.
  await drop('extreme.pco', bytesAt('x_f64_extreme_fmulthuge_c2.pco'));
  await heading('extreme.pco');
  const line = page.getByRole('img', { name: /^All [\d,]+ values in order/ });
  await line.locator('.curve').waitFor();
  assert.doesNotMatch(await line.getAttribute('aria-label'), /NaN|Infinity/);
  assert.equal(await page.locator('.statistics dd', { hasText: 'NaN' }).count(), 0);
});

test('shows the error in a broken file of strings or numbers', async () => {
  await open();
  const onp = readFileSync(new URL('../../tests/vectors/onpair/cpp/urls_b12.onp', import.meta.url));
  await drop('short.onp', onp.subarray(0, 20_000));
  await page.locator('.problem h2', { hasText: /ends too early/ }).waitFor();
  await item(/^magic ONPAIR01/).waitFor();
  assert.equal(await page.locator('.preview').count(), 0);
  // The row offsets come last: those present lead to rows.
  for (const [name, bytes, rows] of [['cut.onp', onp.subarray(0, onp.length - 101), 2974], ['order.onp', Buffer.concat([onp.subarray(0, onp.length - 404), Buffer.alloc(4), onp.subarray(onp.length - 400)]), 2899]]) {
    await drop(name, bytes);
    await heading(name);
    await page.locator('.problem').waitFor();
    assert.equal(await fact('Rows').textContent(), rows.toLocaleString('en'));
    await tab('Data');
    const column = unspool.openOnPair(onp);
    const last = Buffer.from(column.row(rows - 1)).toString();
    await goToRow(rows - 1);
    await page.locator('.preview td', { hasText: last }).waitFor();
  }
  const pco = readFileSync(new URL('../../tests/vectors/pco/k_u32_arange.pco', import.meta.url));
  await drop('short.pco', pco.subarray(0, pco.length - 1));
  await heading('short.pco');
  await page.locator('.problem h2', { hasText: /ends too early/ }).waitFor();
});

test('shows what a broken file holds before the error', async () => {
  await open();
  const before = fact('Decoded before the error');
  // A wrong checksum follows all content. A draft stream must be declared.
  for (const format of ['rfc8878', 'draft']) {
    const bytes = vector(`zstd/${format}/text-1025.zst`);
    const whole = Buffer.from(unspool.decodeZstd(bytes));
    bytes[bytes.length - 1] ^= 1;
    await drop(`${format}.zst`, bytes);
    await heading(`${format}.zst`);
    await page.locator('.problem h2', { hasText: /^Checksum mismatch: bytes 0 to \d+ are damaged/ }).waitFor();
    await tab('Data');
    await page.locator('.preview .facts', { hasText: 'of text' }).waitFor();
    await page.getByText('any part of this content may be wrong').waitFor();
    assert.equal(await it.text(), whole.toString().replace(/\n$/, ''));
    assert.match(await fact('Decoded before the checksum').textContent(), /^1\.0 KB$|^1,025 bytes$/);
    assert.equal(await fact('Checksums').count(), 0, 'no checksum is reported as verified');
  }
  // A truncated download.
  const blocks = vector('xz/blocks.xz');
  await drop('short.xz', blocks.subarray(0, blocks.length / 2));
  await heading('short.xz');
  await page.locator('.problem h2', { hasText: /ends too early/ }).waitFor();
  await before.waitFor();
  await tab('Data');
  const start = Buffer.from(unspool.decodeXz(blocks)).toString('latin1', 0, 4096);
  assert.ok((await it.text()).startsWith(start.slice(0, 400)));
  await page.locator('.preview .facts', { hasText: /before the error, .* lines, .*; not all of it is verified by a checksum$/ }).waitFor();
  await drop('unverified.gz', gzipSync('text\n'.repeat(1000)).subarray(0, -6));
  await heading('unverified.gz');
  await tab('Data');
  await page.locator('.preview .facts', { hasText: /^5,000 bytes of text, before the error, 1,000 lines; not all of it is verified by a checksum$/ }).waitFor();
  const frames = vector('at1/c255_edge_xz_two_streams.at1');
  await drop('short.at1', frames.subarray(0, frames.length - 1));
  await heading('short.at1');
  await page.locator('.problem').waitFor();
  // All content, if only the final hash is wrong.
  const hashed = vector('at1/c5_pop_postext.at1');
  hashed[hashed.length - 10] ^= 1;
  await drop('hash.at1', hashed);
  await heading('hash.at1');
  await page.locator('.problem h2', { hasText: /^Checksum mismatch: bytes 0 to [\d,]+ are damaged/ }).waitFor();
  await tab('Data');
  await page.getByText('any part of this content may be wrong').waitFor();
  const text = vector('at1/c5_pop_postext.orig').toString();
  assert.ok(text.startsWith((await it.text()).slice(0, 500)));
  assert.equal(await fact('Decoded before the checksum').textContent(), '106 KB');
  await page.getByText('Show the TypeScript').click();
  assert.match(await page.getByRole('region', { name: 'TypeScript' }).textContent(), /decodeAt1\(bytes\.subarray\(0, 3609\)\)/);

  // The same for gzip content in no known format.
  const lines = Buffer.from('a line of text\n'.repeat(20_000));
  const wrapped = gzipSync(lines, { level: 0 });
  await drop('lines.gz', wrapped.subarray(0, wrapped.length - 100_000));
  await heading('lines.gz');
  await page.locator('.problem h2', { hasText: /ends too early/ }).waitFor();
  await before.waitFor();
  await tab('Data');
  assert.ok((await it.text()).startsWith('a line of text\na line of text\n'));

  // Chunks of numbers.
  const chunk = Buffer.concat([chunkHead(4), Buffer.alloc(32)]);
  for (const left of [1, 20, 47]) {
    await drop(`${left}.pco`, Buffer.concat([PCO_HEAD, chunk, chunk, chunk.subarray(0, left)]));
    await heading(`${left}.pco`);
    await page.locator('.problem h2', { hasText: /ends too early/ }).waitFor();
    assert.equal(await fact('Numbers').textContent(), '8');
    assert.equal(await before.textContent(), '64 bytes');
    assert.equal(await fact('Chunks').textContent(), '2');
    await tab('Data');
    await page.locator('.preview tbody th', { hasText: /^7$/ }).waitFor();
  }
  // The intact part of a chunk.
  const numbers = vector('pco/assets/v1_0_0_conv1.pco');
  await drop('half.pco', numbers.subarray(0, numbers.length / 2));
  await heading('half.pco');
  await page.locator('.problem h2', { hasText: /ends too early/ }).waitFor();
  const { arrays: [{ data }] } = unspool.salvagePco(numbers.subarray(0, numbers.length / 2));
  assert.ok(data.length > 500 && data.length % 256 === 0, `${data.length} numbers`);
  assert.deepEqual(data, unspool.decodePco(numbers).data.subarray(0, data.length));
  assert.equal(await fact('Numbers').textContent(), data.length.toLocaleString('en'));
  await tab('Data');
  await page.getByRole('img', { name: new RegExp(`^All ${data.length.toLocaleString('en')} values in order`) }).waitFor();
  await page.getByText('Show the TypeScript').click();
  assert.match(await page.getByRole('region', { name: 'TypeScript' }).textContent(), /salvagePco\(bytes\)/);
});

test('hides commas and brackets of a header unless selected', async () => {
  await open('#sample=embeddings&view=structure');
  await item(/^header 202/).waitFor();
  assert.equal(await item(/^json/).count(), 0);
  await byte(12).click();
  assert.match(await page.locator('[role=treeitem][aria-selected=true]').textContent(), /^json/);
  await item(/^magic/).click();
  assert.equal(await item(/^json/).count(), 0);
});

test('opens a dropped file, on the start page and over another file', async () => {
  await open('#sample=columns');
  await heading('columns.cvc');
  await drop('mine.cvc', vector('cvc/v1_int8.cvc'));
  await heading('mine.cvc');
  assert.equal(await fact('Stored as').textContent(), 'int8');
  assert.equal(new URL(page.url()).hash, '', 'a file of the visitor has no address');
  const expected = new Float32Array(new Uint8Array(vector('cvc/v1_int8.f32.bin')).buffer);
  await page.locator('.preview tbody td').first().waitFor();
  const shown = await page.locator('.preview tbody tr').first().locator('td').first().textContent();
  assert.equal(Number(shown), Number(expected[0].toPrecision(5)));
  await page.goBack();
  await heading('columns.cvc');
});

test('opens a picked file', async () => {
  await open();
  await page.locator('input[type=file]').setInputFiles({ name: 'picked.cvc', mimeType: '', buffer: vector('cvc/v0_int8.cvc') });
  await heading('picked.cvc');
  assert.equal(await fact('Checksums').textContent(), 'none in this version');
});

test('highlights the bytes of a field in the tree', async () => {
  await open('#sample=embeddings&view=structure');
  await item(/^crc-32/).first().click();
  for (let at = 218; at < 222; at++) assert.match(await classes(byte(at)), /part-checksum.* selected/);
  assert.doesNotMatch(await classes(byte(217)), /selected/);
  assert.doesNotMatch(await classes(byte(222)), /selected/);
  await page.locator('.place').getByText('bytes 218 to 221, checksum').waitFor();
  // Hovering shows a field without selecting it.
  await item(/^magic/).hover();
  assert.match(await classes(byte(0)), /hovered/);
  assert.match(await classes(byte(218)), /selected/);
  // The reverse direction.
  await byte(218).hover();
  await page.locator('.node.hovered', { hasText: /^crc-32/ }).waitFor();
  // The last chunk is far below, and its bytes scroll into sight.
  await page.getByRole('tree').press('End');
  await byte(51_445).or(byte(38_646)).first().waitFor();
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  assert.match(await selected.textContent(), /^values/);
  assert.ok((await page.locator('.byte.selected').count()) > 16);
});

test('selects the innermost field of a byte', async () => {
  await open('#sample=embeddings&at=100');
  // The address names a byte in the middle of the header.
  await page.locator('#byte-100.cursor').waitFor();
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  assert.match(await selected.textContent(), /^(rows|compression|json)/);
  assert.ok(Number(await selected.getAttribute('aria-level')) >= 3, 'the groups around it are unfolded');
  await byte(5).click();
  assert.match(await selected.textContent(), /^major version1/);
  await page.waitForURL(/sample=embeddings&at=5$/);
  await page.getByRole('grid').press('ArrowRight');
  assert.match(await selected.textContent(), /^minor version0/);
  await page.getByRole('grid').press('End');
  assert.match(await selected.textContent(), /^values/);
  await page.locator('#byte-51445.cursor').waitFor();
});

test('shows where and why a file is broken, and what precedes the error', async () => {
  await open('#sample=broken');
  const alert = page.locator('.problem');
  await alert.getByText('Checksum mismatch: bytes 209 to 1,240 are damaged. A checksum cannot say which byte.').waitFor();
  await alert.getByText('At byte 213, in chunk 0 › crc-32: the CRC-32 of the chunk differs from the one in the file.').waitFor();
  assert.match(await item(/does not match/).textContent(), /^crc-32/);
  await item(/^magic/).click();
  await page.getByRole('button', { name: 'Show byte 213' }).click();
  assert.match(await page.locator('[aria-selected=true][role=treeitem]').textContent(), /^crc-32/);
  // The rows around the error fail; those of other chunks are shown.
  await tab('Data');
  const refused = page.getByText(/^Rows in sight cannot be shown: /);
  await refused.waitFor();
  await page.getByRole('region', { name: 'Rows', exact: true }).press('End');
  await page.locator('.preview tbody td').first().waitFor();
  await refused.waitFor({ state: 'detached' });
  // Statistics include them, too.
  const statistics = page.getByRole('region', { name: 'Statistics' });
  await statistics.getByText(/^32 rows that cannot be decoded are left out: .*the CRC-32 of the chunk/).waitFor();
  assert.equal(await summed('Values').textContent(), '1,088');
});

test('describes other broken files, and files in no known format', async () => {
  await open();
  for (const [name, words] of [
    ['trunc_in_payload', /ends too early/],
    ['json_bad_escape', /contradicts itself/],
    ['comp_bfloat16', /cannot decode this variant of the format/],
    ['empty_file', /is empty/],
    ['magic_bad', /^Unknown format: the first bytes match none/],
    ['lossless_bits255', /contradicts itself/],
    ['lossless_code_range', /contradicts itself/],
  ]) {
    await drop(`${name}.cvc`, vector(`cvc/bad/${name}.cvc`));
    await heading(`${name}.cvc`);
    await page.locator('.problem h2', { hasText: words }).waitFor();
  }
  // An error inside a file of a bundle shows only on decoding.
  await drop('bundle.at1', vector('at1/bad/c12_bad_entry.at1'));
  await page.locator('.problem h2', { hasText: /contradicts itself/ }).waitFor();
  await page.getByText('Broken at byte 156', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'AT-1 bundle' }).waitFor();
  await drop('picture.gif', Buffer.from('GIF89a and so on'));
  await page.getByRole('heading', { name: 'Unknown format', exact: true }).waitFor();
  await page.getByText('This looks like a GIF picture').waitFor();
  assert.equal(await byte(0).textContent(), '47', 'the bytes are shown even so');
});

/** Creates a file inside the page, and drops it. */
async function dropMade(make, ...args) {
  await page.evaluate(`window.transfer = new DataTransfer();
    window.transfer.items.add((${make})(...${JSON.stringify(args)}));`);
  const still = await it.watchFrames();
  await page.evaluate(() => document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: window.transfer, bubbles: true, cancelable: true })));
  return still;
}

/** Builds a file of one-row chunks. */
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

/**
 * Builds a version 0 file with 100 MB of values in one chunk. Its header length is where others
 * have the version.
 */
function largeChunk(rows) {
  const head = `{"num_vectors":${rows},"dimension":4,"compression":"fp16","chunks":[{"rows":${rows}}]}`;
  const bytes = new Uint8Array(12 + head.length);
  bytes.set(new TextEncoder().encode(`CVCF____${head}`));
  new DataView(bytes.buffer).setUint32(4, head.length, true);
  new DataView(bytes.buffer).setUint32(8 + head.length, 8 * rows, true);
  return new File([bytes, new Uint8Array(8 * rows)], 'large.cvc');
}

test('stays responsive with a hundred thousand chunks', async () => {
  await open();
  const still = await dropMade(manyChunks, 100_000);
  await heading('many.cvc');
  assert.equal(await fact('Chunks').textContent(), '100,000');
  await tab('Structure');
  await page.getByRole('tree').press('End');
  await item(/^chunk #99999/).waitFor();
  await page.getByRole('grid').press('End');
  await page.locator('.byte.cursor').waitFor();
  await item(/^values fp16/).waitFor();
  const nodes = await page.locator('.node, .byte').count();
  assert.ok(nodes < 2000, `${nodes} elements: only what is in sight exists`);
  await still();
});

test('stays responsive with 100 MB, and reaches every line', async () => {
  await open();
  const still = await dropMade(largeChunk, 12_500_000);
  await heading('large.cvc');
  assert.equal(await fact('Rows').textContent(), '12,500,000');
  await tab('Structure');
  const grid = page.getByRole('grid');
  await grid.press('End');
  await page.locator('.byte.cursor').waitFor();
  const end = Number(await page.locator('.byte.cursor').getAttribute('data-byte'));
  assert.ok(end > 100_000_000);
  await grid.press('ArrowUp');
  await page.locator(`#byte-${end - 16}.cursor`).waitFor();
  // A wheel step moves by lines, not by megabytes.
  const before = await page.locator('.hex [role=row]').first().getAttribute('aria-rowindex');
  await page.locator('.hex').hover();
  await page.mouse.wheel(0, -240);
  await page.waitForFunction((row) => document.querySelector('.hex [role=row]').getAttribute('aria-rowindex') !== row, before);
  const moved = Number(before) - Number(await page.locator('.hex [role=row]').first().getAttribute('aria-rowindex'));
  assert.ok(moved > 0 && moved <= 20, `moved by ${moved} lines`);
  // The rows of the table do too; they need more pixels than a browser can lay out.
  await tab('Data');
  await goToRow(12_499_999);
  await page.getByRole('region', { name: 'Rows', exact: true }).press('PageUp');
  await page.locator('.preview tbody th', { hasText: /^12,499,999$/ }).waitFor({ state: 'detached' });
  await page.locator('.preview tbody th', { hasText: /^12,499,97\d$/ }).first().waitFor();
  await still();
});
