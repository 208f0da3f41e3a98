// Queries, sorting and copying in tables.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as unspool from './unspool.mjs';
import { inspector } from './harness.mjs';
import { floats, halves, vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, pick, heading } = it;

const events = () => Buffer.from(unspool.decodeAt1(vector('at1/c8_events.at1'))).toString().trim().split('\n').map((line) => JSON.parse(line));
const status = (words) => page.getByRole('status').filter({ hasText: words }).first().waitFor();
const cells = async () => page.getByRole('table', { name: 'Rows' }).locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const en = (n) => n.toLocaleString('en');

test('finds rows whose text contains other text, and restores the query', async () => {
  const rows = events();
  const part = rows[0].type.slice(1, 4);
  const expected = rows.filter(({ type }) => type.includes(part));
  assert.ok(expected.length > 0 && expected.length < rows.length);
  await open('#sample=at1');
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('Column', { exact: true }).selectOption({ label: 'type (text)' });
  await page.getByLabel('Test', { exact: true }).selectOption({ label: 'contains' });
  await page.getByLabel('Value', { exact: true }).fill(part);
  await page.getByLabel('Result', { exact: true }).selectOption({ label: 'the number of rows' });
  await status(`${en(expected.length)} rows that meet all conditions`);
  for (const [ask, wanted] of [['the sum', expected.reduce((sum, { ts }) => sum + BigInt(ts), 0n)], ['the minimum', expected.reduce((least, { ts }) => Math.min(least, ts), Infinity)]]) {
    await page.getByLabel('Result', { exact: true }).selectOption({ label: ask });
    await page.getByLabel('Aggregated column').selectOption({ label: 'ts' });
    await page.locator('.result', { hasText: new RegExp(`^${wanted}$`) }).waitFor();
  }
  await page.getByLabel('Result', { exact: true }).selectOption({ label: 'original lines' });
  await page.getByRole('table', { name: 'Rows' }).locator('td', { hasText: JSON.stringify(expected[0].ts) }).first().waitFor();
  await page.waitForFunction(() => location.hash.includes('ask=lines'));
  await page.reload();
  await page.getByRole('table', { name: 'Rows' }).locator('td', { hasText: JSON.stringify(expected[0].ts) }).first().waitFor();
  assert.equal(await page.getByLabel('Value', { exact: true }).inputValue(), part);
});

