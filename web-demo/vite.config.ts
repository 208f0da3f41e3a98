/// <reference types="node" />
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** What the page may do: no script, no style, no picture from anywhere else, and no form that sends anything. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  // A visitor may give the address of a file on any server, and nothing else is asked for: the tests watch that.
  "connect-src 'self' https: http:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** In the built page only: the development server injects styles and connects to itself. */
const policy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
  ],
};

/** The page works offline: a service worker keeps all of its files, and asks the server for none of them again. */
const offline: Plugin = {
  name: 'offline',
  apply: 'build',
  generateBundle(_, bundle) {
    const files = ['./', ...Object.keys(bundle).filter((file) => file !== 'index.html')];
    const version = createHash('sha256').update(files.join()).update(JSON.stringify(POLICY)).digest('hex').slice(0, 16);
    const source = readFileSync(new URL('src/offline.js', import.meta.url), 'utf8');
    const head = `const VERSION = ${JSON.stringify(version)};\nconst FILES = ${JSON.stringify(files)};\n`;
    this.emitFile({ type: 'asset', fileName: 'offline.js', source: head + source });
  },
};

export default defineConfig({
  // Relative addresses: the page works from any folder of any server.
  base: './',
  plugins: [policy, offline],
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: 'es' },
  server: { fs: { allow: ['..'] } },
  // The package is linked from the workspace, and changes while the page is developed.
  optimizeDeps: { exclude: ['unspool'] },
});
