// The same program in a page, with a worker whose code is a file of its own.
import { UnspoolWorker } from 'unspool/worker';
import { run } from './app.js';
import { cvc } from './files.js';

async function main() {
  const report = await run();
  const start = () => new Worker(new URL('host.js', document.baseURI), { type: 'module' });
  const worker = new UnspoolWorker({ start });
  const { columns } = await worker.decode(cvc);
  globalThis.report = { ...report, fromWorker: columns[0].shape };
  worker.terminate();
  document.title = 'done';
}

void main();
