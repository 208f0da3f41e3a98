// The installed page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchedPage } from './browser.mjs';
import { inspector } from './harness.mjs';
import { vector } from './vectors.mjs';

const it = inspector('allow');

test('can be installed', async () => {
  await it.open();
  const client = await it.page.context().newCDPSession(it.page);
  const { errors, data, manifest } = await client.send('Page.getAppManifest');
  assert.deepEqual(errors, []);
  const { icons, file_handlers: handlers } = JSON.parse(data);
  assert.ok(manifest === undefined || manifest.startUrl === it.server.url);
  assert.equal((await it.page.request.get(new URL(icons[0].src, it.server.url).href)).status(), 200);
  assert.deepEqual(handlers.flatMap(({ accept }) => Object.values(accept).flat()).sort(), ['.at1', '.cvc', '.gz', '.onp', '.pco', '.xz', '.zst']);
  const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
  // The contexts of tests are private windows, which install nothing.
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'), []);
});

test('opens the files that it is launched with', async () => {
  const { page, wrong, close } = await watchedPage(it.browser, it.server.url);
  // Headless Chromium cannot install a page: this queue replaces that of the system.
  await page.addInitScript(() => {
    window.launches = new Promise((resolve) => Object.defineProperty(window, 'launchQueue', { value: { setConsumer: resolve } }));
  });
  await page.goto(it.server.url);
  await page.evaluate(async (bytes) => {
    const file = new File([Uint8Array.from(bytes)], 'launched.cvc');
    const consume = await window.launches;
    consume({ files: [] });
    consume({ files: [{ getFile: () => Promise.resolve(file) }] });
  }, [...vector('cvc/v1_int8.cvc')]);
  await page.getByRole('heading', { name: 'launched.cvc', level: 1 }).waitFor();
  await close();
  assert.deepEqual(wrong, []);
});
