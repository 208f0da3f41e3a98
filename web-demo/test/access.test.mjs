// Accessibility: keyboard, screen readers, dark mode and narrow screens.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inaccessible } from './axe.mjs';
import { inspector } from './harness.mjs';
import { vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, heading, byte, tab } = it;

test('passes axe in light and dark', async () => {
  for (const [address, shown] of [['', 'Drop files here'], ['#sample=embeddings', 'Statistics'], ['#sample=embeddings&at=9', 'File map'], ['#sample=columns&view=bytes', 'Size by piece'], ['#sample=columns', 'Statistics'], ['#sample=strings', 'Values'], ['#sample=bins&view=codec', 'Inside the codec'], ['#sample=zstd&view=codec', 'Sequences of a block'], ['#sample=zstd&view=data&drawn=3', 'Lines'], ['#sample=xz&view=data', 'Rows'], ['#sample=xz&view=data&block=1&as=bytes', 'Decoded bytes'], ['#sample=broken', 'Show byte'], ['#sample=at1', 'Zone maps'], ['#sample=bins&stored=open', 'Parts of the value'], ['#sample=strings&stored=open&drawn=3', 'Parts of the value'], ['#sample=zstd&view=data&stored=open&drawn=100', 'Parts of the value'], ['#sample=bins&at=300&decodes=open', 'What this byte decodes to'], ['#sample=nope', 'Or open a URL']]) {
    await page.goto('about:blank');
    await open(address);
    await page.getByText(shown).or(page.getByRole('region', { name: shown })).first().waitFor();
    assert.deepEqual(await inaccessible(page, address), []);
  }
  it.forgive((what) => what === 'request: about:blank');
});

test('moves in the tree by keyboard', async () => {
  await open('#sample=embeddings&view=structure');
  const tree = page.getByRole('tree');
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  await tree.focus();
  await tree.press('Home');
  assert.match(await selected.textContent(), /^magic/);
  for (let step = 0; step < 4; step++) await tree.press('ArrowDown');
  assert.match(await selected.textContent(), /^header/);
  assert.equal(await selected.getAttribute('aria-expanded'), 'true');
  await tree.press('ArrowLeft');
  assert.equal(await selected.getAttribute('aria-expanded'), 'false');
  await tree.press('ArrowRight');
  await tree.press('ArrowRight');
  assert.equal(await selected.getAttribute('aria-level'), '2');
  const place = async () => [await selected.getAttribute('aria-posinset'), await selected.getAttribute('aria-setsize')].map(Number);
  const [first, fields] = await place();
  assert.ok(first === 1 && fields > 1, `${first} of ${fields}`);
  await tree.press('ArrowDown');
  assert.deepEqual(await place(), [2, fields]);
  await tree.press('ArrowLeft');
  assert.match(await selected.textContent(), /^header/);
  assert.equal(await tree.getAttribute('aria-activedescendant'), await selected.getAttribute('id'));
});

