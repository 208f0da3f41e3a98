/// <reference lib="esnext.disposable" preserve="true" />
// The page's side: a queue of jobs and one worker, which is replaced after a job was aborted.
import { checkOptions } from '../check.js';
import { checkWhole } from '../check-numbers.js';
import type { Decoded, DecodeOptions } from '../decode.js';
import { UnspoolError, type PlainError } from '../error.js';
import type { Inspection, InspectOptions } from '../inspect.js';
import { type Bytes, bytesOf } from '../bytes.js';
import { readBlob } from '../blob.js';
import type { Failure, Job, Progress, Reply } from './messages.js';

/** Options of a worker job. */
export interface JobOptions {
  /** Aborts the job, even while it runs. */
  signal?: AbortSignal | undefined;
  /** Reports progress. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Transfers the memory of the bytes instead of copying it, with everything else in its
   * `ArrayBuffer`. Without it, do not change the bytes before the job is done: a queued job copies
   * them at its turn.
   */
  transfer?: boolean | undefined;
}

/** The names of the options of every job. */
const KNOWN = { limits: true, signal: true, onProgress: true, transfer: true } as const;

/** A worker, as this class uses it. */
export interface WorkerPort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  terminate(): void;
  /** In Node: keeps the process alive, or lets it exit. */
  ref?(): void;
  unref?(): void;
}

/** Starts a worker that passes on its replies and its failure. */
export type Start = (onMessage: (reply: Reply) => void, onError: (error: Error) => void) => WorkerPort;

/** Milliseconds until a new worker must have loaded its code. */
const START_TIMEOUT = 30_000;

/** A queued job. */
interface Waiting {
  job: Job;
  /** True if the memory of the bytes may be transferred. */
  mayTransfer: boolean;
  /** True if the bytes are a copy, which can always be transferred. */
  isCopy: boolean;
  readonly options: JobOptions;
  readonly settle: (reply: Exclude<Reply, { progress: Progress } | { ready: true }>) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Decodes and inspects in a worker, one job after the other. Results are transferred, not copied.
 * Call {@link terminate} at the end, or declare it with `using`.
 */
export class UnspoolWorkerBase implements Disposable {
  #start: Start;
  #startTimeout: number;
  #worker: WorkerPort | undefined;
  /** Runs until the worker has sent its first message. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #queue: Waiting[] = [];
  #ended = false;

  /** @internal */
  constructor(start: Start, startTimeout = START_TIMEOUT) {
    checkWhole('startTimeout', startTimeout);
    this.#start = start;
    this.#startTimeout = startTimeout;
  }

