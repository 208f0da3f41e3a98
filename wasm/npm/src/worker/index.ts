/**
 * Runs the functions of the package in web workers or Node threads.
 *
 * @module unspool/worker
 */
import { checkOptions } from '../check.js';
import type { Reply } from './messages.js';
import { PoolBase } from './pool.js';
import type { Start } from './slot.js';

export type { Progress } from './messages.js';
export type { JobOptions } from './pool.js';

/** A web worker. Defined without the `DOM` types, which a Node project need not have. */
export type WebWorker = typeof globalThis extends { Worker: { prototype: infer Own } } ? Own : never;

/** A `Worker` of `node:worker_threads`, as far as it is used. */
export interface NodeWorker {
  /** Posts a message. */
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  /** Ends the thread. */
  terminate(): unknown;
  /** Adds a listener. */
  on(event: string, listener: (value: unknown) => void): unknown;
  /** Keeps the process alive. */
  ref(): void;
  /** Lets the process exit. */
  unref(): void;
}

/** Options of {@link UnspoolWorker}. */
export interface UnspoolWorkerOptions {
  /**
   * Starts a module worker, or in Node a thread, that imports `unspool/worker/host`. For bundlers
   * that do not find the built-in worker.
   */
  start?: (() => WebWorker | NodeWorker) | undefined;
  /**
   * Milliseconds until a new worker must have loaded its code, 30,000 by default. After that its
   * job fails with a `TimeoutError`.
   */
  startTimeout?: number | undefined;
  /** Maximum number of jobs that wait, 1,000 by default. A further call is rejected. */
  maxQueue?: number | undefined;
}

/** Options of {@link UnspoolPool}. */
export interface UnspoolPoolOptions extends UnspoolWorkerOptions {
  /** Maximum number of workers. By default one for each core, and at most eight. */
  workers?: number | undefined;
}

/** @internal The names of the options. */
export const OPTIONS = { start: true, startTimeout: true, maxQueue: true, workers: true } as const;

/** @internal Maximum number of workers by default. */
export const MAX_WORKERS = 8;

function starter(start: () => WebWorker): Start {
  return (onMessage, onError) => {
    const worker = start();
    worker.onmessage = ({ data }: MessageEvent<Reply>) => onMessage(data);
    worker.onerror = ({ message }: ErrorEvent) => onError(new Error(message || 'the worker could not start'));
    worker.onmessageerror = () => onError(new Error('the reply of the worker cannot be deserialized'));
    return worker;
  };
}

/** A pool of workers. They start when jobs need them, and share the compiled modules. */
export class UnspoolPool extends PoolBase {
  /** Creates a pool. */
  constructor(options: UnspoolPoolOptions = {}) {
    checkOptions(options, OPTIONS);
    const { start = () => new Worker(new URL('./host.js', import.meta.url), { type: 'module' }), workers = Math.min(navigator.hardwareConcurrency, MAX_WORKERS), ...rest } = options;
    super(starter(start as () => WebWorker), { workers, ...rest });
  }
}

/** A pool of one worker. */
export class UnspoolWorker extends UnspoolPool {
  /** Creates a pool. */
  constructor(options: UnspoolWorkerOptions = {}) {
    super({ ...options, workers: 1 });
  }
}