test('reaches all controls by Tab in page order, with a visible focus', async () => {
  for (const [view, shown, order] of [
    ['data', '.preview tbody td', ['unspool inspector, start', 'Open files', 'Shortcuts', 'Copy link', 'Data', 'int32_s', 'Rows', 'Draw row 0', 'Pan right', 'CSV', 'Copy TypeScript']],
    ['structure', '.byte', ['Copy link', 'Structure', 'Place in the file', 'Zoom in', 'Find in the file', 'Structure', 'Width of the tree', 'Bytes']],
    ['bytes', '.shares td', ['Bytes', 'Pieces of the file', 'stored', 'Show int64_v, number 3']],
  ]) {
    await page.goto('about:blank');
    await open(`#sample=columns&view=${view}`);
    await page.locator(shown).first().waitFor();
    if (view === 'data') await page.getByRole('region', { name: 'Statistics' }).waitFor();
    const names = [];
    for (;;) {
      await page.keyboard.press('Tab');
      const stop = await page.evaluate(() => {
        const { activeElement: element } = document;
        if (element === document.body) return undefined;
        const outlined = [element, element.closest('label')].some((shown) => shown !== null && getComputedStyle(shown).outlineStyle !== 'none');
        return { name: element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent.trim() ?? element.textContent, outlined };
      });
      if (stop === undefined) break;
      assert.ok(stop.outlined, `${stop.name} shows that it has the focus`);
      names.push(stop.name);
    }
    assert.deepEqual(names.filter((name) => order.includes(name)), order, view);
    assert.ok(names.filter((name) => name.startsWith('Draw row')).length <= 1, 'of the rows one is reached by tab');
  }
  it.forgive((what) => what === 'request: about:blank');
  await open('#sample=embeddings');
  await heading('embeddings.cvc');
  await page.getByText('400 rows of 64 values').waitFor();
  const row = (number) => page.getByRole('button', { name: `Draw row ${number}`, exact: true });
  await row(0).focus();
  for (let number = 1; number <= 20; number++) {
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction((name) => document.activeElement.getAttribute('aria-label') === name, `Draw row ${number}`);
  }
  assert.equal(await row(20).getAttribute('aria-pressed'), 'true');
});

test('looks the same in every colour scheme and width, with a name for each control', async () => {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [1440, 800, 360, 320]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await open('#sample=sections&view=structure');
      await heading('sections.cvc');
      await byte(0).waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${colorScheme} ${width}: the page is ${overflow} pixels too wide`);
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll('button, a, input, [role=tree], [role=grid], [role=img]')]
          .filter((element) => !(element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length))
          .map((element) => element.outerHTML),
      );
      assert.deepEqual(nameless, []);
      await page.goto('about:blank');
    }
  }
  it.forgive((what) => what === 'request: about:blank');
});

test('shows the whole name of a file on a phone', async () => {
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    await open('#sample=embeddings');
    await heading('embeddings.cvc');
    const cut = await page.locator('h1').evaluate((name) => name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight);
    assert.equal(cut, false, `${width} pixels`);
    // The tabs of a file with four views are not cut off either.
    await open('#sample=zstd');
    const codec = page.getByRole('tab', { name: 'Codec' });
    await codec.waitFor();
    assert.ok(await codec.evaluate((button) => button.getBoundingClientRect().right <= innerWidth));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  }
});

test('focuses the name of a file after opening it, described by its verdict', async () => {
  await open();
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  await page.getByRole('link', { name: /^A broken file/ }).press('Enter');
  await heading('broken.cvc');
  assert.equal(await focused(), 'broken.cvc');
  const described = await page.locator('h1').evaluate((name) => document.getElementById(name.getAttribute('aria-describedby')).textContent);
  assert.match(described, /^Damaged/);
  // From there, Tab moves through the controls of the file.
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Copy link');
});

test('keeps the keyboard position after a control is removed', async () => {
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
  await open('#sample=at1');
  const add = page.getByRole('button', { name: 'Add a condition' });
  for (let number = 1; number <= 3; number++) await add.click();
  await page.getByRole('button', { name: 'Remove condition 2' }).press('Enter');
  await page.getByRole('button', { name: 'Remove condition 3' }).waitFor({ state: 'detached' });
  assert.equal(await focused(), 'Remove condition 2');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove condition 2' }).waitFor({ state: 'detached' });
  assert.equal(await focused(), 'Add a condition');
  // The next tab takes the focus, or the previous one, or the name of the only file.
  await it.drop(...['a', 'b', 'c', 'd'].map((name) => [`${name}.txt`, Buffer.from(name)]));
  await heading('a.txt');
  for (const [closed, expected] of [['b.txt', 'Close c.txt'], ['d.txt', 'Close c.txt'], ['events.at1', 'Close a.txt'], ['c.txt', 'a.txt']]) {
    await page.getByRole('button', { name: `Close ${closed}` }).press('Enter');
    await page.getByRole('button', { name: `Close ${closed}` }).waitFor({ state: 'detached' });
    assert.equal(await focused(), expected);
  }
  // The server never answers, so the visitor cancels.
  const other = createServer(() => undefined);
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    await open(`#url=${encodeURIComponent(`http://127.0.0.1:${other.address().port}/slow.cvc`)}`);
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.getByText('Drop files here').waitFor();
    assert.equal(await focused(), 'Open a compressed file, and see what is inside');
    await page.keyboard.press('Tab');
    assert.ok(await page.locator('.drop input').evaluate((input) => input === document.activeElement));
  } finally {
    other.closeAllConnections();
    other.close();
  }
  it.forgive((what) => what.includes('/slow.cvc'));
});

