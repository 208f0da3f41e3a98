// `unspool/worker` in browsers, and wherever else workers are those of the web.
import { checkOptions } from '../check.js';
import { UnspoolWorkerBase } from './client.js';
import type { Reply } from './messages.js';

export type { JobOptions } from './client.js';
export type { Progress } from './messages.js';

/** A `Worker`. Looked up like this, nobody needs a `lib` of browsers for it who works in Node. */
export type WebWorker = typeof globalThis extends { Worker: { prototype: infer Own } } ? Own : never;

/** A `Worker` of `node:worker_threads`, as far as it is needed. */
export interface NodeWorker {
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void;
  terminate(): unknown;
  on(event: string, listener: (value: unknown) => void): unknown;
  ref(): void;
  unref(): void;
}

/** How the worker is started. */
export interface UnspoolWorkerOptions {
  /** Starts the worker, for bundlers that do not see the one below: a module worker, in Node a thread, that imports `unspool/worker/host`. */
  start?: (() => WebWorker | NodeWorker) | undefined;
}

/** A worker that decodes and inspects, and starts with its first job. */
export class UnspoolWorker extends UnspoolWorkerBase {
  constructor(options: UnspoolWorkerOptions = {}) {
    checkOptions(options, { start: true });
    const { start = () => new Worker(new URL('./host.js', import.meta.url), { type: 'module' }) } = options;
    super((onMessage, onError) => {
      const worker = start() as WebWorker;
      worker.onmessage = ({ data }: MessageEvent<Reply>) => onMessage(data);
      worker.onerror = ({ message }) => onError(new Error(message || 'the worker could not start'));
      worker.onmessageerror = () => onError(new Error('the answer of the worker cannot be read'));
      return worker;
    });
  }
}
