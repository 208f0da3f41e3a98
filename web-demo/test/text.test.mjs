// Decoded text: lines, tables, search, and single parts of files that seek.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeXz, decodeZstd } from './unspool.mjs';
import { inspector } from './harness.mjs';
import { vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, pick, heading, tab, hash, lines } = it;

const counted = (number) => number.toLocaleString('en');
const rowIn = (region, number) => region.locator('tbody tr', { has: page.getByRole('rowheader', { name: counted(number), exact: true }) });
const line = (number) => rowIn(lines(), number);
const rows = () => page.getByRole('region', { name: 'Rows', exact: true });
const facts = (words) => page.locator('.preview .facts', { hasText: words }).first().waitFor();
const as = (name) => page.getByRole('tablist', { name: 'Content as' }).getByRole('tab', { name });
const show = async (name, bytes) => {
  await open();
  await pick(name, bytes);
  await heading(name);
  await tab('Data');
};
const goTo = async (what, number) => {
  await page.getByLabel(what, { exact: true }).fill(String(number));
  await page.getByLabel(what, { exact: true }).press('Enter');
};

test('numbers the lines of a log, and goes to any of them', async () => {
  const all = Array.from({ length: 150_000 }, (_, at) => `event ${at} of host-${at % 7}: ${'x'.repeat(at % 50)} ü`);
  await show('events.log.gz', gzipSync(`${all.join('\r\n')}\r\n`));
  await facts('of text, 150,000 lines');
  for (const number of [1, 64, 65, 123_456, 150_000]) {
    await goTo('go to line', number);
    await line(number).waitFor();
    assert.equal(await line(number).locator('td').textContent(), all[number - 1]);
  }
  // A click on a letter selects its byte.
  await goTo('go to line', 123_456);
  const start = Buffer.byteLength(`${all.slice(0, 123_455).join('\r\n')}\r\n`);
  const [x, y] = await line(123_456).locator('td').evaluate((cell) => {
    const range = document.createRange();
    range.setStart(cell.firstChild, 6);
    range.setEnd(cell.firstChild, 7);
    const { x, y, width, height } = range.getBoundingClientRect();
    return [x + width / 4, y + height / 2];
  });
  await page.mouse.click(x, y);
  await line(123_456).locator('mark', { hasText: /^1$/ }).waitFor();
  assert.equal(await page.getByLabel('Byte of the content').inputValue(), String(start + 6));
  // A byte leads to its line, and the link restores it.
  await goTo('Byte of the content', Buffer.byteLength(`${all.slice(0, 70_000).join('\r\n')}\r\n`));
  await line(70_001).locator('mark', { hasText: /^e$/ }).waitFor();
});

test('finds text in the content, forwards and backwards, around its ends', async () => {
  const all = Array.from({ length: 40_000 }, (_, at) => `line ${at}${at % 15_000 === 7 ? ' näedle here' : ''}`);
  await show('notes.txt.gz', gzipSync(all.join('\n')));
  const said = page.getByRole('search', { name: 'Content' }).getByRole('status');
  const needle = page.getByLabel('Find in the content');
  await needle.fill('näedle');
  for (const number of [8, 15_008, 30_008, 8]) {
    await page.getByRole('button', { name: 'Next match' }).click();
    await said.filter({ hasText: `In line ${counted(number)}.` }).waitFor();
    await line(number).locator('mark', { hasText: /^näedle$/ }).waitFor();
  }
  await page.getByRole('button', { name: 'Previous match' }).click();
  await said.filter({ hasText: 'In line 30,008.' }).waitFor();
  await line(30_008).locator('mark', { hasText: /^näedle$/ }).waitFor();
  await needle.fill('Näedle');
  await needle.press('Enter');
  await said.filter({ hasText: 'Not found. Case matters.' }).waitFor();
});

