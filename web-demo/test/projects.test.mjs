// The packed package in fresh projects, built by each bundler, in the browser.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { buildAll, EXPECTED, EXPECTED_OF_POOL } from '../../wasm/npm/test/projects/build.mjs';
import { launch, watchedPage } from './browser.mjs';
import { serve } from './server.mjs';

let root;
let browser;
let names;

before(async () => {
  root = mkdtempSync(join(tmpdir(), 'unspool-'));
  names = await buildAll(root);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(root, { recursive: true, force: true });
});

test('builds with every bundler without a warning', () => {
  assert.deepEqual(names, ['vite', 'webpack', 'rspack', 'esbuild', 'rollup', 'html', 'node']);
});

for (const name of ['vite', 'webpack', 'rspack', 'esbuild', 'rollup', 'html']) {
  test(`decodes in the page built by ${name}`, async () => {
    const server = await serve({}, pathToFileURL(join(root, name, 'dist/')));
    const { page, wrong, close } = await watchedPage(browser, server.url);
    try {
      await page.goto(server.url);
      await page.waitForFunction(() => document.title === 'done', undefined, { timeout: 20_000 });
      const { shape, numbers, refusal, streamed, fromPool } = await page.evaluate(() => globalThis.report);
      assert.deepEqual({ shape, numbers, refusal, streamed }, EXPECTED);
      assert.deepEqual(fromPool, EXPECTED_OF_POOL);
      assert.deepEqual(wrong, []);
    } finally {
      await close();
      server.close();
    }
  });
}
