// The codec views of DEFLATE and LZMA.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import * as unspool from './unspool.mjs';
import { inaccessible } from './axe.mjs';
import { inspector } from './harness.mjs';
import { vector } from './vectors.mjs';
import { blocksOf } from '../../wasm/npm/test/inflate.mjs';
import { streamOf } from '../../wasm/npm/test/unlzma.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, pick, heading, tab } = it;

const count = (n) => n.toLocaleString('en');
const number = (text) => Number(text.replaceAll(',', ''));
const table = (name) => page.getByRole('table', { name, exact: true });
const total = async (name) => Number(await table(name).getAttribute('aria-rowcount')) - 1;

/** Returns the cells of the rows in sight. */
const cells = (name) => table(name).locator('tbody tr').evaluateAll((rows) => rows.map(({ children }) => [...children].map(({ textContent }) => textContent)));

/** Text that an encoder divides into several blocks. */
const words = 'blocks of DEFLATE have codes of their own and matches that copy earlier text'.split(' ');
const text = Buffer.from(Array.from({ length: 60_000 }, (_, at) => words[(at * at + (at >> 3)) % words.length] + (at % 97)).join(' '));

test('lists the blocks of DEFLATE with codes, matches and symbols', async () => {
  const file = gzipSync(text, { level: 6 });
  const blocks = blocksOf(file, 10);
  assert.ok(blocks.length > 2);
  await open();
  await pick('words.gz', file);
  await heading('words.gz');
  await tab('Codec');
  await page.getByText(`${blocks.length} blocks`, { exact: true }).waitFor();
  let at = 0;
  for (const [index, row] of (await cells('DEFLATE blocks')).entries()) {
    const { start, symbols } = blocks[index];
    const matches = symbols.filter(({ length }) => length > 0);
    const content = symbols.reduce((sum, { literal, length = 0 }) => sum + (literal === undefined ? length : 1), 0);
    assert.deepEqual([row[0], row[1], row[2], row[5], row[7]], [String(index), 'own code', count(start >> 3), count(symbols.length), count(matches.length)]);
    at += content;
  }
  assert.equal(at, text.length);

  // The second block: the bits of all its symbols are those after its header.
  await page.getByLabel('Block', { exact: true }).fill('1');
  await page.getByLabel('Block', { exact: true }).press('Enter');
  const { data, end, symbols, lengths } = blocks[1];
  await page.getByRole('heading', { name: 'Block 1: own code' }).waitFor();
  await table('Code').waitFor();
  assert.equal(await total('Code'), lengths.flat().filter((length) => length > 0).length);
  const [name, code, extra, used, , bits] = (await cells('Code'))[0];
  assert.equal(number(bits), number(used) * (number(code) + number(extra)), name);
  await page.getByRole('img', { name: `Lengths of ${count(symbols.filter(({ length }) => length > 0).length)} matches` }).waitFor();
  await page.getByRole('img', { name: /^Distances of/ }).waitFor();
  assert.equal(await page.locator('.inside svg rect.stick').count(), 29 + 30);
  const facts = await page.getByText(/bits of header/).textContent();
  const [, literals, rest] = facts.match(/\d[\d,]*/g).map(number);
  assert.equal(literals + rest, end - data);

  assert.deepEqual(await inaccessible(page, 'DEFLATE'), []);

  // A page deep in the list, its bits, and its content.
  assert.equal(await total('Symbols'), symbols.length);
  const first = blocks[0].symbols.reduce((sum, { literal, length = 0 }) => sum + (literal === undefined ? length : 1), 0);
  const far = symbols.findLastIndex(({ length }) => length > 0);
  await page.getByLabel('Go to row of symbols').fill(String(far));
  await page.getByLabel('Go to row of symbols').press('Enter');
  const row = table('Symbols').locator('tbody tr', { has: page.locator('th', { hasText: new RegExp(`^${count(far)}$`) }) });
  await row.waitFor();
  const place = first + symbols.slice(0, far).reduce((sum, { literal, length = 0 }) => sum + (literal === undefined ? length : 1), 0);
  const { start, end: stop, length, distance } = symbols[far];
  await row.getByText(`${length} bytes from ${count(distance)} back`).waitFor();
  assert.deepEqual((await row.locator('td').allTextContents()).slice(0, 3), [count(place), `${length} bytes from ${count(distance)} back`, String(stop - start)]);
  await page.getByRole('button', { name: `Show the content of symbol ${count(far)}` }).click();
  await page.getByRole('tab', { name: 'Data', exact: true, selected: true }).waitFor();
  await tab('Codec');
  await page.getByRole('button', { name: `Show the bits of symbol ${count(far)}` }).click();
  await page.locator('.byte.traced').first().waitFor();
  const traced = await page.locator('.byte.traced').evaluateAll((bytes) => bytes.map(({ dataset }) => Number(dataset.byte)));
  assert.deepEqual([traced[0], traced.at(-1)], [start >> 3, (stop - 1) >> 3]);
});

