// From values to their bits, and back.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as unspool from './unspool.mjs';
import { inspector } from './harness.mjs';
import { floats, vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, pick, heading, tab, byte, cursorAt } = it;

const count = (n) => n.toLocaleString('en');
const pieces = () => page.getByRole('region', { name: 'Parts of the value' });

/** Returns the parts of a value once they are shown: name, value, place and bytes of each. */
const parts = async (name) => {
  await page.getByRole('region', { name: 'Where this value is stored' }).locator('p', { hasText: name }).first().waitFor();
  const rows = await pieces().locator('tbody tr').all();
  return Promise.all(rows.map(async (row) => (await row.locator('th, td').allTextContents()).slice(0, 4)));
};

/** Waits until a part with this name is shown, and returns its row. */
const part = (name) => pieces().locator('tbody tr', { has: page.locator('th', { hasText: name }) });

const goToRow = async (row, label = 'rows') => {
  await page.getByLabel(`Go to row of ${label}`).fill(String(row));
  await page.getByLabel(`Go to row of ${label}`).press('Enter');
};

test('leads from a row of Pco to its bin and offset, and back', async () => {
  const { data } = unspool.decodePco(vector('pco/m_i32_classic_auto.pco'));
  await open('#sample=bins');
  await goToRow(1000);
  await page.getByRole('button', { name: 'Bytes of row 1,000' }).click();
  await part('primary offset').waitFor();
  // The delta from the row before is the lower bound of the bin and the offset.
  assert.match(await part('primary offset').locator('td').first().textContent(), new RegExp(`so the latent is ${data[1000] - data[999]}$`));
  assert.match(await part('primary bin').locator('td').first().textContent(), /^bin \d; \d+ bits? for the bin/);
  await page.getByRole('button', { name: 'Show the bytes of primary offset' }).click();
  await page.locator('.byte.traced').first().waitFor();
  const traced = await page.locator('.byte.traced').evaluateAll((bytes) => bytes.map((byte) => Number(byte.dataset.byte)));
  assert.ok(traced.length >= 2 && traced.every((at, index) => at === traced[0] + index), String(traced));
  assert.ok((await page.locator('.bit.traced').count()) >= 8);
  await page.getByRole('button', { name: `Values of byte ${count(traced[0])}` }).click();
  const values = page.getByRole('region', { name: 'What this byte decodes to' });
  await values.getByText('primary offset of row 1,000').waitFor();
  await values.getByRole('button', { name: 'Show in Data: primary offset of row 1,000' }).click();
  await page.locator('tr.selected', { hasText: String(data[1000]) }).waitFor();
  // The first number of a page is stored as it is.
  await goToRow(0);
  await part('first number of the page').waitFor();
  assert.equal(await part('first number of the page').locator('td').first().textContent(), String(data[0]));
});

test('leads from a value of CVC to its bytes, in every encoding', async () => {
  const half = floats('cvc/med_fp16.f32.bin');
  await open('#sample=embeddings&stored=open');
  await goToRow(333);
  await page.getByLabel('Value of the row').fill('7');
  await page.getByLabel('Value of the row').press('Enter');
  await page.getByRole('region', { name: 'Where this value is stored' }).getByText('row 333').waitFor();
  await part('half float').locator('td', { hasText: String(half[333 * 64 + 7]) }).waitFor();
  await page.getByRole('button', { name: 'Show the bytes of half float' }).click();
  await page.locator('.byte.traced').first().waitFor();
  assert.equal(await page.locator('.byte.traced').count(), 2);
  const at = Number(await page.locator('.byte.traced').first().getAttribute('data-byte'));
  await page.getByRole('button', { name: `Values of byte ${count(at)}` }).click();
  await page.getByRole('region', { name: 'What this byte decodes to' }).getByText('row 333, value 7').waitFor();
  // The four planes of a lossless float.
  const exact = floats('cvc/v1_lossless_med.f32.bin');
  await open('#sample=lossless&stored=open&drawn=150');
  await heading('lossless.cvc');
  await part('byte 3 of the float').waitFor();
  const found = (await parts('row 150')).filter(([name]) => name.startsWith('byte ')).map(([, value]) => Number(value));
  assert.equal(new DataView(Uint8Array.from(found).buffer).getFloat32(0, true), exact[150 * 24]);
  // A code between the bounds of its chunk.
  const codes = floats('cvc/v1_int8.f32.bin');
  await open();
  await pick('codes.cvc', vector('cvc/v1_int8.cvc'));
  await heading('codes.cvc');
  await goToRow(40);
  await page.getByRole('button', { name: 'Bytes of row 40' }).click();
  await part('scale of the chunk').waitFor();
  const value = async (name) => parseFloat(await part(name).locator('td').first().textContent());
  const code = Number(await part(/^code$/).locator('td').first().textContent().then((text) => text.split(':')[0]));
  assert.equal(Math.fround(Math.fround(code * Math.fround(await value('scale of the chunk'))) + Math.fround(await value('min of the chunk'))), codes[40 * 16]);
});

test('leads from a string to the tokens that spell it, and back', async () => {
  const column = unspool.openOnPair(vector('onpair/cpp/urls_b12.onp'));
  const text = new TextDecoder().decode(column.row(1234));
  await open('#sample=strings');
  await goToRow(1234);
  await page.getByRole('button', { name: 'Bytes of row 1,234' }).click();
  await part('code 0 of the row').waitFor();
  const spelled = (await parts('row 1,234')).filter(([name]) => name.startsWith('code ')).map(([, value]) => value.match(/“(.*)”$/)[1]);
  assert.equal(spelled.join(''), text);
  await page.getByRole('button', { name: 'Show the bytes of code 2 of the row' }).click();
  await page.locator('.bit.traced').first().waitFor();
  assert.equal(await page.locator('.bit.traced').count(), 12);
  const at = Number(await page.locator('.byte.traced').first().getAttribute('data-byte'));
  await page.getByRole('button', { name: `Values of byte ${count(at)}` }).click();
  await page.getByRole('button', { name: 'Show in Data: codes of row 1,234' }).click();
  await page.locator('tr.selected', { hasText: text }).waitFor();
});