test('computes averages and groups', async () => {
  const rows = events();
  await open('#sample=at1');
  await page.getByLabel('Result', { exact: true }).selectOption({ label: 'the average' });
  await page.getByLabel('Aggregated column').selectOption({ label: 'ts' });
  const average = (list) => Number(list.reduce((sum, { ts }) => sum + BigInt(ts), 0n)) / list.length;
  await page.locator('.result').waitFor();
  await page.waitForFunction((wanted) => Math.abs(Number(document.querySelector('.result')?.textContent) / wanted - 1) < 1e-12, average(rows));
  await open('#sample=zstd');
  await heading('text.zst');
  await open('#sample=at1');
  await page.getByLabel('Result', { exact: true }).selectOption({ label: 'groups of rows' });
  // The first groups are those of a text column, and aggregate numbers.
  const chosen = (label) => page.getByLabel(label).evaluate((select) => select.selectedOptions[0].textContent);
  assert.equal(typeof rows[0][await chosen('Grouped by')], 'string');
  assert.equal(typeof rows[0][await chosen('Aggregated column')], 'number');
  await page.getByLabel('Aggregated column').selectOption({ label: 'ts' });
  await page.getByLabel('Grouped by').selectOption({ label: 'type' });
  const groups = Map.groupBy === undefined ? rows.reduce((map, row) => map.set(row.type, [...(map.get(row.type) ?? []), row]), new Map()) : Map.groupBy(rows, ({ type }) => type);
  const expected = [...groups].sort(([one, a], [other, b]) => b.length - a.length || (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  await status(`${expected.length} groups`);
  await page.getByRole('button', { name: 'average of ts' }).waitFor();
  const shown = await cells();
  assert.deepEqual(shown.map((row) => row.slice(1, 4)), expected.slice(0, shown.length).map(([type, list]) => [JSON.stringify(type), String(list.length), String(list.reduce((sum, { ts }) => sum + BigInt(ts), 0n))]));
  for (const [at, [, list]] of expected.slice(0, shown.length).entries()) assert.ok(Math.abs(Number(shown[at][4]) / average(list) - 1) < 1e-12);
});

test('shows an answer under its own headings until the next one', async () => {
  await page.addInitScript(() => {
    const { postMessage } = Worker.prototype;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (window.hold !== true || !('query' in message)) return postMessage.call(this, message, ...rest);
      window.release = () => postMessage.call(this, message, ...rest);
    };
  });
  await open('#sample=at1');
  const table = page.getByRole('table', { name: 'Rows' });
  const heads = () => table.getByRole('columnheader').allTextContents();
  await table.locator('tbody td').first().waitFor();
  const [before, names] = [await cells(), await heads()];
  await page.evaluate(() => (window.hold = true));
  await page.getByLabel('Result', { exact: true }).selectOption({ label: 'original lines' });
  await page.waitForFunction(() => window.release !== undefined);
  assert.deepEqual([await heads(), await cells()], [names, before]);
  await page.locator('.table[aria-busy=true]').waitFor();
  await page.evaluate(() => window.release());
  await page.locator('.table[aria-busy=false]').waitFor();
  assert.equal((await heads()).length, 2);
});

test('sorts the rows of an answer, and copies those that are selected', async () => {
  const rows = events().slice(0, 1000).map((row, at) => ({ ...row, at }));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('#sample=at1');
  // The arrow of the order is part of the name.
  const head = page.getByRole('columnheader', { name: /^ts/ }).getByRole('button');
  await head.click();
  await page.getByRole('columnheader', { name: 'ts' }).and(page.locator('[aria-sort=ascending]')).waitFor();
  const up = rows.toSorted?.((a, b) => a.ts - b.ts || a.at - b.at) ?? [...rows].sort((a, b) => a.ts - b.ts || a.at - b.at);
  assert.deepEqual((await cells()).slice(0, 5).map(([at]) => at), up.slice(0, 5).map(({ at }) => en(at)));
  await head.click();
  await page.locator('[aria-sort=descending]').waitFor();
  const down = [...rows].sort((a, b) => b.ts - a.ts || a.at - b.at);
  assert.deepEqual((await cells()).slice(0, 5).map(([at]) => at), down.slice(0, 5).map(({ at }) => en(at)));
  const line = (at) => page.getByRole('table', { name: 'Rows' }).locator('tbody tr').nth(at);
  await line(1).click();
  await line(3).click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Copy 3 rows' }).click();
  await page.getByText('3 rows copied').waitFor();
  const copied = (await clipboard()).split('\n').map((text) => text.split('\t'));
  assert.equal(copied.length, 3);
  for (const [at, cells] of copied.entries()) assert.ok(cells.includes(String(down[at + 1].ts)), cells.join());
});

test('copies vectors with all their values, by keyboard', async () => {
  const vectors = floats('cvc/med_fp16.f32.bin');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('#sample=embeddings');
  await page.getByRole('button', { name: 'Draw row 2', exact: true }).click();
  const table = page.getByRole('region', { name: 'Rows', exact: true });
  await table.focus();
  await table.press('Shift+ArrowDown');
  await table.press('Control+c');
  await page.getByText('2 rows copied').waitFor();
  const copied = (await clipboard()).split('\n').map((text) => text.split('\t').map(Number));
  assert.deepEqual(copied, [2, 3].map((row) => [row, ...vectors.subarray(row * 64, (row + 1) * 64)]));
});

test('copies strings as a whole', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const column = unspool.openOnPair(vector('onpair/cpp/urls_b12.onp'));
  await open('#sample=strings');
  const rows = page.getByRole('table', { name: 'Rows' }).locator('tbody tr');
  await rows.nth(4).click();
  await rows.nth(2).click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Copy 3 rows' }).click();
  await page.getByText('3 rows copied').waitFor();
  assert.equal(await clipboard(), [2, 3, 4].map((row) => `${row}\t${column.text(row)}`).join('\n'));
});

// The arrow of the order is part of the name.
const sort = (name) => page.getByRole('columnheader', { name: new RegExp(`^${name}( [↑↓])?$`) }).getByRole('button').click();
/** Row numbers in sight once the table is sorted, or in the order of the file. */
const rowsInSight = async () => (await cells()).map(([row]) => Number(row.replaceAll(',', '')));
/** Compares the first rows. Equal ones have the order of the file. */
async function startsWith(order) {
  const wanted = Array.from(order.slice(0, 8));
  const arrived = (wanted) => [...document.querySelectorAll('table[aria-label=Rows] tbody th')].slice(0, wanted.length).map((cell) => cell.textContent).join() === wanted.join();
  // The difference says more than that nothing came.
  await page.waitForFunction(arrived, wanted.map(en)).catch(() => undefined);
  assert.deepEqual((await rowsInSight()).slice(0, wanted.length), wanted);
}
const orderBy = (length, compare) => Array.from({ length }, (_, at) => at).sort((a, b) => compare(a, b) || a - b);

