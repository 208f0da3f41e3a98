// Tools for vectors and columns.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeEach, test } from 'node:test';
import { inspector } from './harness.mjs';
import { floats, vector } from './vectors.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, heading, pick } = it;

const DIMENSION = 64;
const region = (name) => page.getByRole('region', { name, exact: true });
const row = (vectors, at) => vectors.subarray(at * DIMENSION, (at + 1) * DIMENSION);
const product = (one, other) => one.reduce((sum, number, at) => sum + number * other[at], 0);
const numberIn = (text) => Number(text.replaceAll(',', ''));

/** Builds a CVC file of single vectors of half floats, from their bits. */
function vectorsOf(bits, dimension) {
  const rows = bits.length / dimension;
  const head = Buffer.from(JSON.stringify({ num_vectors: rows, dimension, compression: 'fp16', chunks: [{ rows }] }));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(2 * bits.length, 4);
  const values = Buffer.alloc(2 * bits.length);
  bits.forEach((half, at) => values.writeUInt16LE(half, 2 * at));
  return Buffer.concat([Buffer.from('CVCF'), lengths.subarray(0, 4), head, lengths.subarray(4), values]);
}

test('finds the neighbours of a vector with two clicks', async () => {
  const vectors = floats('cvc/med_fp16.f32.bin');
  await open('#sample=embeddings');
  await page.locator('.preview tbody td').first().waitFor();
  await page.getByRole('button', { name: 'Draw row 3', exact: true }).click();
  await page.getByRole('button', { name: 'Neighbours of row 3', exact: true }).click();
  const found = await region('Neighbours of row 3').locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const cosine = (at) => product(row(vectors, 3), row(vectors, at)) / Math.hypot(...row(vectors, 3)) / Math.hypot(...row(vectors, at));
  const expected = Array.from({ length: 400 }, (_, at) => [at, cosine(at)]).filter(([at]) => at !== 3).sort(([, one], [, other]) => other - one).slice(0, 20);
  assert.deepEqual(found.map(([at, share]) => [numberIn(at), share]), expected.map(([at, share]) => [at, share.toFixed(4)]));
  // A neighbour leads to its row.
  await region('Neighbours of row 3').getByRole('button').first().click();
  await page.getByRole('button', { name: `Neighbours of row ${expected[0][0]}`, exact: true }).waitFor();
});

test('draws a sample in the plane of largest variance', async () => {
  const vectors = floats('cvc/med_fp16.f32.bin');
  await open('#sample=embeddings');
  await page.getByRole('button', { name: 'Map a sample' }).click();
  const drawing = page.locator('.plane svg');
  await drawing.waitFor();
  const points = await drawing.locator('[data-row]').evaluateAll((circles) => circles.map((circle) => ['data-row', 'cx', 'cy'].map((name) => Number(circle.getAttribute(name)))));
  assert.deepEqual(points.map(([at]) => at), Array.from({ length: 400 }, (_, at) => at));
  // The directions, by power iteration on the covariance.
  const mean = Array.from({ length: DIMENSION }, (_, place) => points.reduce((sum, [at]) => sum + row(vectors, at)[place], 0) / 400);
  const centred = points.map(([at]) => Float64Array.from(row(vectors, at), (number, place) => number - mean[place]));
  const matrix = mean.map((_, a) => Float64Array.from(mean, (_, b) => centred.reduce((sum, vector) => sum + vector[a] * vector[b], 0)));
  const all = matrix.reduce((sum, line, at) => sum + line[at], 0);
  const shares = [];
  for (const axis of [0, 1]) {
    let direction = Float64Array.from(mean, (_, at) => Math.cos(at * at));
    let length = 0;
    for (let times = 0; times < 5000; times++) {
      const next = matrix.map((line) => product(line, direction));
      length = Math.hypot(...next);
      direction = Float64Array.from(next, (number) => number / length);
    }
    shares.push(length / all);
    matrix.forEach((line, a) => line.forEach((_, b) => (line[b] -= length * direction[a] * direction[b])));
    // Drawn positions depend on it linearly, up or down.
    const [expected, drawn] = [centred.map((vector) => product(vector, direction)), points.map((point) => point[1 + axis])];
    const middle = drawn.reduce((sum, number) => sum + number, 0) / 400;
    const fit = product(drawn.map((number) => number - middle), expected) / Math.sqrt(product(expected, expected) * drawn.reduce((sum, number) => sum + (number - middle) ** 2, 0));
    assert.ok(Math.abs(fit) > 0.999, `axis ${axis}: ${fit}`);
  }
  const [across, up] = (await page.locator('.plane figcaption').textContent()).match(/[\d.]+(?=%)/g).map(Number);
  assert.ok(Math.abs(across - 100 * shares[0]) < 0.06 && Math.abs(up - 100 * shares[1]) < 0.06, `${across} ${up} ${shares}`);
  await drawing.locator('[data-row="123"]').dispatchEvent('click');
  await page.getByRole('button', { name: 'Neighbours of row 123', exact: true }).waitFor();
});

