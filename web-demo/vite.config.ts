/// <reference types="node" />
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vite';

/** The policy of the page: no script, style or image from elsewhere, and no form. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  // A visitor may enter the address of a file on any server. The tests check that nothing else is
  // requested.
  "connect-src 'self' https: http:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/**
 * Adds the policy to the built page only: the development server injects styles and connects to
 * itself.
 */
const policy: Plugin = {
  name: 'content-security-policy',
  apply: 'build',
  transformIndexHtml: () => [
    { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: POLICY }, injectTo: 'head-prepend' },
  ],
};

/** Makes the page work offline: a service worker keeps all of its files. */
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
  // The package is linked from the workspace, and changes during development.
  optimizeDeps: { exclude: ['unspool'] },
});
