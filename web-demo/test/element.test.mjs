// The inspector as an element of another page.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { launch, watchedPage } from './browser.mjs';
import { serve } from './server.mjs';
import { vector } from './vectors.mjs';

const root = new URL('../../wasm/npm/', import.meta.url);
const folder = fileURLToPath(root);
let browser;

before(async () => {
  execFileSync(process.execPath, ['scripts/page.mjs'], { cwd: folder });
  browser = await launch();
});
after(async () => {
  rmSync(new URL('inspector/', root), { recursive: true, force: true });
  await browser?.close();
});

test('is packed with the page that it shows', () => {
  const [{ files }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] }));
  const paths = files.map(({ path }) => path);
  for (const path of ['dist/element.js', 'dist/element.d.ts', 'inspector/index.html', 'inspector/manifest.webmanifest']) assert.ok(paths.includes(path), path);
  assert.ok(paths.filter((path) => path.startsWith('inspector/assets/')).length > 30);
});

test('shows a file by its address, another one, and a comparison', async () => {
  // What the recipe shows, with the paths of this host.
  const recipe = readFileSync(new URL('recipes/inspect.md', root), 'utf8');
  const shown = /```html\n(.*?)```/s.exec(recipe)[1].replace('node_modules/unspool/', '').replace('vectors.cvc', 'files/one.cvc');
  const policy = "default-src 'none'; script-src 'self'; frame-src 'self'; img-src data:";
  const host = await serve({
    '/host.html': `<!doctype html><title>host</title><link rel="icon" href="data:,"><meta http-equiv="Content-Security-Policy" content="${policy}">${shown}`,
    '/files/one.cvc': vector('cvc/v1_int8.cvc'),
    '/files/other.cvc': vector('cvc/med_fp16.cvc'),
  }, root);
  const { page, wrong, close } = await watchedPage(browser, host.url);
  try {
    await page.goto(`${host.url}host.html`);
    const frame = page.frameLocator('unspool-inspector iframe');
    const shows = (name) => frame.getByRole('heading', { name, level: 1, exact: true }).waitFor();
    await shows('one.cvc');
    await frame.locator('.preview tbody td').first().waitFor();
    const element = page.locator('unspool-inspector');
    assert.equal((await element.boundingBox()).height, 640);
    // The frame of the page is not repeated around it.
    assert.equal(await frame.getByRole('link', { name: 'unspool inspector, start' }).isVisible(), false);
    await element.evaluate((inspector) => inspector.setAttribute('src', 'files/other.cvc'));
    await shows('other.cvc');
    await element.evaluate((inspector) => inspector.setAttribute('compare', 'files/one.cvc'));
    await shows('other.cvc ↔ one.cvc');
    // Bytes that the page around it has.
    await element.evaluate((inspector, bytes) => inspector.open(new File([Uint8Array.from(bytes)], 'own.pco')), [...vector('pco/m_i32_classic_auto.pco')]);
    await shows('own.pco');
    // Also before the element is in the page.
    await page.evaluate((bytes) => {
      document.querySelector('unspool-inspector').remove();
      const inspector = document.createElement('unspool-inspector');
      inspector.open(new File([Uint8Array.from(bytes)], 'early.cvc'));
      document.body.append(inspector);
    }, [...vector('cvc/v1_int8.cvc')]);
    await shows('early.cvc');
    assert.deepEqual(wrong, []);
  } finally {
    await close();
    host.close();
  }
});

test('imports in Node, where there are no elements', () => {
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', "const { UnspoolInspector } = await import('./dist/element.js'); console.log(typeof UnspoolInspector);"], { cwd: folder, encoding: 'utf8' });
  assert.equal(said.trim(), 'function');
});
