// The same program in a page, with a pool whose code is a file of its own.
import { run } from './app.js';
import { usePool } from './pool.js';

async function main() {
  const start = () => new Worker(new URL('host.js', document.baseURI), { type: 'module' });
  globalThis.report = { ...(await run()), fromPool: await usePool({ start }) };
  document.title = 'done';
}

void main();
