// The same program in a page, with a worker.
import { UnspoolWorker } from 'unspool/worker';
import { run } from './app.js';
import { cvc } from './files.js';

async function main() {
  const report = await run();
  const worker = new UnspoolWorker();
  const { columns } = await worker.decode(cvc);
  globalThis.report = { ...report, fromWorker: columns[0].shape };
  worker.terminate();
  document.title = 'done';
}

void main();
