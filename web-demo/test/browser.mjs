// Headless Chromium. Without it, these tests fail: a page that no browser has opened is not tested.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--no-first-run',
];

export async function launch() {
  const candidates = [process.env.CHROMIUM, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const executablePath = candidates.find((path) => path && existsSync(path));
  if (executablePath === undefined) {
    throw new Error('Chromium is missing; type: sudo apt-get install -y chromium, or set CHROMIUM to its path');
  }
  return chromium.launch({ executablePath, args: FLAGS });
}

/** Opens a page that records errors, and requests to other servers than `url`. */
export async function watchedPage(browser, url, options = {}) {
  const context = await browser.newContext(options);
  await context.addInitScript(`window.pixelsOf = ${pixelsOf}`);
  const page = await context.newPage();
  // A generous timeout, as the machine may run other tests too.
  page.setDefaultTimeout(30_000);
  const wrong = [];
  page.on('console', (message) => {
    const ours = !message.text().startsWith('Service Worker registration blocked by Playwright');
    if (ours && ['error', 'warning'].includes(message.type())) wrong.push(`console: ${message.text()}`);
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
 * Returns the pixels of a canvas, or of some of its lines, in the page. Reads a copy: reading a
 * canvas repeatedly makes the browser warn about slow reads.
 */
function pixelsOf(canvas, from = 0, lines = canvas.height) {
  const copy = new OffscreenCanvas(canvas.width, lines).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, -Math.floor(from));
  return copy.getImageData(0, 0, canvas.width, lines).data;
}
