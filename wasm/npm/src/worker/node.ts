// `unspool/worker` in Node, with threads.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { checkOptions } from '../check.js';
import { MAX_WORKERS, OPTIONS, type UnspoolPoolOptions, type UnspoolWorkerOptions } from './index.js';
import type { Reply } from './messages.js';
import { PoolBase } from './pool.js';
import type { Start } from './slot.js';

function starter(start: () => Worker): Start {
  return (onMessage, onError) => {
    const worker = start();
    worker.on('message', (reply) => onMessage(reply as Reply));
    worker.on('error', (error) => onError(error as Error));
    worker.on('messageerror', (error) => onError(error as Error));
    worker.on('exit', () => onError(new Error('the worker exited')));
    return worker;
  };
}

/** A pool of threads. They start when jobs need them, and share the compiled modules. */
export class UnspoolPool extends PoolBase {
  /** Creates a pool. */
  constructor(options: UnspoolPoolOptions = {}) {
    checkOptions(options, OPTIONS);
    const { start = () => new Worker(new URL('./host-node.cjs', import.meta.url)), workers = Math.min(availableParallelism(), MAX_WORKERS), ...rest } = options;
    super(starter(start as () => Worker), { workers, ...rest });
  }
}

/** A pool of one thread. */
export class UnspoolWorker extends UnspoolPool {
  /** Creates a pool. */
  constructor(options: UnspoolWorkerOptions = {}) {
    super({ ...options, workers: 1 });
  }
}
