// A browser and a server for a test file, and a fresh page for each test: one that may not go wrong in any way.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach } from 'node:test';
import { launch, watchedPage } from './browser.mjs';
import { serve } from './server.mjs';

/** Sets all of it up; the object that it gives has `browser`, `server`, `page`, `wrong` when a test runs. */
export function inspector() {
  const it = {};
  before(async () => {
    [it.browser, it.server] = await Promise.all([launch(), serve()]);
  });
  after(async () => {
    await it.browser?.close();
    it.server?.close();
  });
  beforeEach(async () => {
    const options = { viewport: { width: 1280, height: 900 }, acceptDownloads: true };
    Object.assign(it, await watchedPage(it.browser, it.server.url, options));
  });
  afterEach(async () => {
    await it.close();
    assert.deepEqual(it.wrong, [], 'no errors, no warnings, no requests to anywhere else');
  });
  it.open = (hash = '') => it.page.goto(`${it.server.url}${hash}`);
  it.fact = (term) => it.page.locator('.overview dl div', { has: it.page.locator('dt', { hasText: new RegExp(`^${term}$`) }) }).locator('dd');
  it.byte = (at) => it.page.locator(`#byte-${at}`);
  /** Takes back what a test did on purpose. */
  it.forgive = (what) => it.wrong.splice(0, it.wrong.length, ...it.wrong.filter((text) => !what(text)));
  return it;
}
