// The curve of a column, and zooming into it.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { inspector } from './harness.mjs';
import { doubles, floats, vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, heading, pick } = it;

const expected = new Int32Array(new Uint8Array(vector('pco/assets/v1_0_0_conv1.bin')).buffer);
const curve = (start, end, numbers = expected.subarray(start, end)) =>
  page.getByRole('img', { name: `Values ${start.toLocaleString('en')} to ${(end - 1).toLocaleString('en')} in order, from ${Math.min(...numbers)} to ${Math.max(...numbers)}`, exact: true });
const all = () => page.getByRole('img', { name: /^All 2,000 values in order/ });
const move = (name) => page.getByRole('button', { name, exact: true });
const words = () => page.locator('.course span').last().textContent();
/** The area of the curve. */
const area = () => page.locator('.statistics .area');

test('zooms and pans a curve', async () => {
  await open('#sample=numbers');
  await all().waitFor();
  await move('Zoom in on the curve').click();
  await curve(750, 1250).waitFor();
  assert.equal(await words(), 'Rows 750 to 1,249');
  await move('Pan right').click();
  await curve(1000, 1500).waitFor();
  await move('Pan left').press('Enter');
  await curve(750, 1250).waitFor();
  await move('Zoom in on the curve').press('Enter');
  await curve(938, 1063).waitFor();
  await page.waitForFunction(() => location.hash.includes('part=938-1063'));
  // The address restores it.
  await page.reload();
  await curve(938, 1063).waitFor();
  // Zooms to the minimum, and not beyond the ends.
  for (let times = 0; times < 2; times++) await move('Zoom in on the curve').click();
  await page.getByText('Rows 993 to 1,008', { exact: true }).waitFor();
  assert.equal(await move('Zoom in on the curve').getAttribute('aria-disabled'), 'true');
  for (let times = 0; times < 4; times++) await move('Zoom out of the curve').click();
  await all().waitFor();
  assert.equal(await move('Pan left').getAttribute('aria-disabled'), 'true');
  await page.waitForFunction(() => !location.hash.includes('part'));
});

test('names the hovered point, goes to its row, and draws a dragged range', async () => {
  await open('#sample=numbers&part=1000-1500');
  await curve(1000, 1500).waitFor();
  await area().waitFor();
  const { width, height } = await area().boundingBox();
  const point = (share) => ({ x: Math.round(width * share), y: Math.round(height / 2) });
  await area().hover({ position: point(0.25) });
  await page.locator('.course', { hasText: /row 1,\d+: / }).waitFor();
  const [, row, number] = /^row ([\d,]+): (-?\d+)$/.exec(await words());
  const at = Number(row.replaceAll(',', ''));
  assert.ok(Math.abs(at - 1125) <= 2, row);
  assert.equal(Number(number), expected[at]);
  await area().click({ position: point(0.25) });
  await page.locator('.preview tbody tr.selected th', { hasText: row }).waitFor();
  assert.equal(await page.locator('.preview tbody tr.selected td').first().textContent(), number);
  // A click does not zoom.
  await curve(1000, 1500).waitFor();
  await area().hover({ position: point(0.2) });
  await page.mouse.down();
  const box = await area().boundingBox();
  await page.mouse.move(box.x + width * 0.6, box.y + height / 2, { steps: 4 });
  await page.mouse.up();
  await page.getByRole('img', { name: /^Values 1,(09|10)\d to 1,(29|30)\d/ }).waitFor();
  const [, from, to, low, high] = /^Values ([\d,]+) to ([\d,]+) in order, from (\S+) to (\S+)$/.exec(await page.locator('.statistics .chart').getAttribute('aria-label')).map((text) => text.replaceAll(',', ''));
  const dragged = expected.subarray(Number(from), Number(to) + 1);
  assert.deepEqual([Number(low), Number(high)], [Math.min(...dragged), Math.max(...dragged)]);
});

