// What a new user wants to know, and the clicks that it takes.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { inspector } from './harness.mjs';
import { doubles, vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(async () => {
  ({ page } = it);
  // Presses of a mouse button, as a user makes them. Keys in a field are not clicks.
  await page.addInitScript(() => {
    window.clicks = 0;
    addEventListener('pointerdown', ({ isTrusted }) => isTrusted && window.clicks++, true);
  });
});
const { open, heading, drop, dropEarly } = it;

const clicks = () => page.evaluate(() => window.clicks);
const inSight = async (locator) => {
  await locator.first().waitFor();
  const { y, height } = await locator.first().boundingBox();
  assert.ok(y >= 0 && y + height <= 900, `at ${y} to ${y + height}`);
};

test('says why a file is broken: 0 clicks', async () => {
  await open();
  await drop(['broken.cvc', vector('cvc/bad/payload_flip.cvc')]);
  await heading('broken.cvc');
  await inSight(page.getByText('Checksum mismatch: bytes 209 to 1,240 are damaged. A checksum cannot say which byte.'));
  assert.equal(await clicks(), 0);
});

test('opens a file that is dropped before the first frame', async () => {
  await dropEarly(['early.cvc', vector('cvc/v1_int8.cvc')]);
  await open();
  await heading('early.cvc');
});

test('shows the size of each column: 0 clicks', async () => {
  await open();
  for (const [name, bytes] of [['columns.cvc', vector('cvc/v2_ints_default.cvc')], ['events.at1', vector('at1/c8_events.at1')]]) {
    await drop([name, bytes]);
    await heading(name);
    const columns = page.getByRole('region', { name: 'Columns', exact: true });
    await inSight(columns);
    const rows = await columns.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.textContent));
    assert.ok(rows.length > 1);
    for (const row of rows) assert.match(row, /[\d,.]+ (bytes?|KB|MB)/);
  }
  assert.equal(await clicks(), 0);
});

test('goes to row 123,456: 2 clicks; to its bytes: 1 more', async () => {
  await open();
  await drop(['rows.pco', doubles(Float64Array.from({ length: 130_000 }, (_, at) => Math.sin(at)))]);
  await heading('rows.pco');
  await page.getByLabel('Go to row of rows').click();
  await page.keyboard.type('123456\n');
  const row = page.locator('tr.selected', { has: page.locator('th', { hasText: /^123,456$/ }) });
  await row.waitFor();
  assert.equal(await row.locator('td').first().textContent(), Math.sin(123_456).toPrecision(5).replace(/0+$/, ''));
  assert.ok((await clicks()) <= 2, `${await clicks()}`);
  const before = await clicks();
  await page.getByRole('button', { name: 'Bytes of row 123,456' }).click();
  await page.getByRole('region', { name: 'Parts of the value' }).locator('tbody tr').first().waitFor();
  assert.equal((await clicks()) - before, 1);
});

test('lists the neighbours of a vector: 2 clicks', async () => {
  await open();
  await drop(['vectors.cvc', vector('cvc/med_fp16.cvc')]);
  await heading('vectors.cvc');
  await page.getByRole('button', { name: 'Draw row 3', exact: true }).click();
  await page.getByRole('button', { name: 'Neighbours of row 3', exact: true }).click();
  await page.getByRole('region', { name: 'Neighbours of row 3' }).locator('tbody tr').nth(19).waitFor();
  assert.equal(await clicks(), 2);
});

test('compares two files: one drop', async () => {
  await open();
  await drop(['old.cvc', vector('cvc/v1_int8.cvc')], ['new.cvc', vector('cvc/med_fp16.cvc')]);
  await heading('old.cvc ↔ new.cvc');
  await page.getByText('Values differ').first().waitFor();
  assert.equal(await clicks(), 0);
});
