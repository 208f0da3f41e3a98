// `unspool/worker` in Node, with threads.
import { Worker } from 'node:worker_threads';
import { checkOptions } from '../check.js';
import { UnspoolWorkerBase } from './client.js';
import type { UnspoolWorkerOptions } from './index.js';
import type { Reply } from './messages.js';

/** A worker that decodes and inspects. It starts with its first job. */
export class UnspoolWorker extends UnspoolWorkerBase {
  /** Creates a worker, and starts it with its first job. */
  constructor(options: UnspoolWorkerOptions = {}) {
    checkOptions(options, { start: true, startTimeout: true });
    const { start = () => new Worker(new URL('./host-node.js', import.meta.url)) } = options;
    super((onMessage, onError) => {
      const worker = start() as Worker;
      worker.on('message', (reply) => onMessage(reply as Reply));
      worker.on('error', (error) => onError(error as Error));
      worker.on('messageerror', (error) => onError(error as Error));
      worker.on('exit', () => onError(new Error('the worker exited')));
      return worker;
    }, options.startTimeout);
  }
}
