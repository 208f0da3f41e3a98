// Queries, sorting and copying in tables.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import * as unspool from './unspool.mjs';
import { inspector } from './harness.mjs';
import { floats, vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open } = it;

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
  await page.getByLabel('Result', { exact: true }).selectOption({ label: 'groups of rows' });
  await page.getByLabel('Grouped by').selectOption({ label: 'type' });
  const groups = Map.groupBy === undefined ? rows.reduce((map, row) => map.set(row.type, [...(map.get(row.type) ?? []), row]), new Map()) : Map.groupBy(rows, ({ type }) => type);
  const expected = [...groups].sort(([one, a], [other, b]) => b.length - a.length || (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  await status(`${expected.length} groups`);
  await page.getByRole('button', { name: 'average of ts' }).waitFor();
  const shown = await cells();
  assert.deepEqual(shown.map((row) => row.slice(1, 4)), expected.slice(0, shown.length).map(([type, list]) => [JSON.stringify(type), String(list.length), String(list.reduce((sum, { ts }) => sum + BigInt(ts), 0n))]));
  for (const [at, [, list]] of expected.slice(0, shown.length).entries()) assert.ok(Math.abs(Number(shown[at][4]) / average(list) - 1) < 1e-12);
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
