// Headless Chromium. A machine without one fails these tests: a page that no browser has opened is not tested.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--no-first-run',
];

export async function launch() {
  const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const executablePath = candidates.find((path) => path && existsSync(path));
  if (executablePath === undefined) {
    throw new Error('Chromium is missing; type: sudo apt-get install -y chromium, or set CHROMIUM to its path');
  }
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A page that notes whatever should not happen: errors, and requests to anywhere but `url`. */
export async function watchedPage(browser, url, options = {}) {
  const context = await browser.newContext(options);
  await context.addInitScript(`window.pixelsOf = ${pixelsOf}`);
  const page = await context.newPage();
  // Much more than anything takes, on a machine that runs other tests too.
  page.setDefaultTimeout(30_000);
  const wrong = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.method() !== 'GET') wrong.push(`sent: ${request.method()} ${request.url()}`);
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) wrong.push(`request: ${request.url()}`);
  });
  page.on('requestfailed', (request) => wrong.push(`failed: ${request.url()}`));
  return { page, wrong, close: () => context.close() };
}

/**
 * The pixels of a canvas, or of some of its lines, for code that runs in the page. They come from a copy: a canvas that
 * is read more than once makes the browser warn of slow reads, which would be ours and not the page's.
 */
function pixelsOf(canvas, from = 0, lines = canvas.height) {
  const copy = new OffscreenCanvas(canvas.width, lines).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, -Math.floor(from));
  return copy.getImageData(0, 0, canvas.width, lines).data;
}