test('keeps the focus on a used button, or moves it to the previous control', async () => {
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
  const button = (name) => page.getByRole('button', { name, exact: true });
  await open('#sample=embeddings');
  await heading('embeddings.cvc');
  await button('CSV').focus();
  await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  await page.getByText('Saved as embeddings.csv.').waitFor();
  assert.equal(await focused(), 'CSV');
  await tab('Structure');
  await button('Zoom in').focus();
  while ((await button('Zoom in').getAttribute('aria-disabled')) !== 'true') await page.keyboard.press('Enter');
  const range = await page.locator('.map .controls .facts').textContent();
  await page.keyboard.press('Enter');
  assert.deepEqual([await focused(), await page.locator('.map .controls .facts').textContent()], ['Zoom in', range]);
  await it.pick('pages.gz', gzipSync(Buffer.alloc(8000, 0x80)));
  await heading('pages.gz');
  await tab('Data');
  await button('Next page').focus();
  for (let times = 0; times < 2; times++) await page.keyboard.press('Enter');
  assert.equal(await page.getByLabel('Page of the content').inputValue(), '2');
  assert.equal(await focused(), 'Next page');
  await open('#sample=at1');
  await button('Add a condition').click();
  await page.getByLabel('Column', { exact: true }).selectOption({ label: 'type (text)' });
  await page.getByLabel('Value', { exact: true }).fill('click');
  await button('Search for "click"').press('Enter');
  await button('Search for "click"').waitFor({ state: 'detached' });
  assert.equal(await focused(), 'all columns');
});

test('shows the shortcuts, and stays usable at 200 % zoom', async () => {
  await open('#sample=embeddings&view=structure');
  await heading('embeddings.cvc');
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.getByText('Find in the file').waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Shortcuts' }).click();
  await sheet.getByRole('button', { name: 'Close' }).click();
  await sheet.waitFor({ state: 'hidden' });
  // A window of 1,280 by 900 pixels at 200 % is half as wide and high.
  await page.setViewportSize({ width: 640, height: 450 });
  for (const pane of ['tree', 'grid']) {
    const lines = await page.getByRole(pane).evaluate((box) => box.clientHeight / 26);
    assert.ok(lines >= 6, `${pane}: ${lines} lines`);
  }
});

