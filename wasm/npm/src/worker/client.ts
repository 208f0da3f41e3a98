/// <reference lib="esnext.disposable" preserve="true" />
// The page's side: a queue of jobs, one worker that does them, and another one after a job was called off.
import { checkOptions } from '../check.js';
import type { Decoded, DecodeOptions } from '../decode.js';
import { UnspoolError, type PlainError } from '../error.js';
import type { Inspection, InspectOptions } from '../inspect.js';
import { type Bytes, bytesOf, readBlob } from '../source.js';
import type { Failure, Job, Progress, Reply } from './messages.js';

/** How a job is done. */
export interface JobOptions {
  /** Calls the job off, also while it runs. */
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Hands the memory of the bytes over instead of copying it: they are gone on this side, with all else that lies in their
   * `ArrayBuffer`. Without it they must not change before the job is done: a job that waits is copied when its turn comes.
   */
  transfer?: boolean | undefined;
}

/** The options of every job. */
const KNOWN = { limits: true, signal: true, onProgress: true, transfer: true } as const;

/** A worker as this class needs it. */
export interface Line {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  terminate(): void;
  /** In Node: whether the process waits for it. */
  ref?(): void;
  unref?(): void;
}

/** Starts a worker that hands on what it says and how it dies, or why it never came. */
export type Start = (onMessage: (reply: Reply) => void, onError: (error: Error) => void) => Line;

interface Waiting {
  job: Job;
  /** Whether the memory of the bytes may be handed over. */
  isOurs: boolean;
  /** Whether they are a copy, which can always cross over. */
  isCopy: boolean;
  readonly options: JobOptions;
  readonly settle: (reply: Exclude<Reply, { progress: Progress }>) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Decodes and inspects off this thread. Jobs are done one after the other; results are transferred, not copied. Call
 * {@link terminate} when it is of no more use, or say `using`.
 */
export class UnspoolWorkerBase implements Disposable {
  #start: Start;
  #line: Line | undefined;
  #queue: Waiting[] = [];
  #ended = false;

  /** @internal */
  constructor(start: Start) {
    this.#start = start;
  }

