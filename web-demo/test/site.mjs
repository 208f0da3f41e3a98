// Checks the built site: `npm run site -- FOLDER`
//
// Opens every document and samples of the references. A page fails if it logs an error or a
// warning, breaks its policy, or requests another server. Every link within the site must lead to
// an existing page and anchor.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { violationsOf } from './axe.mjs';
import { launch, watchedPage } from './browser.mjs';
import { serve } from './server.mjs';

const AT_ONCE = 4;
const INSPECTOR = 'inspector/';
const REFERENCES = ['rust/', 'javascript/'];
/** A site need not be at the root of its server. */
const BASE = '/some/path/';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npm run site -- FOLDER');
  process.exit(2);
}
const files = new Set(readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  .map(({ parentPath, path, name }) => resolve(parentPath ?? path, name).slice(resolve(folder).length + 1)));
const pages = [...files].filter((path) => path.endsWith('.html')).sort();
const own = (path) => !path.startsWith(INSPECTOR) && !REFERENCES.some((start) => path.startsWith(start));

const problems = [];
/** Links and anchors by page. */
const seen = new Map();

const [browser, server] = await Promise.all([launch(), serve({}, pathToFileURL(`${resolve(folder)}/`), BASE)]);
try {
  assert.ok(pages.length > 100 && pages.filter(own).length > 20, `only ${pages.length} pages in ${folder}`);
  const queue = [...pages];
  await Promise.all(Array.from({ length: AT_ONCE }, () => visitAll(queue)));
  assert.equal(seen.size, pages.length);
  for (const path of pages) checkLinks(path);
  checkReachable();
  for (const check of [inspectorDecodes, rustSearchFinds, javascriptSearchFinds, keyboardReachesTheContent, narrowPagesFit, opensFromDisk]) {
    try {
      await check();
    } catch (error) {
      problems.push(`${check.name}: ${error.message}`);
    }
  }
} catch (error) {
  problems.push(error.stack);
} finally {
  await browser.close();
  server.close();
}
if (problems.length > 0) {
  console.error(problems.join('\n'));
  console.error(`error: ${problems.length} problems in ${folder}`);
  process.exitCode = 1;
} else {
  const links = [...seen.values()].reduce((sum, { links }) => sum + links.length, 0);
  console.log(`${pages.length} pages and ${links} links of the site work`);
}

/** Visits pages of a queue that others share. */
async function visitAll(queue) {
  const { page, wrong, close } = await watchedPage(browser, server.url);
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const html = readFileSync(`${folder}/${path}`, 'utf8');
    if (!/<meta http-equiv="Content-Security-Policy" content="default-src ('|&#39;)none/.test(html)) wrong.push('no policy');
    if (isReadOnly(path, html)) {
      seen.set(path, parse(path, html));
    } else {
      await page.goto(`${server.url}${path}`);
      seen.set(path, await page.evaluate(() => ({
        links: [...new Set([...document.querySelectorAll('a[href]')].map(({ href }) => href))],
        anchors: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      })));
      if (own(path)) wrong.push(...(await inaccessible(page)));
    }
    problems.push(...wrong.splice(0).map((text) => `${path}: ${text}`));
  }
  await close();
}

/** Pages that are not opened: redirects, and most pages of the references, which are alike. */
function isReadOnly(path, html) {
  const samples = path.startsWith('rust/src/') ? 20 : 8;
  const isSample = own(path) || path.endsWith('index.html') || pages.indexOf(path) % samples === 0;
  return html.includes('http-equiv="refresh"') || !isSample;
}

/** What axe finds serious on a page, in light and dark. */
async function inaccessible(page) {
  const serious = (await violationsOf(page)).filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ colorScheme, id, nodes }) => `${colorScheme}: ${id}: ${nodes[0].html}`);
}

/** The links and anchors of a page by its text. */
function parse(path, html) {
  const values = (pattern) => [...html.matchAll(pattern)].map(([, value]) => value.replaceAll('&amp;', '&'));
  // Pages of rustdoc also hold links within strings.
  const hrefs = values(/<a\b[^>]*? href="?([^" >]*)/g).filter((href) => !href.startsWith('\\'));
  const links = [...new Set(hrefs)].map((href) => new URL(href, `${server.url}${path}`).href);
  return { links, anchors: values(/ id="?([^" >]*)/g) };
}

