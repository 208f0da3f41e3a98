// A browser and a server for a test file, and a fresh page for each test. Any error in it fails the
// test.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import { launch, watchedPage } from './browser.mjs';
import { serve } from './server.mjs';

/**
 * Less than reading such files takes on the page's thread, and more than a pause of a busy machine.
 */
const STILL = 1000;

/** Returns pairs of a name and bytes as the page can take them. */
const inBase64 = (files) => files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]);

/** Dispatches the drop of files. Runs in the page. */
const dispatchDrop = (files) => {
  const dataTransfer = new DataTransfer();
  for (const [name, base64] of files) dataTransfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
};

/**
 * Sets up a test file. Returns an object with `browser`, `server`, `page` and `wrong`.
 *
 * The service worker loads every file of the page, which takes as long as the rest of a short test.
 * So it runs only in test files that `allow` it.
 */
export function inspector(serviceWorkers = 'block') {
  const it = {};
  before(async () => {
    [it.browser, it.server] = await Promise.all([launch(), serve()]);
  });
  after(async () => {
    await it.browser?.close();
    it.server?.close();
  });
  beforeEach(async () => {
    const options = { viewport: { width: 1280, height: 900 }, acceptDownloads: true, serviceWorkers };
    Object.assign(it, await watchedPage(it.browser, it.server.url, options));
  });
  afterEach(async () => {
    await it.close();
    assert.deepEqual(it.wrong, [], 'no errors, no warnings, no requests to anywhere else');
  });
  it.open = (hash = '') => it.page.goto(`${it.server.url}${hash}`);
  it.fact = (term) => it.page.locator('.overview dl div', { has: it.page.locator('dt', { hasText: new RegExp(`^${term}$`) }) }).locator('dd');
  it.summed = (term) => it.page.locator('.statistics:not(.sampled) dl div', { has: it.page.locator('dt', { hasText: new RegExp(`^${term}$`) }) }).locator('dd');
  it.heading = (name) => it.page.getByRole('heading', { name, level: 1 }).waitFor();
  /** Shows a tab of the file. */
  it.tab = (name) => it.page.getByRole('tablist', { name: 'Views of the file' }).getByRole('tab', { name, exact: true }).click();
  it.item = (name) => it.page.getByRole('treeitem', { name });
  it.byte = (at) => it.page.locator(`#byte-${at}`);
  it.cursorAt = (at) => it.page.locator(`#byte-${at}.cursor`).waitFor();
  it.classes = (locator) => locator.getAttribute('class');
  /** Drops files on the page, all at once: pairs of a name and bytes. */
  it.drop = (...files) => it.page.evaluate(dispatchDrop, inBase64(files));
  /** Has the next page drop files before its first frame. */
  it.dropEarly = (...files) => it.page.addInitScript(`addEventListener('DOMContentLoaded', () => (${dispatchDrop})(${JSON.stringify(inBase64(files))}))`);
  it.pick = (name, buffer) => it.page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer: Buffer.from(buffer) });
  /** Lines of text in sight. */
  it.lines = () => it.page.getByRole('region', { name: 'Lines', exact: true });
  /** Shows content as lines, and returns them, joined, once they have arrived. */
  it.text = async () => {
    await it.page.getByRole('tablist', { name: 'Content as' }).getByRole('tab', { name: 'Lines' }).click();
    await it.lines().locator('tbody td').first().waitFor();
    await it.lines().locator('.coming').first().waitFor({ state: 'detached' });
    return (await it.lines().locator('tbody td').allTextContents()).join('\n');
  };
  /** Returns the address of the page. */
  it.hash = () => new URLSearchParams(new URL(it.page.url()).hash.slice(1));
  /**
   * Measures the longest freeze of the page from now on. Returns a function that fails if it was
   * long.
   */
  it.watchFrames = async () => {
    await it.page.evaluate(() => {
      window.gap = 0;
      let last = performance.now();
      const tick = (now) => {
        window.gap = Math.max(window.gap, now - last);
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
    return async () => {
      const gap = await it.page.evaluate(() => window.gap);
      assert.ok(gap < STILL, `the page stood still for ${gap} ms`);
    };
  };
  /** Reverts what a test did to the page. */
  it.forgive = (what) => it.wrong.splice(0, it.wrong.length, ...it.wrong.filter((text) => !what(text)));
  return it;
}
