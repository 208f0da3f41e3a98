// The installed page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { watchedPage } from './browser.mjs';
import { inspector } from './harness.mjs';
import { serve } from './server.mjs';
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
  assert.deepEqual(handlers.flatMap(({ accept }) => Object.values(accept).flat()).sort(), ['.at1', '.cvc', '.gz', '.lzma', '.onp', '.pco', '.xz', '.zst']);
  const { installabilityErrors } = await client.send('Page.getInstallabilityErrors');
  // The contexts of tests are private windows, which install nothing.
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito'), []);
});

test('keeps the files of an open page while a new version waits', async () => {
  const extra = {};
  const server = await serve(extra);
  const { page, wrong, close } = await watchedPage(it.browser, server.url, { serviceWorkers: 'allow' });
  try {
    await page.goto(server.url);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    const [before] = await page.evaluate(() => caches.keys());
    const worker = readFileSync(new URL('../dist/offline.js', import.meta.url), 'utf8');
    extra['/offline.js'] = worker.replace(/^const VERSION = .*$/m, "const VERSION = 'next';");
    const waiting = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
      const { installing } = registration;
      await new Promise((resolve) => installing.addEventListener('statechange', () => ['installed', 'activated'].includes(installing.state) && resolve()));
      // The new version would take over now.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return installing.state;
    });
    assert.equal(waiting, 'installed');
    assert.deepEqual((await page.evaluate(() => caches.keys())).sort(), [before, 'unspool next'].sort());
    // The next visit after the page is closed has the new version.
    const context = page.context();
    await page.close();
    const next = await context.newPage();
    await next.goto(server.url);
    await next.waitForFunction(async () => (await caches.keys()).join() === 'unspool next');
  } finally {
    await close();
    server.close();
  }
  assert.deepEqual(wrong, []);
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
