// One worker of a pool, and the job that it runs.
import { DECODERS } from '../decoders.js';
import { UnspoolError } from '../error.js';
import { INSPECTORS } from '../inspectors.js';
import { shareModule } from '../instance.js';
import { ready } from '../ready.js';
import type { ByteRange, OpenedSource } from '../source.js';
import { copyOf } from './copy.js';
import { type Answer, buffers, type Command, type Failure, type Job, type Progress, type Reply, type SharedModule } from './messages.js';

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

/** A job of the pool. */
export interface Task {
  /** Jobs of a higher priority run first. */
  readonly priority: number;
  /**
   * Prepares the job and the file that the worker may read. `isSafe` is true after the browser or
   * Node refused to send it otherwise.
   */
  readonly prepare: (isSafe: boolean, signal: AbortSignal) => Promise<readonly [job: Job, source: OpenedSource | undefined]>;
  /** Receives progress. */
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** Receives the result. */
  readonly resolve: (result: unknown) => void;
  /** Receives an error. */
  readonly reject: (error: Error) => void;
}

/** What a pool learns from its slots. */
export interface Owner {
  /** The slot can run the next job. */
  onFree(slot: Slot): void;
  /** The worker has ended. */
  onEnd(slot: Slot): void;
}

/** Milliseconds that a worker has. */
export interface Times {
  /** To load its code. After that its job fails. */
  readonly startTimeout: number;
  /** To end an aborted job. After that it is replaced. */
  readonly grace: number;
}

/** Longest delay of a timer: about 25 days. A longer one would run at once. */
const LONGEST = 2 ** 31 - 1;

/** A task while it runs. */
interface Running {
  readonly task: Task;
  /** Aborts the reads of the file. */
  readonly over: AbortController;
  source: OpenedSource | undefined;
  /** The errors of reads, by their numbers. */
  readonly unread: Map<number, Error>;
  isSent: boolean;
}

/** A worker that runs one job after the other. */
export class Slot {
  #owner: Owner;
  #grace: number;
  #port: WorkerPort | undefined;
  /** Runs until the worker has loaded its code, or until it must have ended an aborted job. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Resolves when the worker has loaded its code. */
  #ready: Promise<void>;
  #setReady!: () => void;
  #running: Running | undefined;
  /** True while the worker may still work on an aborted job. */
  #isEnding = false;

  constructor(owner: Owner, start: Start, { startTimeout, grace }: Times) {
    this.#owner = owner;
    this.#grace = grace;
    this.#ready = new Promise((resolve) => (this.#setReady = resolve));
    this.#port = start((reply) => this.#receive(reply), (error) => this.#fail(error));
    const late = (): void => this.#fail(new DOMException(`the worker did not start within ${startTimeout} ms; its file must import unspool/worker/host`, 'TimeoutError'));
    this.#timer = setTimeout(late, Math.min(startTimeout, LONGEST));
  }

  /** True if it can run a job now. */
  get isFree(): boolean {
    return this.#running === undefined && !this.#isEnding;
  }

  /** Runs a job. */
  run(task: Task): void {
    this.#port?.ref?.();
    const running: Running = (this.#running = { task, over: new AbortController(), source: undefined, unread: new Map(), isSent: false });
    this.#send(running).catch((error: unknown) => this.abort(task, error as Error));
  }

  async #send(running: Running): Promise<void> {
    for (const isSafe of [false, true]) {
      const [job, source] = await running.task.prepare(isSafe, running.over.signal);
      await this.#ready;
      if (this.#running !== running) return;
      running.source = source;
      try {
        this.#post({ job }, buffers(job));
        running.isSent = true;
        return;
      } catch (error) {
        if (isSafe) throw error;
      }
    }
  }

  #post(command: Command, transfer: ArrayBuffer[] = []): void {
    this.#port?.postMessage(command, transfer);
  }