  /** Runs `decode` in the worker. */
  async decode(source: Bytes | Blob, options: Omit<DecodeOptions, 'signal'> & JobOptions = {}): Promise<Decoded> {
    checkOptions(options, { ...KNOWN, checksums: true, dictionary: true });
    const { signal, onProgress, transfer, dictionary, ...rest } = options;
    // A view's whole buffer would be transferred.
    const own = dictionary === undefined ? rest : { ...rest, dictionary: new Uint8Array(bytesOf(dictionary, 'dictionary')) };
    return (await this.#do({ decode: bytesOrBlob(source), options: own }, options)) as Decoded;
  }

  /** Runs `inspect` in the worker. */
  async inspect(source: Bytes | Blob, options: Omit<InspectOptions, 'signal'> & JobOptions = {}): Promise<Inspection> {
    checkOptions(options, { ...KNOWN, maxNodes: true });
    const { signal, onProgress, transfer, ...rest } = options;
    const found = (await this.#do({ inspect: bytesOrBlob(source), options: rest }, options)) as Inspection;
    const error = found.error as PlainError | undefined;
    return { ...found, error: error === undefined ? undefined : UnspoolError.from(error) };
  }

  /** Ends the worker. Queued and running jobs are rejected with an `AbortError`. */
  terminate(): void {
    this.#ended = true;
    this.#stop();
    for (const { fail } of this.#queue.splice(0)) fail(new DOMException('the worker was terminated', 'AbortError'));
  }

  /** Calls {@link terminate}, for `using`. */
  [Symbol.dispose](): void {
    this.terminate();
  }

  #do(job: Job, options: JobOptions): Promise<unknown> {
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (this.#ended) return Promise.reject(new DOMException('the worker was terminated', 'AbortError'));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#abort(waiting, signal?.reason as Error);
      const end = (): void => signal?.removeEventListener('abort', onAbort);
      const waiting: Waiting = {
        job,
        mayTransfer: options.transfer === true,
        isCopy: false,
        options,
        settle(reply) {
          end();
          if ('result' in reply) resolve(reply.result);
          else if ('refused' in reply) reject(UnspoolError.from(reply.refused));
          else reject(restoreError(reply.failed));
        },
        fail(error) {
          end();
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort);
      this.#queue.push(waiting);
      if (this.#queue.length === 1) this.#next();
    });
  }

  #abort(waiting: Waiting, reason: Error): void {
    const at = this.#queue.indexOf(waiting);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    waiting.fail(reason);
    // A computing worker can only be terminated.
    if (at > 0) return;
    this.#stop();
    this.#next();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    // First, as Deno reports the exit of a worker while it is being terminated.
    this.#worker = undefined;
    worker?.terminate();
  }

  #next(): void {
    const [first] = this.#queue;
    // An idle worker must not keep the process alive.
    if (first === undefined) return this.#worker?.unref?.();
    try {
      this.#worker ??= this.#connect();
      this.#worker.ref?.();
      this.#worker.postMessage(...toMessage(first));
    } catch (error) {
      if (isUncloneable(first)) void this.#retryWithCopy(first);
      else this.#drop(first, error as Error);
    }
  }

  /**
   * Retries with bytes that can be transferred: Node clones no file-backed `Blob`, and does not
   * transfer pooled `Buffer` memory.
   */
  async #retryWithCopy(first: Waiting): Promise<void> {
    try {
      const source = sourceOf(first.job);
      const onProgress = (done: number, total: number): void => first.options.onProgress?.({ phase: 'read', done, total });
      const bytes = source instanceof Uint8Array ? new Uint8Array(source) : await readBlob(source, { onProgress });
      // It may have been aborted meanwhile.
      if (this.#queue[0] !== first) return;
      [first.job, first.mayTransfer, first.isCopy] = [withSource(first.job, bytes), true, true];
      this.#next();
    } catch (error) {
      this.#abort(first, error as Error);
    }
  }

  /** Drops the first job, which never reached the worker. */
  #drop(first: Waiting, error: Error): void {
    this.#queue.shift();
    first.fail(error);
    this.#next();
  }

  #connect(): WorkerPort {
    // Ignore late messages of a terminated worker.
    const worker = this.#start((reply) => worker === this.#worker && this.#receive(reply), (error) => worker === this.#worker && this.#end(error));
    const late = (): void => this.#end(new DOMException(`the worker did not start within ${this.#startTimeout} ms; its file must import unspool/worker/host`, 'TimeoutError'));
    this.#timer = setTimeout(late, this.#startTimeout);
    return worker;
  }

  #receive(reply: Reply): void {
    clearTimeout(this.#timer);
    const [first] = this.#queue;
    if (first === undefined || 'ready' in reply) return;
    if ('progress' in reply) {
      try {
        return first.options.onProgress?.(reply.progress);
      } catch (error) {
        return this.#abort(first, error as Error);
      }
    }
    this.#queue.shift();
    first.settle(reply);
    this.#next();
  }

  /** Handles the end of the worker. The next job gets a new one. */
  #end(error: Error): void {
    this.#stop();
    this.#queue.shift()?.fail(error);
    this.#next();
  }
}

/** Prepares a job for transfer: a copy of its bytes, or the caller's memory if that was allowed. */
function toMessage({ job, mayTransfer }: Waiting): [message: Job, transfer: ArrayBuffer[]] {
  const source = sourceOf(job);
  if (!(source instanceof Uint8Array)) return [job, []];
  // Shared memory cannot be transferred.
  const own = mayTransfer && source.buffer instanceof ArrayBuffer ? source : new Uint8Array(source);
  return [withSource(job, own), [own.buffer as ArrayBuffer]];
}

const sourceOf = (job: Job): Uint8Array | Blob => ('decode' in job ? job.decode : job.inspect);

const withSource = (job: Job, source: Uint8Array): Job => ('decode' in job ? { ...job, decode: source } : { ...job, inspect: source });

/** Tests whether the source of a job may be the reason that it could not be posted. */
const isUncloneable = ({ job, mayTransfer, isCopy }: Waiting): boolean => !isCopy && (mayTransfer || !(sourceOf(job) instanceof Uint8Array));

/** Recreates an error that is not an `UnspoolError`. */
function restoreError({ name, message }: Failure): Error {
  const Type = [Error, TypeError, RangeError].find((known) => known.name === name);
  return Type === undefined ? new DOMException(message, name) : new Type(message);
}

function bytesOrBlob(source: unknown): Uint8Array | Blob {
  return typeof Blob !== 'undefined' && source instanceof Blob ? source : bytesOf(source);
}
