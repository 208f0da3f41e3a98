// The comparison of two files.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { watchedPage } from './browser.mjs';
import { inspector } from './harness.mjs';
import * as unspool from './unspool.mjs';
import { serve } from './server.mjs';
import { doubles, vector } from './vectors.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, heading, drop } = it;

const en = (n) => n.toLocaleString('en');
const verdict = (words) => page.locator('.verdict', { hasText: words }).waitFor();
const part = (name) => page.getByRole('region', { name, exact: true });
/** Returns the texts of the rows of a table in sight. */
const rowsOf = async (name) => {
  const table = page.getByRole('table', { name, exact: true });
  await table.locator('tbody tr').first().waitFor();
  return table.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
};

/** Builds a CVC file of half floats, in vectors and chunks of this many. */
function vectors(values, dimension, chunk) {
  const rows = values.length / dimension;
  const chunks = Array.from({ length: Math.ceil(rows / chunk) }, (_, at) => ({ rows: Math.min(chunk, rows - at * chunk) }));
  const head = JSON.stringify({ num_vectors: rows, dimension, compression: 'fp16', chunks });
  const parts = [Buffer.from('CVCF'), Buffer.alloc(4), Buffer.from(head)];
  parts[1].writeUInt32LE(head.length);
  for (const [at, { rows }] of chunks.entries()) {
    const bytes = Buffer.alloc(4 + 2 * rows * dimension);
    bytes.writeUInt32LE(2 * rows * dimension);
    for (let place = 0; place < rows * dimension; place++) bytes.writeUInt16LE(halfOf(values[at * chunk * dimension + place]), 4 + 2 * place);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** Returns the bits of a small whole number as a half float. */
function halfOf(number) {
  if (number === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(number)));
  return (number < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | ((Math.abs(number) / 2 ** exponent - 1) * 1024);
}

test('compares two files of one format in one drop', async () => {
  const one = Array.from({ length: 600 * 8 }, (_, at) => at % 100);
  const other = one.slice();
  const changed = [[3, 2], [3, 7], [255, 0], [256, 1], [599, 5]];
  for (const [row, place] of changed) other[row * 8 + place] += 1 + row;
  await open();
  // The chunks differ, too.
  await drop(['old.cvc', vectors(one, 8, 256)], ['new.cvc', vectors(other, 8, 100)]);
  await heading('old.cvc ↔ new.cvc');
  await verdict('Values differ');
  const [column] = await rowsOf('column');
  assert.deepEqual(column.slice(1, 5), ['600', '600', '4', '600']);
  assert.deepEqual(await rowsOf('difference'), changed.map(([row, place]) => [String(row), String(place), String(one[row * 8 + place]), String(other[row * 8 + place])]));
  await part('Structure').getByText(/ differ or contain a difference/).waitFor();
  // 3 chunks and 6.
  const chunks = await rowsOf('Pieces of the file');
  assert.deepEqual(chunks.map(([name]) => name).sort(), Array.from({ length: 6 }, (_, at) => `chunk ${at}`));
  assert.equal(chunks.filter((cells) => cells[1] === '–').length, 3);
  // Each file has a tab as well, and the tab of the comparison stays.
  const tabs = page.getByRole('navigation', { name: 'Open files' });
  await tabs.getByRole('button', { name: 'new.cvc', exact: true }).click();
  await heading('new.cvc');
  await tabs.getByRole('button', { name: 'old.cvc', exact: true }).click();
  await heading('old.cvc');
  await tabs.getByRole('button', { name: 'Compare', exact: true }).click();
  await heading('new.cvc ↔ old.cvc');
  await verdict('Values differ');
});

test('compares two files that have no magic number', async () => {
  await open();
  await drop(['one.lzma', vector('lzma/page.lzma')], ['two.lzma', vector('lzma/unspool.lzma')]);
  await heading('one.lzma ↔ two.lzma');
});

test('says that files are identical, or hold the same values', async () => {
  const text = 'one line of text\n'.repeat(400);
  await open();
  await drop(['a.gz', gzipSync(text)], ['b.gz', gzipSync(text)]);
  await verdict('Identical files');
  await drop(['c.gz', gzipSync(text, { level: 1 })], ['d.gz', gzipSync(text, { level: 9, memLevel: 1 })]);
  await heading('c.gz ↔ d.gz');
  await verdict('Same values, different files');
  // Strings are compared by their bytes, whatever codes they have.
  await drop(['a.onp', vector('onpair/cpp/urls_b12.onp')], ['b.onp', vector('onpair/cpp/urls_b10.onp')]);
  await heading('a.onp ↔ b.onp');
  await verdict('Same values, different files');
  await drop(['a.at1', vector('at1/c8_events.at1')], ['b.at1', vector('at1/c8_events.at1')]);
  await heading('a.at1 ↔ b.at1');
  await verdict('Identical files');
});

test('finds inserted bytes, changed bytes, and changed strings', async () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`);
  const text = lines.join('');
  const inserted = [...lines.slice(0, 9000), 'a new line\n', ...lines.slice(9000)].join('');
  await open();
  await drop(['old.gz', gzipSync(text)], ['new.gz', gzipSync(inserted)]);
  await verdict('Values differ');
  // The common start may reach into the inserted line, which is then shown from its next letter on.
  const [[at, before, after]] = await rowsOf('difference');
  const place = Number(at.replaceAll(',', ''));
  assert.equal(place, lines.slice(0, 9000).join('').length);
  assert.deepEqual([before, after], ['–', 'a new line␤']);
  const changed = Buffer.from(text);
  changed[70_000] ^= 1;
  changed[150_000] ^= 1;
  await drop(['old.gz', gzipSync(text)], ['changed.gz', gzipSync(changed)]);
  await heading('old.gz ↔ changed.gz');
  await verdict('Values differ');
  assert.deepEqual((await rowsOf('difference')).map(([at]) => at), ['70,000', '150,000']);
  // A letter of a token: the rows that use it differ.
  const urls = vector('onpair/cpp/urls_b12.onp');
  const rowsIn = (bytes) => {
    const { bytes: text, offsets } = unspool.decodeOnPair(bytes);
    return Array.from({ length: offsets.length - 1 }, (_, row) => Buffer.from(text.subarray(offsets[row], offsets[row + 1])).toString('latin1'));
  };
  const old = rowsIn(urls);
  let [strings, wrong] = [urls, []];
  for (let at = urls.indexOf('http'); wrong.length < 2 || wrong.length > 100; at++) {
    strings = Buffer.from(urls);
    strings[at] ^= 1;
    const now = rowsIn(strings);
    wrong = old.flatMap((text, row) => (text === now[row] ? [] : [row]));
  }
  await drop(['old.onp', vector('onpair/cpp/urls_b12.onp')], ['new.onp', strings]);
  await heading('old.onp ↔ new.onp');
  await verdict('Values differ');
  const [[, a, b, differ]] = await rowsOf('column');
  assert.deepEqual([a, b, differ], [en(old.length), en(old.length), en(wrong.length)]);
  const listed = await rowsOf('difference');
  assert.deepEqual(listed.map(([row]) => row), wrong.slice(0, listed.length).map(en));
});

test('compares files by their addresses, aligned by the names of columns', async () => {
  const one = Array.from({ length: 1000 }, (_, at) => at / 7);
  const other = one.slice(0, 990);
  [other[10], other[20]] = [NaN, -5];
  const host = await serve({
    '/a.pco': doubles(one), '/b.pco': doubles(other), '/cols.cvc': vector('cvc/v2_ints_default.cvc'), '/text.at1': vector('at1/c8_events.at1'),
  });
  const watched = await watchedPage(it.browser, host.url);
  ({ page } = watched);
  try {
    await page.goto(`${host.url}compare?a=a.pco&b=${encodeURIComponent(`${host.url}b.pco`)}`);
    await page.getByRole('heading', { name: 'a.pco ↔ b.pco', level: 1 }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/');
    await verdict('Values differ');
    assert.deepEqual((await rowsOf('column'))[0].slice(1, 5), ['1,000', '990', '12', '7.8571']);
    assert.deepEqual(await rowsOf('difference'), [['10', String(one[10]), 'NaN'], ['20', String(one[20]), '-5']]);
    // The link leads to one of the files, and back.
    await page.getByRole('link', { name: 'Open b.pco' }).click();
    await page.getByRole('heading', { name: 'b.pco', level: 1, exact: true }).waitFor();
    await page.goBack();
    await verdict('Values differ');
    await page.reload();
    await verdict('Values differ');
    await page.goto(`${host.url}compare?a=cols.cvc&b=text.at1`);
    await verdict('Different kinds of values');
    await page.getByText('The values cannot be compared: one file holds numbers, the other a table.').waitFor();
    assert.deepEqual(watched.wrong, []);
    await page.goto(`${host.url}compare?a=a.pco&b=gone.pco`);
    await page.getByRole('alert').getByText('gone.pco cannot be compared: The server returned 404').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('alert').waitFor();
  } finally {
    await watched.close();
    host.close();
  }
});

test('opens two files of different formats without comparing them', async () => {
  await open();
  await drop(['a.cvc', vector('cvc/v1_int8.cvc')], ['b.xz', vector('xz/blocks.xz')]);
  await heading('a.cvc');
  assert.equal(await page.locator('.compare').count(), 0);
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await verdict('Different kinds of values');
});

test('passes axe in light and dark, and fits a phone', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open();
  await drop(['events.at1', vector('at1/c8_events.at1')], ['other.at1', vector('at1/c8_nested.at1')]);
  await page.locator('.compare .verdict').waitFor();
  await part('Structure').waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is no wider than the screen');
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes.slice(0, 3).map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`), []);
  }
});