  /** Rejects a job if it runs here. The worker ends it, or is replaced. */
  abort(task: Task, reason: Error): void {
    const running = this.#running;
    if (running?.task !== task) return;
    this.#running = undefined;
    running.over.abort();
    task.reject(reason);
    if (!running.isSent) return this.#free();
    this.#isEnding = true;
    this.#post({ abort: true });
    this.#timer = setTimeout(() => this.#end(), Math.min(this.#grace, LONGEST));
  }

  /** Ends the worker, and rejects its job. */
  terminate(reason: Error): void {
    const running = this.#running;
    this.#end();
    running?.task.reject(reason);
  }

  #receive(reply: Reply): void {
    // A terminated worker may have sent more.
    if (this.#port === undefined) return;
    if ('ready' in reply) {
      clearTimeout(this.#timer);
      return this.#setReady();
    }
    const running = this.#running;
    if ('progress' in reply) return running && this.#report(running.task, reply.progress);
    if ('wants' in reply) return running && this.#serve(running, () => this.#sendModule(running, reply.wants));
    if ('range' in reply) return running && this.#serve(running, () => this.#sendBytes(running, reply.read, reply.range));
    this.#running = undefined;
    if (running !== undefined) settle(running, reply);
    this.#free();
  }

  #report(task: Task, progress: Progress): void {
    try {
      task.onProgress?.(progress);
    } catch (error) {
      this.abort(task, error as Error);
    }
  }

  /** Sends the worker what its job needs. If that fails, so does the job. */
  #serve({ task }: Running, send: () => Promise<void>): void {
    send().catch((error: unknown) => this.abort(task, error as Error));
  }

  /** Sends a range of the file. Only the worker knows if its job needs the bytes. */
  async #sendBytes(running: Running, read: number, range: ByteRange): Promise<void> {
    let bytes;
    try {
      bytes = await copyOf((await running.source?.read(range, running.over.signal)) ?? new Uint8Array());
    } catch (error) {
      running.unread.set(read, error as Error);
    }
    if (this.#running === running) this.#post({ read, bytes }, bytes === undefined ? [] : [bytes.buffer]);
  }

  async #sendModule(running: Running, module: SharedModule): Promise<void> {
    const compiled = await compiledModule(module);
    if (this.#running === running) this.#post({ module, compiled });
  }

  /** The worker can run the next job. */
  #free(): void {
    if (this.#isEnding) clearTimeout(this.#timer);
    this.#isEnding = false;
    // An idle worker must not keep the process alive.
    this.#port?.unref?.();
    this.#owner.onFree(this);
  }

  /** The worker has failed, and so has its job. */
  #fail(error: Error): void {
    if (this.#port === undefined) return;
    const running = this.#running;
    this.#end();
    running?.task.reject(error);
  }

  #end(): void {
    clearTimeout(this.#timer);
    const port = this.#port;
    // First, as Deno reports the exit of a worker while it is being terminated.
    this.#port = undefined;
    this.#running?.over.abort();
    this.#running = undefined;
    port?.terminate();
    this.#owner.onEnd(this);
  }
}

function settle({ task, over, unread }: Running, answer: Answer): void {
  // Reads ahead are in vain.
  over.abort();
  if ('result' in answer) task.resolve(answer.result);
  else if ('unread' in answer) task.reject(unread.get(answer.unread) as Error);
  else task.reject('refused' in answer ? UnspoolError.from(answer.refused) : restoreError(answer.failed));
}

/** Returns a module of this thread, compiled once for all workers. */
async function compiledModule(name: SharedModule): Promise<WebAssembly.Module> {
  if (!ready.has(name)) await { ...DECODERS, ...inspectors }[name]();
  return shareModule(name);
}

/** The embedded inspectors, by the names of their modules. */
const inspectors = Object.fromEntries(Object.entries(INSPECTORS).map(([family, load]) => [`${family}-inspect`, load])) as Record<Extract<SharedModule, `${string}-inspect`>, () => Promise<unknown>>;

/** Recreates an error that is not an `UnspoolError`. */
function restoreError({ name, message }: Failure): Error {
  const Type = [Error, TypeError, RangeError].find((known) => known.name === name);
  return Type === undefined ? new DOMException(message, name) : new Type(message);
}
