/**
 * Decodes and inspects in a web worker or a Node thread.
 *
 * @module unspool/worker
 */
import { checkOptions } from '../check.js';
import { UnspoolWorkerBase } from './client.js';
import type { Reply } from './messages.js';

export type { JobOptions } from './client.js';
export type { Progress } from './messages.js';

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
}

/** A worker that decodes and inspects. It starts with its first job. */
export class UnspoolWorker extends UnspoolWorkerBase {
  /** Creates a worker, and starts it with its first job. */
  constructor(options: UnspoolWorkerOptions = {}) {
    checkOptions(options, { start: true, startTimeout: true });
    const { start = () => new Worker(new URL('./host.js', import.meta.url), { type: 'module' }) } = options;
    super((onMessage, onError) => {
      const worker = start() as WebWorker;
      worker.onmessage = ({ data }: MessageEvent<Reply>) => onMessage(data);
      worker.onerror = ({ message }) => onError(new Error(message || 'the worker could not start'));
      worker.onmessageerror = () => onError(new Error('the reply of the worker cannot be deserialized'));
      return worker;
    }, options.startTimeout);
  }
}