  /** What `decode` gives. */
  async decode(source: Bytes | Blob, options: DecodeOptions & JobOptions = {}): Promise<Decoded> {
    checkOptions(options, { ...KNOWN, checksums: true, dictionary: true });
    const { signal, onProgress, transfer, dictionary, ...rest } = options;
    // Of a view all memory under it would cross over.
    const own = dictionary === undefined ? rest : { ...rest, dictionary: new Uint8Array(bytesOf(dictionary, 'dictionary')) };
    return (await this.#do({ decode: bytesOrBlob(source), options: own }, options)) as Decoded;
  }

  /** What `inspect` gives. */
  async inspect(source: Bytes | Blob, options: InspectOptions & JobOptions = {}): Promise<Inspection> {
    checkOptions(options, { ...KNOWN, maxNodes: true });
    const { signal, onProgress, transfer, ...rest } = options;
    const found = (await this.#do({ inspect: bytesOrBlob(source), options: rest }, options)) as Inspection;
    const error = found.error as PlainError | undefined;
    return { ...found, error: error === undefined ? undefined : UnspoolError.from(error) };
  }

  /** Ends the worker. Jobs that wait or run end with an `AbortError`. */
  terminate(): void {
    this.#ended = true;
    this.#stop();
    for (const { fail } of this.#queue.splice(0)) fail(new DOMException('the worker was terminated', 'AbortError'));
  }

  [Symbol.dispose](): void {
    this.terminate();
  }

  #do(job: Job, options: JobOptions): Promise<unknown> {
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (this.#ended) return Promise.reject(new DOMException('the worker was terminated', 'AbortError'));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#callOff(waiting, signal?.reason as Error);
      const end = (): void => signal?.removeEventListener('abort', onAbort);
      const waiting: Waiting = {
        job,
        isOurs: options.transfer === true,
        isCopy: false,
        options,
        settle(reply) {
          end();
          if ('result' in reply) resolve(reply.result);
          else if ('refused' in reply) reject(UnspoolError.from(reply.refused));
          else reject(reborn(reply.failed));
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

  #callOff(waiting: Waiting, reason: Error): void {
    const at = this.#queue.indexOf(waiting);
    if (at < 0) return;
    this.#queue.splice(at, 1);
    waiting.fail(reason);
    // Nothing but its end stops a worker that computes.
    if (at > 0) return;
    this.#stop();
    this.#next();
  }

  #stop(): void {
    this.#line?.terminate();
    this.#line = undefined;
  }

  #next(): void {
    const [first] = this.#queue;
    // Nobody waits for a worker that has nothing to do: a script that forgets it may end.
    if (first === undefined) return this.#line?.unref?.();
    try {
      this.#line ??= this.#connect();
      this.#line.ref?.();
      this.#line.postMessage(...parcel(first));
    } catch (error) {
      if (isStuck(first)) void this.#unstick(first);
      else this.#drop(first, error as Error);
    }
  }

  /** Tries again with bytes that can cross over: Node clones no `Blob` of a file, and hands over no memory that its `Buffer`s share. */
  async #unstick(first: Waiting): Promise<void> {
    try {
      const source = sourceOf(first.job);
      const tell = (done: number, total: number): void => first.options.onProgress?.({ phase: 'read', done, total });
      const bytes = source instanceof Uint8Array ? new Uint8Array(source) : await readBlob(source, tell);
      // Somebody may have called it off.
      if (this.#queue[0] !== first) return;
      [first.job, first.isOurs, first.isCopy] = [withSource(first.job, bytes), true, true];
      this.#next();
    } catch (error) {
      this.#callOff(first, error as Error);
    }
  }

  /** Gives up the job at the front, which never reached the worker. */
  #drop(first: Waiting, error: Error): void {
    this.#queue.shift();
    first.fail(error);
    this.#next();
  }

  #connect(): Line {
    // A worker that was ended may have said something before, which is for no job of the next one.
    const line = this.#start((reply) => line === this.#line && this.#hear(reply), (error) => line === this.#line && this.#die(error));
    return line;
  }

  #hear(reply: Reply): void {
    const [first] = this.#queue;
    if (first === undefined) return;
    if ('progress' in reply) {
      try {
        return first.options.onProgress?.(reply.progress);
      } catch (error) {
        return this.#callOff(first, error as Error);
      }
    }
    this.#queue.shift();
    first.settle(reply);
    this.#next();
  }

  /** The worker is gone, or never came. The next job gets another one. */
  #die(error: Error): void {
    this.#stop();
    this.#queue.shift()?.fail(error);
    this.#next();
  }
}

/** A job as it crosses over, with memory of its own: a copy of the bytes and of nothing around them, or that of the caller, who said so. */
function parcel({ job, isOurs }: Waiting): [message: Job, transfer: ArrayBuffer[]] {
  const source = sourceOf(job);
  if (!(source instanceof Uint8Array)) return [job, []];
  // Memory that is shared cannot be handed over.
  const own = isOurs && source.buffer instanceof ArrayBuffer ? source : new Uint8Array(source);
  return [withSource(job, own), [own.buffer as ArrayBuffer]];
}

const sourceOf = (job: Job): Uint8Array | Blob => ('decode' in job ? job.decode : job.inspect);

const withSource = (job: Job, source: Uint8Array): Job => ('decode' in job ? { ...job, decode: source } : { ...job, inspect: source });

/** Whether it may be the source of a job that cannot cross over, and not what else was passed. */
const isStuck = ({ job, isOurs, isCopy }: Waiting): boolean => !isCopy && (isOurs || !(sourceOf(job) instanceof Uint8Array));

/** An error that has no number, as what it was. */
function reborn({ name, message }: Failure): Error {
  const Type = [Error, TypeError, RangeError].find((known) => known.name === name);
  return Type === undefined ? new DOMException(message, name) : new Type(message);
}

function bytesOrBlob(source: unknown): Uint8Array | Blob {
  return typeof Blob !== 'undefined' && source instanceof Blob ? source : bytesOf(source);
}
