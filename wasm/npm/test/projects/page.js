// The same program in a page, with a worker.
import './app.js';
import { UnspoolWorker } from 'unspool/worker';
import { cvc } from './files.js';

const worker = new UnspoolWorker();
const { columns } = await worker.decode(cvc);
globalThis.report.fromWorker = columns[0].shape;
worker.terminate();
document.title = 'done';