test('leads from a letter of Zstandard to its literal, or to the match that copies it', async () => {
  const file = vector('zstd/rfc8878/text-1025.zst');
  const content = unspool.decodeZstd(file);
  await open('#sample=zstd&view=data&stored=open');
  const field = page.getByLabel('Byte of the content');
  const kinds = new Set();
  // The field starts with the first byte in sight.
  for (const at of [1, 0, 100, 500, 501, 777, content.length - 1]) {
    await field.fill(String(at));
    await field.press('Enter');
    await part('block').locator('td', { hasText: `: byte ${count(at)} of` }).waitFor();
    const found = await parts(`byte ${count(at)} of the content`);
    assert.match(found[0][1], /^block 0, compressed/);
    const copied = found.find(([name]) => name === 'copied from');
    kinds.add(copied === undefined);
    if (copied === undefined) assert.match(found[1][0], /^literal [\d,]+ of the block$/);
    else {
      const from = Number(copied[1].match(/byte ([\d,]+)/)[1].replaceAll(',', ''));
      assert.ok(from < at && content[from] === content[at], `${from} and ${at}`);
    }
  }
  assert.equal(kinds.size, 2);
  // A click on a letter selects it.
  const place = Buffer.from(content).indexOf('t', 600);
  const before = Buffer.from(content).subarray(0, place).toString().split('\n');
  const cell = it.lines().locator('tbody tr', { has: page.getByRole('rowheader', { name: String(before.length), exact: true }) }).locator('td');
  const point = await cell.evaluate((cell, letter) => {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    cell.scrollIntoView({ block: 'center' });
    for (let [node, left] = [walker.nextNode(), letter]; node; left -= node.length, node = walker.nextNode()) {
      if (left >= node.length) continue;
      range.setStart(node, left);
      range.setEnd(node, left + 1);
      const { x, y, width, height } = range.getBoundingClientRect();
      return [x + width * 0.7, y + height / 2];
    }
    return undefined;
  }, before.at(-1).length);
  await page.mouse.click(...point);
  await cell.locator('mark', { hasText: /^t$/ }).waitFor();
  await page.getByRole('region', { name: 'Where this value is stored' }).getByText(`byte ${count(place)} of the content`).waitFor();
  // A byte of the sequences leads to the content that it copies.
  await page.getByRole('button', { name: /^Show the bytes of sequence/ }).or(page.getByRole('button', { name: /^Show the bytes of literal/ })).first().click();
  await page.locator('.byte.traced').first().waitFor();
  const stored = Number(await page.locator('.byte.traced').first().getAttribute('data-byte'));
  await page.getByRole('button', { name: `Values of byte ${count(stored)}` }).click();
  const back = page.getByRole('region', { name: 'What this byte decodes to' }).getByRole('listitem');
  await back.first().waitFor();
  const ranges = (await back.allTextContents()).map((text) => text.match(/bytes? ([\d,]+)(?: to ([\d,]+))? of the content/).slice(1).map((n) => n && Number(n.replaceAll(',', ''))));
  assert.ok(ranges.some(([first, last = first]) => first <= place && place <= last), JSON.stringify(ranges));
});

test('leads from content of xz and gzip to the part that holds it', async () => {
  await open('#sample=xz&view=data&stored=open&drawn=2000');
  await part('LZMA symbols').waitFor();
  assert.equal(await part('LZMA symbols').locator('td').first().textContent(), 'bytes 1,500 to 2,999 of the content');
  await open();
  await pick('text.gz', gzipSync('plain text, plain text'));
  await heading('text.gz');
  await tab('Data');
  await page.getByLabel('Byte of the content').fill('5');
  await page.getByLabel('Byte of the content').press('Enter');
  await page.getByRole('button', { name: 'Bytes of byte 5 of the content' }).click();
  await part('deflate').waitFor();
  await page.getByRole('button', { name: 'Show the bytes of deflate' }).click();
  await cursorAt(10);
  assert.match(await byte(10).getAttribute('class'), /traced/);
});

test('leads from a row of AT-1 to the blocks of its group', async () => {
  await open('#sample=at1');
  await page.getByRole('button', { name: 'Select row 3', exact: true }).click();
  await page.getByRole('button', { name: 'Bytes of row 3' }).click();
  await pieces().locator('tbody tr').first().waitFor();
  const table = await unspool.describeAt1(vector('at1/c8_events.at1'));
  const found = await parts('row 3');
  assert.equal(found.length, table.columns.length);
  assert.match(found[0][2], new RegExp(`^bytes? ${count(table.blocks.start[0])}`));
  await pieces().getByRole('button').first().click();
  await cursorAt(table.blocks.start[0]);
  await page.getByRole('button', { name: `Values of byte ${count(table.blocks.start[0])}` }).click();
  await page.getByRole('button', { name: /^Show in Data: column .*, rows 0 to/ }).click();
  await page.locator('tr.selected', { has: page.getByRole('button', { name: 'Select row 0', exact: true }) }).waitFor();
});

test('fits a phone', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  for (const address of ['#sample=bins&stored=open', '#sample=strings&stored=open&drawn=3', '#sample=zstd&view=data&stored=open&drawn=100']) {
    await page.goto('about:blank');
    await open(address);
    await pieces().waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${address}: ${overflow} pixels too wide`);
  }
  it.forgive((what) => what === 'request: about:blank');
});
