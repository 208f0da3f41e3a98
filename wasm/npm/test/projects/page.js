// The same program in a page, with a pool.
import { run } from './app.js';
import { usePool } from './pool.js';

async function main() {
  globalThis.report = { ...(await run()), fromPool: await usePool() };
  document.title = 'done';
}

void main();
