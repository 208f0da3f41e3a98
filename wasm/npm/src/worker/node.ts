// `unspool/worker` in Node, where workers are threads.
import { Worker } from 'node:worker_threads';
import { UnspoolWorkerBase } from './client.js';
import type { Reply } from './messages.js';

/** A worker that decodes and inspects, and starts with its first job. */
export class UnspoolWorker extends UnspoolWorkerBase {
  constructor() {
    super((onMessage, onError) => {
      const worker = new Worker(new URL('./host-node.js', import.meta.url));
      worker.on('message', (reply) => onMessage(reply as Reply));
      worker.on('error', (error) => onError(error as Error));
      worker.on('messageerror', (error) => onError(error as Error));
      worker.on('exit', () => onError(new Error('the worker ended')));
      return worker;
    });
  }
}