/** The path in the site of a link, and its anchor; nothing if it leads elsewhere. */
function target(link) {
  const { origin, pathname, hash } = new URL(link);
  if (origin !== new URL(server.url).origin) return undefined;
  if (!pathname.startsWith(BASE)) return { path: undefined };
  const path = decodeURIComponent(pathname.slice(BASE.length));
  return { path: path === '' || path.endsWith('/') ? `${path}index.html` : path, anchor: hash.slice(1) };
}

function checkLinks(from) {
  for (const link of seen.get(from).links) {
    const to = target(link);
    if (to === undefined) continue;
    if (!files.has(to.path)) problems.push(`${from}: dead link ${link}`);
    // The inspector keeps its state after the hash.
    else if (to.anchor && !to.path.startsWith(INSPECTOR) && !hasAnchor(to)) problems.push(`${from}: no such anchor: ${link}`);
  }
}

/**
 * An anchor is compared as it is, then decoded. A listing in the Rust reference has one for each
 * line, and accepts spans of lines.
 */
function hasAnchor({ path, anchor }) {
  const found = seen.get(path);
  found.set ??= new Set(found.anchors);
  return [anchor, decodeURIComponent(anchor), anchor.replace(/^(\d+)-\d+$/, '$1')].some((name) => found.set.has(name));
}

/** Every page of our own is reached by links, and so are the references and the inspector. */
function checkReachable() {
  const reached = new Set(['index.html']);
  for (const path of reached) {
    for (const link of seen.get(path)?.links ?? []) {
      const to = target(link);
      if (to?.path?.endsWith('.html')) reached.add(to.path);
    }
  }
  for (const path of pages) if (own(path) && !reached.has(path)) problems.push(`no link leads to ${path}`);
  for (const path of ['inspector/index.html', 'rust/unspool/index.html', 'javascript/index.html']) {
    if (!reached.has(path)) problems.push(`no link leads to ${path}`);
  }
}

/** Runs a check on a page of its own, on which nothing may go wrong. */
async function onPage(path, check, options) {
  const { page, wrong, close } = await watchedPage(browser, server.url, options);
  try {
    await page.goto(`${server.url}${path}`);
    await check(page);
    assert.deepEqual(wrong, []);
  } finally {
    await close();
  }
}

async function inspectorDecodes() {
  await onPage('inspector/index.html#sample=embeddings', async (page) => {
    await page.locator('.preview tbody td', { hasText: /^-0\.012398$/ }).first().waitFor();
  });
}

async function rustSearchFinds() {
  await onPage('rust/unspool/index.html', async (page) => {
    await page.keyboard.press('s');
    await page.keyboard.type('decode_to_vec');
    await page.locator('#search a[href*="decode_to_vec"]').first().waitFor();
  });
}

async function javascriptSearchFinds() {
  await onPage('javascript/index.html', async (page) => {
    await page.keyboard.press('/');
    await page.locator('#tsd-search-input').pressSequentially('decodeZstd');
    await page.locator('#tsd-search-results a', { hasText: 'decodeZstd' }).first().waitFor();
  });
}

async function keyboardReachesTheContent() {
  await onPage('index.html', async (page) => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'content');
  });
}

/** On a telephone nothing but a table or a code block scrolls sideways. */
async function narrowPagesFit() {
  for (const path of ['index.html', 'docs/sizes.html', 'docs/formats/zstd.html']) {
    await onPage(path, async (page) => {
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide`);
    }, { viewport: { width: 360, height: 740 } });
  }
}

/**
 * Documents and the Rust reference also open from disk. Browsers refuse modules and shared icons
 * there.
 */
async function opensFromDisk() {
  const root = pathToFileURL(`${resolve(folder)}/`).href;
  const { page, wrong, close } = await watchedPage(browser, root);
  try {
    for (const path of ['index.html', 'docs/sizes.html', 'rust/unspool/index.html']) {
      await page.goto(`${root}${path}`);
      await page.locator('h1').first().waitFor();
      assert.deepEqual(wrong, [], path);
    }
  } finally {
    await close();
  }
}
