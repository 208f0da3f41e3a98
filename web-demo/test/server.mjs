// Serves the built page on a free local port.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Serves a folder, by default the built page, below a path, and `extra`: contents by path. */
export async function serve(extra = {}, root = new URL('../dist/', import.meta.url), base = '/') {
  const server = createServer(async ({ url }, response) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://localhost').pathname));
    try {
      // As static hosts do: a folder is its index, and a page needs no extension.
      const file = path.endsWith('/') ? `${path}index.html` : path === `${base}compare` ? `${path}.html` : path;
      if (!path.startsWith(base)) throw new Error('outside of the site');
      const body = extra[path] ?? (await readFile(new URL(`./${file.slice(base.length)}`, root)));
      response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
      response.end(body);
    } catch {
      response.writeHead(404).end('not found');
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}${base}`, close: () => server.close() };
}