test('wraps a long file name without widening the page', async () => {
  await page.setViewportSize({ width: 800, height: 800 });
  await open();
  const name = 'n'.repeat(200);
  await it.pick(`${name}.cvc`, vector('cvc/v1_int8.cvc'));
  await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  await page.getByText(`Saved as ${name}.csv.`).waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

test('wraps a long column name, and shows it in full on hover', async () => {
  await page.setViewportSize({ width: 800, height: 800 });
  const [name, file] = ['c'.repeat(300), vector('cvc/v2_ints_default.cvc')];
  const end = 12 + file.readUInt32LE(8);
  const head = file.subarray(12, end).toString().replaceAll('"int64_s"', `"${name}"`);
  const bytes = Buffer.concat([file.subarray(0, 12), Buffer.from(head), file.subarray(end)]);
  bytes.writeUInt32LE(head.length, 8);
  await open();
  await it.pick('names.cvc', bytes);
  await heading('names.cvc');
  const tab = page.getByRole('tab', { name });
  await tab.click();
  assert.equal(await tab.getAttribute('title'), name);
  await page.locator('.preview tbody td').first().waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
});

test('shows the focus ring only around the focused control', async () => {
  await open('#sample=embeddings');
  const field = page.getByLabel('Go to chunk');
  await field.focus();
  const outlines = await field.evaluate((input) => [input, input.closest('label')].map((shown) => getComputedStyle(shown).outlineStyle));
  assert.deepEqual(outlines, ['solid', 'none']);
  await page.locator('.another input').focus();
  assert.equal(await page.locator('.another').evaluate((label) => getComputedStyle(label).outlineStyle), 'solid');
});

test('prints in screen colours without overlaps', async () => {
  await open('#sample=embeddings');
  await page.locator('.preview tbody td').first().waitFor();
  await page.getByRole('region', { name: 'Statistics' }).waitFor();
  for (const view of ['Bytes', 'Structure', 'Data']) await tab(view);
  await page.emulateMedia({ media: 'print' });
  const style = (selector, name) => page.locator(selector).first().evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), name);
  for (const coloured of ['.bar .share', '.legend .dot', '.tree .dot', '.hex .byte']) assert.equal(await style(coloured, '-webkit-print-color-adjust'), 'exact', coloured);
  for (const whole of ['.statistics figure', '.preview .heat', '.preview .rows']) assert.equal(await style(whole, 'break-inside'), 'avoid', whole);
  // An element moved to the next page would overlap the next one in a grid.
  for (const around of ['.preview', '.statistics', '.drawings']) assert.equal(await style(around, 'display'), 'block', around);
});

test('keeps meaningful colours and outlines selections in high contrast', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ forcedColors: 'active', colorScheme });
    await page.goto('about:blank');
    await open('#sample=columns&column=2&at=100&view=structure');
    await byte(100).waitFor();
    await tab('Bytes');
    await tab('Data');
    await page.getByRole('tablist', { name: 'Columns' }).getByRole('tab', { selected: true }).waitFor();
    await tab('Structure');
    const style = (selector, name, pseudo) => page.locator(selector).first().evaluate((element, [name, pseudo]) => getComputedStyle(element, pseudo)[name], [name, pseudo]);
    // The colours of the parts: in the bar, beside their names and in the tree.
    for (const places of ['.bar .share', '.legend .dot', '.tree .dot']) {
      const colours = await page.locator(places).evaluateAll((all) => new Set(all.map((element) => getComputedStyle(element).backgroundColor)).size);
      assert.ok(colours >= 2, `${colorScheme}: ${places}`);
    }
    await page.waitForFunction(() => {
      const canvas = document.querySelector('.map canvas');
      const data = pixelsOf(canvas, canvas.height / 2, 1);
      return new Set(Array.from({ length: canvas.width }, (_, x) => data.slice(4 * x, 4 * x + 3).join())).size >= 4;
    });
    // The handle of a group is a triangle: one side has a colour, the others have none.
    const sides = await Promise.all(['Left', 'Top', 'Bottom'].map((side) => style('.tree .fold', `border${side}Color`, '::before')));
    assert.match(sides[0], /^rgb\(/);
    for (const side of sides.slice(1)) assert.match(side, /, 0\)$/);
    const outline = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('span'));
      probe.style.outline = '2px solid Highlight';
      const { outlineColor } = getComputedStyle(probe);
      probe.remove();
      return outlineColor;
    });
    for (const selected of ['[role=treeitem][aria-selected=true]', '.views [role=tab][aria-selected=true]']) {
      assert.deepEqual([await style(selected, 'outlineStyle'), await style(selected, 'outlineColor')], ['solid', outline], `${colorScheme}: ${selected}`);
    }
  }
  it.forgive((what) => what === 'request: about:blank');
});