test('sorts all numbers of a file, up, down and back', async () => {
  const { data } = unspool.decodePco(vector('pco/m_i32_classic_auto.pco'));
  await open('#sample=bins');
  await sort('value');
  await status(`Sorted: all ${en(data.length)} rows.`);
  await startsWith(orderBy(data.length, (a, b) => data[a] - data[b]));
  // The value of a row leads to its bytes, and a row to its place.
  const [least] = orderBy(data.length, (a, b) => data[a] - data[b]);
  await page.getByRole('button', { name: `Draw row ${least}`, exact: true }).click();
  await page.getByRole('button', { name: `Bytes of row ${en(least)}` }).waitFor();
  await page.getByLabel('Go to row of rows').fill('0');
  await page.getByLabel('Go to row of rows').press('Enter');
  await page.locator('tr.selected th', { hasText: /^0$/ }).waitFor();
  await sort('value');
  await startsWith(orderBy(data.length, (a, b) => data[b] - data[a]));
  await page.locator('th[aria-sort=descending]').waitFor();
  await sort('value');
  await startsWith([0, 1, 2, 3, 4, 5, 6, 7]);
  await page.getByText('Sorted:').waitFor({ state: 'detached' });
});

test('sorts vectors by one of their values', async () => {
  const vectors = floats('cvc/med_fp16.f32.bin');
  await open('#sample=embeddings');
  await sort('3');
  await status('Sorted: all 400 rows.');
  await startsWith(orderBy(400, (a, b) => vectors[64 * a + 3] - vectors[64 * b + 3]));
  await page.getByRole('button', { name: 'Order of the file' }).click();
  await startsWith([0, 1, 2]);
});

test('sorts strings, and those that a search has found', async () => {
  const column = unspool.openOnPair(vector('onpair/cpp/urls_b12.onp'));
  const texts = Array.from({ length: column.rowCount }, (_, row) => Buffer.from(column.row(row)));
  await open('#sample=strings');
  await sort('text');
  await status(`Sorted: all ${en(texts.length)} rows.`);
  await startsWith(orderBy(texts.length, (a, b) => Buffer.compare(texts[a], texts[b])));
  await sort('size');
  await startsWith(orderBy(texts.length, (a, b) => texts[a].length - texts[b].length));
  const needle = texts[7].toString().slice(-3);
  await page.getByLabel('Search', { exact: true }).fill(needle);
  const found = orderBy(texts.length, (a, b) => Buffer.compare(texts[a], texts[b])).filter((row) => texts[row].includes(needle));
  await status(`${en(found.length)} of ${en(texts.length)} rows`);
  // Another table is not sorted.
  await page.getByText('Sorted:').waitFor({ state: 'detached' });
  await sort('text');
  await status(`Sorted: all ${en(found.length)} row`);
  await startsWith(found);
});

test('sorts tables in text', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({ name: `n${(at * 7919) % 1000}`, value: ((at * 104_729) % 20_011) - 10_000 }));
  const csv = `name,value\n${rows.map(({ name, value }) => `${name},${value}\n`).join('')}`;
  const json = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  await open();
  for (const [name, text] of [['table.csv.gz', csv], ['table.jsonl.gz', json]]) {
    await pick(name, gzipSync(text));
    await heading(name);
    await sort('value');
    await status('Sorted: all 20,000 rows.');
    await startsWith(orderBy(rows.length, (a, b) => rows[a].value - rows[b].value));
    await sort('name');
    const byName = orderBy(rows.length, (a, b) => (rows[a].name < rows[b].name ? -1 : rows[a].name > rows[b].name ? 1 : 0));
    await startsWith(byName);
    assert.deepEqual((await cells())[0].slice(1), [rows[byName[0]].name, String(rows[byName[0]].value)]);
  }
});

test('says that a file on a server is sorted only in part', async () => {
  const [rows, dimension] = [300_000, 2];
  const bytes = halves(rows, dimension, (at) => 0x6400 + ((at * 7919) % 1024));
  const other = createServer((request, response) => {
    const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range', 'Access-Control-Expose-Headers': 'Content-Range, Content-Length' };
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    // The file is longer than its chunks: too long to fetch.
    const size = 300e6;
    const body = Buffer.alloc(Math.min(size, Number(end) + 1) - Number(start));
    bytes.copy(body, 0, Number(start));
    response.writeHead(206, { ...cors, 'Content-Range': `bytes ${start}-${Number(start) + body.length - 1}/${size}`, 'Content-Length': body.length }).end(body);
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    await open(`#url=${encodeURIComponent(`http://127.0.0.1:${other.address().port}/far.cvc`)}`);
    await sort('1');
    const read = 2 ** 18 / dimension;
    await status(`Sorted: the first ${en(read)} of 300,000 rows. The others are not shown.`);
    const value = (row) => ((row * dimension + 1) * 7919) % 1024;
    await startsWith(orderBy(read, (a, b) => value(a) - value(b)));
    it.forgive((text) => text.includes('far.cvc'));
  } finally {
    other.closeAllConnections();
    other.close();
  }
});
