// Scrolling: what scrolls, and what is scrolled into sight.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { inspector } from './harness.mjs';
import { watchedPage } from './browser.mjs';
import { vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, cursorAt, tab } = it;

const scrolled = () => page.evaluate(() => scrollY);
/** Turns the wheel by this many notches, slowly enough that each is a separate gesture. */
const turn = async (notches, down) => {
  for (let notch = 0; notch < notches; notch++) await page.mouse.wheel(0, 100 * down);
  await page.waitForTimeout(300);
};

test('scrolls the page at the end of the bytes and over the map', async () => {
  await page.setViewportSize({ width: 1280, height: 600 });
  await open('#sample=embeddings&view=structure');
  await page.getByRole('tree').waitFor();
  // The last byte is in sight, so only the page can scroll further.
  const bytes = page.getByRole('grid', { name: 'Bytes' });
  await bytes.press('End');
  await cursorAt(vector('cvc/med_fp16.cvc').length - 1);
  await page.evaluate(() => scrollTo(0, 0));
  await bytes.hover({ position: { x: 60, y: 60 } });
  await turn(6, 1);
  assert.ok((await scrolled()) > 100, `over the bytes: ${await scrolled()}`);

  const map = page.getByRole('slider', { name: 'Place in the file' });
  for (const zoomed of [false, true]) {
    await page.evaluate(() => scrollTo(0, 0));
    if (zoomed) await map.press('+');
    await map.hover();
    await turn(3, 1);
    assert.ok((await scrolled()) > 100, `over the map: ${await scrolled()}`);
  }
  // Ctrl zooms, while that changes the view.
  await page.evaluate(() => scrollTo(0, 0));
  await page.getByRole('button', { name: 'Whole file' }).click();
  await map.hover();
  await page.keyboard.down('Control');
  await turn(3, -1);
  await page.keyboard.up('Control');
  await page.locator('.map .facts', { hasText: /^bytes [\d,]+ to [\d,]+, 26.3 KB$/ }).waitFor();
  assert.equal(await scrolled(), 0);
  const taken = (deltaY) => map.evaluate((element, deltaY) => !element.dispatchEvent(new WheelEvent('wheel', { deltaY, ctrlKey: true, bubbles: true, cancelable: true })), deltaY);
  assert.equal(await taken(100), true);
  await page.getByRole('button', { name: 'Whole file' }).click();
  await page.getByText('all 51.4 KB').waitFor();
  assert.equal(await taken(100), false, 'there is nothing to zoom out to');
});

test('scrolls the page by touch from anywhere on a phone', async () => {
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const phone = await watchedPage(it.browser, it.server.url, options);
  await phone.page.goto(`${it.server.url}#sample=embeddings&view=structure&at=9`);
  await phone.page.getByRole('tree').waitFor();
  const client = await phone.page.context().newCDPSession(phone.page);
  const panes = phone.page.locator('.panes');
  const { height } = await panes.boundingBox();
  assert.ok(height < 0.56 * 844, `the panes leave room beside them: ${height}`);
  const swipe = async (element, yDistance) => {
    await phone.page.evaluate(() => scrollTo(0, 0));
    await element.evaluate((shown) => shown.scrollIntoView({ block: 'center' }));
    const before = await phone.page.evaluate(() => scrollY);
    const box = await element.boundingBox();
    await client.send('Input.synthesizeScrollGesture', { x: box.x + box.width / 2, y: box.y + box.height / 2, yDistance, speed: 1600 });
    return Math.abs((await phone.page.evaluate(() => scrollY)) - before);
  };
  assert.ok((await swipe(phone.page.getByRole('slider', { name: 'Place in the file' }), -200)) > 100, 'from the map');
  // The target of a button is below the title, which stays in sight.
  await phone.page.getByRole('tab', { name: 'Bytes' }).click();
  await phone.page.locator('.legend button').first().click();
  await phone.page.getByRole('tree').waitFor();
  await phone.page.waitForFunction(() => document.querySelector('.panes').getBoundingClientRect().bottom <= innerHeight + 1);
  const [title, top] = [await phone.page.locator('.title').boundingBox(), await panes.boundingBox()];
  assert.ok(top.y >= title.y + title.height, `the panes at ${top.y}, the title down to ${title.y + title.height}`);
  // The bytes are scrolled to their start, so that only the page can scroll up.
  await phone.page.getByRole('grid', { name: 'Bytes' }).press('Home');
  await phone.page.locator('#byte-0.cursor').waitFor();
  assert.ok((await swipe(phone.page.getByRole('grid', { name: 'Bytes' }), 200)) > 100, 'from the bytes');
  await phone.close();
  assert.deepEqual(phone.wrong, []);
});

test('scrolls to a place that is requested again', async () => {
  /** Returns `true` if an element is fully in the window and in its scroll box. */
  const inSight = async (element) => {
    await element.waitFor();
    return element.evaluate((shown) => {
      const [box, around] = [shown.getBoundingClientRect(), shown.closest('.lines').getBoundingClientRect()];
      return box.top >= Math.max(0, around.top) && box.bottom <= Math.min(innerHeight, around.bottom);
    });
  };
  const field = page.locator('[role=treeitem][aria-selected=true]');
  await page.setViewportSize({ width: 1280, height: 600 });
  await open('#sample=broken');
  await cursorAt(213);
  const byte = page.locator('#byte-213');
  const away = async () => {
    await page.getByRole('grid', { name: 'Bytes' }).evaluate((pane) => (pane.scrollTop = 9000));
    await page.getByRole('tree').evaluate((pane) => (pane.scrollTop = 9000));
    await page.evaluate(() => scrollTo(0, 0));
  };
  assert.equal(await inSight(byte), false, 'it is further down the page');
  for (const scrolledAway of [false, true]) {
    if (scrolledAway) {
      await away();
      await byte.waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Show byte 213' }).click();
    assert.ok(await inSight(byte));
    assert.ok(await inSight(field));
  }
  // Other buttons scroll to their targets, too.
  await away();
  await tab('Bytes');
  await page.locator('.legend').getByRole('button', { name: /^checksum/ }).click();
  assert.ok(await inSight(field));
  await away();
  await page.getByLabel('Go to byte').fill('40');
  await page.getByLabel('Go to byte').press('Enter');
  assert.ok(await inSight(page.locator('#byte-40')));
  await away();
  await page.getByLabel('Go to byte').press('Enter');
  assert.ok(await inSight(page.locator('#byte-40')));
  await open('#sample=xz');
  await page.locator('.inspector').waitFor();
  await tab('Bytes');
  await page.getByRole('button', { name: /^Show block 2/ }).click();
  assert.ok(await inSight(field));
});