test('finds rows of zeros, rows that are not numbers, and duplicates', async () => {
  const [rows, dimension] = [3000, 8];
  const bits = Array.from({ length: rows * dimension }, (_, at) => 0x3000 + ((at * 7919) % 0x0fff));
  const copy = (to, from) => bits.splice(to * dimension, dimension, ...bits.slice(from * dimension, (from + 1) * dimension));
  copy(1500, 20);
  copy(2999, 20);
  bits.fill(0, 700 * dimension, 701 * dimension);
  // Zeros of both signs.
  bits.fill(0x8000, 701 * dimension, 702 * dimension);
  bits[900 * dimension + 3] = 0x7e00;
  await open();
  await pick('odd.cvc', vectorsOf(bits, dimension));
  await heading('odd.cvc');
  await page.getByRole('button', { name: 'Find odd rows' }).click();
  const lines = region('Odd rows').getByRole('listitem');
  await lines.first().waitFor();
  assert.deepEqual(await lines.allTextContents(), ['2 rows of zeros700701', '1 row with a value that is not a number900', '2 rows that repeat an earlier one1,500 = row 202,999 = row 20']);
  // A row without a direction has no neighbours, and is none.
  await lines.first().getByRole('button').first().click();
  await page.getByRole('button', { name: 'Neighbours of row 700', exact: true }).click();
  await page.getByText('Row 700 has no direction').waitFor();
});

test('shows the size of each column at once, and searches many', async () => {
  await open('#sample=columns');
  const list = page.getByRole('table', { name: 'Columns', exact: true });
  await list.locator('tbody tr').first().waitFor();
  const shown = await list.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const { columns } = JSON.parse(vector('cvc/manifest.json')).entries.find(({ file }) => file === 'v2_ints_default.cvc');
  assert.deepEqual(shown.map((cells) => cells.slice(0, 3)), columns.map(({ name, dtype, dimension }) => [name, dtype, String(dimension)]));
  // The same sizes as in the view of bytes.
  const stored = new Map(shown.map(([name, , , size]) => [name, size]));
  await it.tab('Bytes');
  const rows = page.getByRole('table', { name: 'Pieces of the file' }).locator('tbody tr');
  await rows.first().waitFor();
  const pieces = await rows.evaluateAll((rows) => rows.map((row) => [row.cells[0].textContent, row.cells[1].textContent]));
  assert.ok(pieces.length > 4);
  for (const [name, size] of pieces) assert.equal(stored.get(name), size, name);
  await it.tab('Data');
  await list.getByRole('img').first().waitFor();
  await list.getByRole('button', { name: 'Show column int64_v' }).click();
  assert.equal(await page.getByRole('tab', { name: 'int64_v', exact: true }).getAttribute('aria-selected'), 'true');

  await pick('wide.csv.at1', vector('at1/c7_wide.at1'));
  await heading('wide.csv.at1');
  await page.getByText(/^\d+ columns$/).waitFor();
  const all = Number((await page.locator('.column-list h3').textContent()).match(/\d+/)[0]);
  assert.ok(all > 8);
  const label = await list.locator('tbody tr button').nth(2).textContent();
  await page.getByLabel('Find a column').fill(label);
  await page.getByText(new RegExp(`^\\d+ of ${all}$`)).waitFor();
  assert.ok((await list.locator('tbody tr').filter({ hasText: label }).count()) > 0);
  await page.getByLabel('Find a column').fill('no such column');
  await page.getByText('No column has this name or type.').waitFor();
});

test('passes axe in light and dark, and fits a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const [hash, shown] of [['#sample=embeddings', 'Map a sample'], ['#sample=columns', 'Show column int32_s'], ['#sample=at1', 'Show column type']]) {
    await page.goto('about:blank');
    await open(hash);
    await page.getByRole('button', { name: shown, exact: true }).click();
    if (shown === 'Map a sample') {
      await page.locator('.plane').waitFor();
    }
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hash}: no wider than the screen`);
    await page.evaluate(axe);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${colorScheme} ${hash} ${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`), []);
    }
  }
  it.forgive((what) => what === 'request: about:blank');
});