test('lists stored blocks and blocks of a broken file', async () => {
  await open();
  await pick('stored.gz', gzipSync(text.subarray(0, 100_000), { level: 0 }));
  await heading('stored.gz');
  await tab('Codec');
  await page.getByRole('heading', { name: 'Block 0: stored' }).waitFor();
  assert.equal(await total('Symbols'), 1);
  const file = gzipSync(text, { level: 6 });
  await pick('cut.gz', file.subarray(0, file.length - 100));
  await heading('cut.gz');
  await tab('Codec');
  await page.getByText('; the list ends where the file breaks').waitFor();
  assert.equal(await total('DEFLATE blocks'), blocksOf(file, 10).length - 1);
});

test('lists the symbols of LZMA with their costs', async () => {
  const file = vector('lzma/page.lzma');
  const out = [];
  const { symbols, coded } = streamOf(file, out);
  await open();
  await pick('page.lzma', file);
  await heading('page.lzma');
  await tab('Codec');
  await page.getByRole('heading', { name: 'Chunk 0: stream' }).waitFor();
  const sum = (list) => list.reduce((sum, { cost }) => sum + cost, 0);
  const rows = await cells('Cost by kind');
  const names = { literal: 'literal', match: 'match', endMarker: 'end marker', shortRep: 'one byte at the last distance' };
  for (const [kind, name] of Object.entries(names)) {
    const own = symbols.filter((symbol) => symbol.kind === kind);
    const row = rows.find(([head]) => head === name);
    if (own.length === 0) assert.equal(row, undefined);
    else assert.deepEqual([number(row[1]), Math.abs(number(row[3]) - sum(own)) < 2], [own.length, true], kind);
  }
  const bits = rows.reduce((sum, row) => sum + number(row[3]), 0);
  assert.ok(8 * coded - bits > 30 && 8 * coded - bits < 44, `${bits} of ${8 * coded}`);
  assert.equal(await total('Symbols'), symbols.length);
  for (const [place, name, cost] of (await cells('Symbols')).map(([, ...row]) => row)) {
    const symbol = symbols.find(({ start }) => count(start) === place);
    assert.ok(Math.abs(Number(cost) - symbol.cost) < 0.03, `${place}: ${cost}, not ${symbol.cost}`);
    assert.match(name, symbol.kind === 'literal' ? /^literal/ : new RegExp(`: ${symbol.length} bytes? from ${count(symbol.distance)} back$`));
  }
  assert.deepEqual(await inaccessible(page, 'LZMA'), []);
  await page.getByRole('button', { name: 'Show the bits of symbol 3', exact: true }).click();
  await page.locator('.byte.traced').first().waitFor();

  // Chunks of LZMA2.
  await pick('blocks.xz', vector('xz/blocks.xz'));
  await heading('blocks.xz');
  await tab('Codec');
  await page.getByRole('heading', { name: /^Chunk 0: / }).waitFor();
  const chunks = await cells('LZMA chunks');
  assert.ok(chunks.length > 1);
  assert.equal(chunks.reduce((sum, row) => sum + number(/[\d,]+/.exec(row[4])[0]), 0), unspool.decodeXz(vector('xz/blocks.xz')).length);
});
