import { defineConfig, type Plugin } from 'vite';

/** What the page may do. "Nothing leaves your machine" is not a promise but a rule that the browser enforces. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "connect-src 'self'",
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

export default defineConfig({
  // Relative addresses: the page works from any folder of any server.
  base: './',
  plugins: [policy],
  assetsInclude: ['**/*.cvc', '**/*.onp', '**/*.pco'],
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: 'es' },
  server: { fs: { allow: ['..'] } },
  // The package is linked from the workspace, and changes while the page is developed.
  optimizeDeps: { exclude: ['unspool'] },
});
