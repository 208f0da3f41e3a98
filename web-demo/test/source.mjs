// Loads modules of the page for tests that need no browser.
import { after } from 'node:test';
import { createServer } from 'vite';

const root = new URL('..', import.meta.url).pathname;
// Node 20 does not know `using`.
const server = await createServer({ root, configFile: false, oxc: { target: 'es2022' }, logLevel: 'error', appType: 'custom', server: { middlewareMode: true, hmr: false, ws: false, watch: null }, optimizeDeps: { noDiscovery: true }, ssr: { external: ['unspool'] } });
after(() => server.close());

/** Returns a module of `src`. */
export const source = (name) => server.ssrLoadModule(`/src/${name}`);