test('zooms the norms of vectors, and follows the colour scheme', async () => {
  const values = floats('cvc/med_fp16.f32.bin');
  const norms = Array.from({ length: 400 }, (_, row) => Math.hypot(...values.subarray(row * 64, row * 64 + 64)));
  await open('#sample=embeddings');
  await move('Zoom in on the curve').click();
  const chart = page.getByRole('img', { name: /^Norms 150 to 249 in order/ });
  await chart.waitFor();
  const [low, high] = (await chart.getAttribute('aria-label')).match(/from (\S+) to (\S+)$/).slice(1).map(Number);
  const part = norms.slice(150, 250);
  assert.ok(Math.abs(low - Math.min(...part)) < 1e-3 && Math.abs(high - Math.max(...part)) < 1e-3, `${low} ${high}`);
  // Drawn from the lowest norm to the highest, as each row has one number.
  const points = (await chart.locator('.curve').getAttribute('d')).slice(1, -1).split('L').map((point) => point.split(' ').map(Number));
  assert.equal(points.length, 200);
  part.forEach((norm, at) => {
    assert.ok(Math.abs(points[at][0] - (1000 * at) / 99) < 0.1, `x of ${at}`);
    assert.ok(Math.abs(points[at][1] - 1000 * (1 - (norm - Math.min(...part)) / (Math.max(...part) - Math.min(...part)))) < 1, `y of ${at}`);
    assert.deepEqual(points[199 - at], points[at]);
  });
  const colour = () => chart.locator('.curve').evaluate((path) => getComputedStyle(path).stroke);
  const light = await colour();
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.notEqual(await colour(), light);
  await page.waitForFunction(() => location.hash.includes('part=150-250'));
});

test('labels close numbers distinctly, and the largest numbers too', async () => {
  const shown = page.locator('.statistics .chart');
  /** Returns the labels beside the curve, and how far each is from the edges of its room. */
  const beside = () => shown.evaluate((box) => {
    const [outer, inner] = [box.getBoundingClientRect(), box.querySelector('.area').getBoundingClientRect()];
    return Array.from(box.querySelectorAll('.beside span'), (label) => {
      const { left, right, top } = label.getBoundingClientRect();
      return { text: label.textContent, room: Math.min(left - outer.left, inner.left - right, top - outer.top) };
    });
  });
  await open();
  for (const [name, numbers] of [
    ['times', Array.from({ length: 500 }, (_, at) => 1.7e15 + at * 1e6)],
    ['ones', Array.from({ length: 100 }, (_, at) => 1 + at * 2 ** -52)],
    ['huge', Array.from({ length: 101 }, (_, at) => (at - 50) * 2e298)],
    ['largest', Array.from({ length: 101 }, (_, at) => ((at - 50) / 50) * 1.79e308)],
  ]) {
    await pick(`${name}.pco`, doubles(numbers));
    await heading(`${name}.pco`);
    await area().hover();
    const row = Number(/row (\d+): /.exec(await words())[1]);
    const [low, high] = (await shown.getAttribute('aria-label')).match(/from (\S+) to (\S+)$/).slice(1).map(Number);
    const near = (shown, number) => assert.ok(name === 'times' || name === 'ones' ? shown === number : Math.abs(shown / number - 1) < 1e-3, `${name}: ${shown} ${number}`);
    near(low, numbers[0]);
    near(high, numbers.at(-1));
    near(Number(/: (\S+)$/.exec(await words())[1]) || 1, numbers[row] || 1);
    const labels = await beside();
    assert.equal(new Set(labels.map(({ text }) => text)).size, 3, `${name}: ${JSON.stringify(labels)}`);
    assert.ok(labels.every(({ room }) => room >= 0), `${name}: ${JSON.stringify(labels)}`);
    for (const logarithmic of [false, true]) {
      await page.getByLabel('log₂ scale').setChecked(logarithmic);
      await page.getByRole('img', { name: logarithmic ? /^Histogram: .* from 2\^/ : /^Histogram: .* from [^^]*$/ }).waitFor();
      const edges = (await page.locator('.statistics svg title').allTextContents()).map((title) => title.replace(/:.*/, '').split(' to '));
      assert.ok(edges.every(([low, high]) => low !== high) && !edges.flat().join().includes('Infinity'), `${name}: ${edges}`);
    }
  }
});

test('names no number where there is none, and calls norms norms', async () => {
  await open();
  for (const rows of [300, 20]) {
    await pick(`${rows}.pco`, doubles(Array.from({ length: rows }, () => NaN)));
    await heading(`${rows}.pco`);
    await page.getByRole('img', { name: `All ${rows} values in order, without a finite number`, exact: true }).waitFor();
    await page.getByRole('img', { name: `${Math.min(rows, 256)} values without a finite number`, exact: true }).waitFor();
    assert.equal(await page.locator('.preview .bound').count(), 0);
  }
  // Vectors of two half floats that are NaN.
  const head = JSON.stringify({ num_vectors: 50, dimension: 2, compression: 'fp16', chunks: [{ rows: 50 }] });
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(head.length);
  lengths.writeUInt32LE(200, 4);
  await pick('none.cvc', Buffer.concat([Buffer.from('CVCF'), lengths.subarray(0, 4), Buffer.from(head), lengths.subarray(4), Buffer.alloc(200, 0x7e)]));
  await heading('none.cvc');
  await page.getByRole('img', { name: 'All 50 norms in order, without a finite number', exact: true }).waitFor();
  await page.getByText('Vector norms (L2): no number', { exact: true }).waitFor();
});