test('shows CSV and JSON Lines as tables, and other text as lines', async () => {
  const records = Array.from({ length: 500 }, (_, at) => [`name ${at}`, `"a, ""b""\n${at}"`, String(at / 4)]);
  await show('table.csv.gz', gzipSync(['who,what,share', ...records.map((record) => record.join(','))].join('\r\n')));
  await facts('1,001 lines, 500 rows of a table');
  await rowIn(rows(), 0).waitFor();
  assert.deepEqual(await rows().locator('thead th').allTextContents(), ['row', 'who', 'what', 'share']);
  await goTo('Go to row of rows', 400);
  await rowIn(rows(), 400).waitFor();
  assert.deepEqual(await rowIn(rows(), 400).locator('td').allTextContents(), ['name 400', 'a, "b"␤400', '100']);
  // The search leads to the row.
  await page.getByLabel('Find in the content').fill('name 77,');
  await page.getByLabel('Find in the content').press('Enter');
  await page.getByText('In line 156.').waitFor();
  await rows().locator('tbody th[aria-current=true]', { hasText: /^77$/ }).waitFor();
  await as('Lines').click();
  await line(156).filter({ hasText: 'name 77,' }).waitFor();
  await page.waitForFunction(() => new URLSearchParams(history.state.places).get('as') === 'lines');
  // Lines and rows are copied as a whole.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await line(156).getByRole('rowheader').click();
  await page.getByRole('button', { name: 'Copy 1 row' }).click();
  await page.getByText('1 row copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '156\tname 77,"a, ""b""');
  await as('Bytes').click();
  await page.getByRole('region', { name: 'Decoded bytes' }).locator('mark', { hasText: /^6e$/ }).waitFor();
  const objects = Array.from({ length: 300 }, (_, at) => ({ id: at, tags: ['x', at], ...(at % 2 ? { odd: true } : {}) }));
  const text = objects.map((object) => JSON.stringify(object));
  text[250] = 'no object';
  await show('events.jsonl.gz', gzipSync(text.join('\n')));
  await rowIn(rows(), 0).waitFor();
  assert.deepEqual(await rows().locator('thead th').allTextContents(), ['row', 'id', 'tags', 'odd']);
  await goTo('Go to row of rows', 299);
  await rowIn(rows(), 299).waitFor();
  assert.deepEqual(await rowIn(rows(), 299).locator('td').allTextContents(), ['299', '["x",299]', 'true']);
  // A row of another form is shown as text.
  await goTo('Go to row of rows', 250);
  await rowIn(rows(), 250).waitFor();
  assert.deepEqual(await rowIn(rows(), 250).locator('td').allTextContents(), ['no object']);
  await show('text.gz', gzipSync('some, text\nwithout columns\n'));
  await line(2).filter({ hasText: 'without columns' }).waitFor();
  assert.equal(await as('Table').count(), 0);
});

test('shows a line of any length, empty lines and text without a last line end', async () => {
  await show('long.gz', gzipSync(`short\n\n${'y'.repeat(3_000_000)}\nlast\n${'€'.repeat(100_000)}needle${'z'.repeat(200)}`));
  await facts('5 lines');
  assert.equal(await line(2).locator('td').textContent(), '');
  assert.equal(await line(3).locator('td').textContent(), `${'y'.repeat(2000)}3.00 MB more`);
  assert.equal(await line(4).locator('td').textContent(), 'last');
  // A match far from the start of its line is shown, and scrolled to.
  await page.getByLabel('Find in the content').fill('needle');
  await page.getByLabel('Find in the content').press('Enter');
  await page.getByText('In line 5.').waitFor();
  const mark = line(5).locator('mark', { hasText: /^needle$/ });
  await mark.waitFor();
  assert.match(await line(5).locator('td').textContent(), /^€{666}298 KB more … €{33}needlez{100} …$/);
  await page.waitForFunction(() => {
    const [mark, box] = ['mark', '.text-lines .table'].map((name) => document.querySelector(name).getBoundingClientRect());
    return mark.left >= box.left && mark.right <= box.right;
  });
});

test('decodes any block of a file that seeks by itself', async () => {
  const field = page.getByLabel('block', { exact: true });
  const block = async (number, size) => {
    await field.fill(String(number));
    await page.getByRole('button', { name: 'Show block' }).click();
    await facts(`Block ${number}: ${size}`);
  };
  for (const [address, bytes] of [['#sample=xz&view=data', decodeXz(vector('xz/blocks.xz'))], [vector('zstd/page-seekable.zst'), decodeZstd(vector('zstd/page-seekable.zst'))]]) {
    if (typeof address === 'string') await open(address);
    else await show('seekable.zst', address);
    // The seek table of Zstandard is no block.
    await page.locator('form.part', { hasText: 'of 3' }).waitFor();
    await block(1, '1,500 bytes');
    const part = new TextDecoder().decode(bytes.subarray(1500, 3000)).split('\n');
    // The columns are those of the first block. A row that the cut splits is shown as text.
    await rowIn(rows(), 1).waitFor();
    assert.deepEqual(await rows().locator('thead th').allTextContents(), ['row', 'station', 'time', 'temperature', 'humidity', 'state']);
    assert.deepEqual(await rowIn(rows(), 1).locator('td').allTextContents(), part[1].split(','));
    assert.ok((await it.text()).startsWith(part.slice(0, 5).join('\n')));
    await goTo('block', 2);
    await facts('Block 2: 1,096 bytes');
    await page.getByRole('button', { name: 'Show from the start' }).click();
    await facts('4,096 bytes of text');
  }
  // The link restores the block.
  await open('#sample=xz&view=data&block=2&as=bytes');
  await facts('Block 2: 1,096 bytes');
  await page.getByRole('region', { name: 'Decoded bytes' }).filter({ hasText: /^00000000/ }).waitFor();
  assert.equal(hash().get('block'), '2');
});

test('warns of a block whose checksum fails, and shows the others', async () => {
  const bytes = vector('xz/blocks.xz');
  // The check of the second block.
  bytes[1210] ^= 1;
  await show('flipped.xz', bytes);
  await page.getByRole('note').getByText('any part of this content may be wrong').waitFor();
  await page.getByLabel('block', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Show block' }).click();
  await facts('Block 1: 1,500 bytes');
  await page.getByRole('note').getByText('any part of this content may be wrong').waitFor();
  await page.getByLabel('block', { exact: true }).fill('0');
  await page.getByRole('button', { name: 'Show block' }).click();
  await facts('Block 0: 1,500 bytes');
  assert.equal(await page.getByRole('note').getByText('any part of this content may be wrong').count(), 0);
});

test('opens text on the tab Data; binary content and broken files on Structure', async () => {
  const csv = gzipSync('name,value\na,1\nb,2\n');
  const broken = Buffer.from(csv);
  broken[broken.length - 6] ^= 1;
  await open();
  for (const [name, bytes, wanted, shows] of [
    ['table.csv.gz', csv, 'Data', rows()],
    ['text.log.zst', vector('zstd/rfc8878/text-1025.zst'), 'Data', lines()],
    ['rows.csv.xz', vector('xz/blocks.xz'), 'Data', rows()],
    ['rows.jsonl.gz', gzipSync('{"a":1}\n{"a":2}\n'), 'Data', rows()],
    ['binary.gz', gzipSync(Uint8Array.of(0, 255, 254, 65)), 'Structure', page.getByRole('tree')],
    ['empty.gz', gzipSync(''), 'Structure', page.getByRole('tree')],
    ['broken.csv.gz', broken, 'Structure', page.getByRole('tree')],
  ]) {
    await pick(name, bytes);
    await heading(name);
    assert.equal(await page.getByRole('tablist', { name: 'Views of the file' }).getByRole('tab', { selected: true }).textContent(), wanted, name);
    await shows.waitFor();
  }
});

test('loads the view of text for text only', async () => {
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const loaded = () => asked.some((url) => /text-view/.test(url));
  await open('#sample=numbers');
  await page.locator('.preview tbody td').first().waitFor();
  assert.equal(loaded(), false);
  await open('#sample=zstd&view=data');
  await lines().waitFor();
  assert.equal(loaded(), true);
});
