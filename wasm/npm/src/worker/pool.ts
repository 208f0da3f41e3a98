/// <reference lib="esnext.disposable" preserve="true" />
// A pool of workers, and the functions that run in them.
import type { At1DecodeOptions } from '../at1.js';
import type { At1Answer, At1QueryOptions } from '../at1-query.js';
import { type PackedAnswer, unpackInSteps } from '../at1-rows.js';
import { bytesOf, isArray, isBuffer, isDetached, kindOf } from '../bytes.js';
import { checkOptions } from '../check.js';
import { checkWhole } from '../check-numbers.js';
import type { CvcData, CvcDecodeOptions, CvcVectors } from '../cvc.js';
import type { Decoded, DecodeOptions } from '../decode.js';
import { type PlainError, UnspoolError } from '../error.js';
import type { GzipDecodeOptions } from '../gzip.js';
import type { Inspection, InspectOptions } from '../inspection.js';
import type { LzmaDecodeOptions } from '../lzma.js';
import type { OnPairDecodeOptions, OnPairStrings } from '../onpair.js';
import type { PcoArray, PcoData, PcoDecodeOptions, PcoDtype, PcoOptions, PcoWrapped } from '../pco.js';
import type { Limits } from '../limits.js';
import { openSource, type OpenedSource, type Source } from '../source.js';
import type { XzDecodeOptions } from '../xz.js';
import type { ZstdDecodeOptions } from '../zstd.js';
import { copyInPieces, copyOf, withOwnArrays } from './copy.js';
import type { Job, Jobs, Progress } from './messages.js';
import { pauses, restByTimer } from './pause.js';
import { Queue } from './queue.js';
import { type Owner, Slot, type Start, type Task, type Times } from './slot.js';

/** Options of every job. */
export interface JobOptions {
  /** Aborts the job, even while it runs. */
  signal?: AbortSignal | undefined;
  /** Jobs of a higher priority run first. 0 by default; may be negative. */
  priority?: number | undefined;
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
const KNOWN = { signal: true, priority: true, onProgress: true, transfer: true } as const;

/** The names of the options of each function. */
const OPTIONS: { readonly [N in keyof Jobs]: Readonly<Record<string, true>> } = {
  decode: { limits: true, checksums: true, dictionary: true },
  decodeInto: { limits: true, checksums: true, dictionary: true },
  inspect: { limits: true, maxNodes: true },
  decodeAt1: { limits: true },
  decodeCvc: { limits: true, as: true, checksums: true, column: true, rows: true },
  decodeGzip: { limits: true },
  decodeLzma: { limits: true, filters: true },
  decodeOnPair: { limits: true, rows: true },
  decodePco: { limits: true, as: true },
  decodePcoPages: { limits: true },
  decodeXz: { limits: true },
  decodeZstd: { limits: true, dictionary: true, format: true },
  queryAt1: { limits: true, where: true, eq: true, select: true, lines: true, count: true, sum: true, min: true, max: true, limit: true, as: true },
};

/** Milliseconds of work on the results between two pauses. */
const SLICE = 4;

/** Numbers of a pool. */
export interface PoolNumbers {
  /** Maximum number of workers. They start when jobs need them. */
  readonly workers: number;
  /** Maximum number of jobs that wait. 1,000 by default; a further call is rejected. */
  readonly maxQueue?: number | undefined;
  /**
   * Milliseconds until a new worker must have loaded its code, 30,000 by default; may be
   * `Infinity`. After that its job fails with a `TimeoutError`.
   */
  readonly startTimeout?: number | undefined;
  /**
   * Milliseconds that a worker has to end an aborted job, 40 by default; may be `Infinity`. After
   * that it is replaced.
   */
  readonly grace?: number | undefined;
}

/** Work of a job on its file, before it is sent. */
type Prepare = (isSafe: boolean, signal: AbortSignal) => Promise<readonly [file: unknown, source: OpenedSource | undefined]>;

/**
 * Runs the functions of the package in workers, which share the compiled modules. A `file` is
 * bytes, a `Blob`, a URL, a `Request`, or `{ size, read }`. Results are transferred, not copied.
 */
export class PoolBase implements Disposable {
  #start: Start;
  #workers: number;
  #times: Times;
  #queue: Queue<Task>;
  #slots = new Set<Slot>();
  #ended = false;
  #owner: Owner = {
    onFree: () => this.#dispatch(),
    onEnd: (slot) => {
      this.#slots.delete(slot);
      this.#dispatch();
    },
  };

  /** @internal */
  constructor(start: Start, { workers, maxQueue = 1000, startTimeout = 30_000, grace = 40 }: PoolNumbers) {
    for (const [name, number] of Object.entries({ workers, maxQueue })) checkWhole(name, number);
    for (const [name, time] of Object.entries({ startTimeout, grace })) if (time !== Infinity) checkWhole(name, time);
    if (workers === 0 || maxQueue === 0) throw new RangeError('workers and maxQueue must be 1 or more');
    this.#start = start;
    this.#workers = workers;
    this.#times = { startTimeout, grace };
    this.#queue = new Queue(maxQueue);
  }

  /** Number of jobs that can be added to the queue now. At 0, wait for {@link ready}. */
  get room(): number {
    return this.#queue.room;
  }

  /** Resolves when there is room for another job. */
  async ready(options: Pick<JobOptions, 'signal'> = {}): Promise<void> {
    checkOptions(options, { signal: true });
    await this.#queue.whenRoom(options.signal);
  }

  /** Runs `decode` of `unspool`. */
  decode(file: Source, options: DecodeOptions & JobOptions = {}): Promise<Decoded> {
    return this.#run('decode', file, options) as Promise<Decoded>;
  }

  /**
   * Runs `decodeInto` of `unspool`. If `to` is in shared memory, the worker writes there; else the
   * result is copied to it in pieces.
   */
  async decodeInto(file: Source, to: CvcData<ArrayBufferLike> | PcoData<ArrayBufferLike>, options: DecodeOptions & JobOptions = {}): Promise<number> {
    if (!ArrayBuffer.isView(to) || to instanceof DataView) throw new TypeError('the output must be a typed array');
    if (isDetached(to.buffer)) throw new TypeError('the memory of the output was transferred');
    const isShared = kindOf(to.buffer) === 'SharedArrayBuffer';
    const output = bytesUnder(to);
    const { count, data } = (await this.#run('decodeInto', file, options, { to: isShared ? to : { kind: kindOf(to), length: to.length } })) as { count: number; data?: PcoData };
    if (data !== undefined) await copyInPieces(bytesUnder(data.subarray(0, count)), output);
    return count;
  }

  /** Runs `inspect` of `unspool`. */
  async inspect(file: Source, options: InspectOptions & JobOptions = {}): Promise<Inspection> {
    const found = (await this.#run('inspect', file, options)) as Inspection;
    const error = found.error as PlainError | undefined;
    return { ...found, error: error === undefined ? undefined : UnspoolError.from(error) };
  }

  /** Runs `decodeAt1` of `unspool/at1`. */
  decodeAt1(file: Source, options: At1DecodeOptions & JobOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#run('decodeAt1', file, options) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** Runs `decodeCvc` of `unspool/cvc`. Reads only the rows of a file that is not in memory. */
  decodeCvc(file: Source, options: CvcDecodeOptions & JobOptions & { as: 'float32' }): Promise<CvcVectors<'float32'>>;
  /** Runs `decodeCvc` of `unspool/cvc` to the type of the column. */
  decodeCvc(file: Source, options?: CvcDecodeOptions & JobOptions): Promise<CvcVectors>;
  decodeCvc(file: Source, options: CvcDecodeOptions & JobOptions = {}): Promise<CvcVectors> {
    return this.#run('decodeCvc', file, options) as Promise<CvcVectors>;
  }

  /** Runs `decodeGzip` of `unspool/gzip`. */
  decodeGzip(file: Source, options: GzipDecodeOptions & JobOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#run('decodeGzip', file, options) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /**
   * Runs `decodeOnPair` of `unspool/onpair`. Reads only the rows of a file that is not in memory.
   */
  decodeOnPair(file: Source, options: OnPairDecodeOptions & JobOptions = {}): Promise<OnPairStrings> {
    return this.#run('decodeOnPair', file, options) as Promise<OnPairStrings>;
  }

  /** Runs `decodePco` of `unspool/pco` to numbers of type `float64`. */
  decodePco(file: Source, options: PcoDecodeOptions & JobOptions & { as: 'float64' }): Promise<PcoArray<'float64'>>;
  /** Runs `decodePco` of `unspool/pco` to the type of the file. */
  decodePco(file: Source, options?: PcoDecodeOptions & JobOptions): Promise<PcoArray>;
  decodePco(file: Source, options: PcoDecodeOptions & JobOptions = {}): Promise<PcoArray> {
    return this.#run('decodePco', file, options) as Promise<PcoArray>;
  }

  /** Runs `decodePcoPages` of `unspool/pco`. */
  async decodePcoPages<D extends PcoDtype>(wrapped: PcoWrapped<D>, options: PcoOptions & JobOptions = {}): Promise<PcoArray<D>[]> {
    const { header, meta, pages, dtype } = wrapped;
    const [headerBytes, metaBytes] = [bytesOf(header, 'header'), bytesOf(meta, 'meta')];
    if (!Array.isArray(pages)) throw new TypeError('pages must be an array of { bytes, count }');
    const views = pages.map(({ bytes, count }) => ({ bytes: bytesOf(bytes), count }));
    const prepare: Prepare = async (isSafe) => {
      const own = taker(isSafe, options);
      const taken = await Promise.all(views.map(async ({ bytes, count }) => ({ bytes: await own(bytes), count })));
      return [{ header: await own(headerBytes), meta: await own(metaBytes), pages: taken, dtype }, undefined];
    };
    return this.#add('decodePcoPages', prepare, options) as Promise<PcoArray<D>[]>;
  }

  /** Runs `decodeLzma` of `unspool/lzma`. */
  decodeLzma(file: Source, options: LzmaDecodeOptions & JobOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#run('decodeLzma', file, options) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** Runs `decodeXz` of `unspool/xz`. */
  decodeXz(file: Source, options: XzDecodeOptions & JobOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#run('decodeXz', file, options) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** Runs `decodeZstd` of `unspool/zstd`. */
  decodeZstd(file: Source, options: ZstdDecodeOptions & JobOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    return this.#run('decodeZstd', file, options) as Promise<Uint8Array<ArrayBuffer>>;
  }

  /** Runs `queryAt1` of `unspool/at1`, and returns the values as bytes. */
  queryAt1(file: Source, options: At1QueryOptions & JobOptions & { as: 'bytes' }): Promise<At1Answer<Uint8Array>>;
  /** Runs `queryAt1` of `unspool/at1`, and returns the values as strings. */
  queryAt1(file: Source, options?: At1QueryOptions & JobOptions & { as?: undefined }): Promise<At1Answer>;
  /** Runs `queryAt1` of `unspool/at1` with options whose type is known only at run time. */
  queryAt1(file: Source, options?: At1QueryOptions & JobOptions): Promise<At1Answer<string | Uint8Array>>;
  async queryAt1(file: Source, options: At1QueryOptions & JobOptions = {}): Promise<At1Answer<string | Uint8Array>> {
    const packed = (await this.#run('queryAt1', file, options)) as PackedAnswer;
    const pause = pauses(restByTimer, SLICE);
    const work = unpackInSteps(packed, options.as);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      await pause();
      options.signal?.throwIfAborted();
    }
  }

  /** Ends all workers. Queued and running jobs are rejected with an `AbortError`. */
  terminate(): void {
    if (this.#ended) return;
    this.#ended = true;
    const reason = new DOMException('the pool was terminated', 'AbortError');
    for (const task of this.#queue.clear()) task.reject(reason);
    for (const slot of [...this.#slots]) slot.terminate(reason);
  }

  /** Calls {@link terminate}, for `using`. */
  [Symbol.dispose](): void {
    this.terminate();
  }

  /** Adds a job on a file. */
  async #run<N extends keyof Jobs>(name: N, file: Source, options: JobOptions, more: Partial<Jobs[N]> = {}): Promise<unknown> {
    return this.#add(name, preparer(file, options), options, more);
  }

  /** Adds a job to the queue. */
  async #add<N extends keyof Jobs>(name: N, prepare: Prepare, options: JobOptions, more: Partial<Jobs[N]> = {}): Promise<unknown> {
    checkOptions(options as Readonly<Record<string, unknown>>, { ...KNOWN, ...OPTIONS[name] });
    const { signal, onProgress, priority = 0, transfer, ...rest } = options;
    if (typeof priority !== 'number' || Number.isNaN(priority)) throw new TypeError(`priority must be a number, not ${String(priority)}`);
    signal?.throwIfAborted();
    if (this.#ended) throw new DOMException('the pool was terminated', 'AbortError');
    if (this.room === 0) throw new DOMException(`${this.#queue.capacity} jobs wait already; await ready() first`, 'QuotaExceededError');
    const { dictionary } = rest as { dictionary?: unknown };
    if (dictionary !== undefined) bytesOf(dictionary, 'dictionary');
    const own = withOwnArrays(rest);
    let stop: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        const task: Task = {
          priority,
          onProgress,
          resolve,
          reject,
          async prepare(isSafe, signal) {
            const [file, source] = await prepare(isSafe, signal);
            return [{ name, file, options: own, ...more } as unknown as Job, source];
          },
        };
        stop = () => this.#abort(task, signal?.reason as Error);
        signal?.addEventListener('abort', stop);
        this.#queue.push(task);
        this.#dispatch();
      });
    } finally {
      if (stop !== undefined) signal?.removeEventListener('abort', stop);
    }
  }

  #abort(task: Task, reason: Error): void {
    if (this.#queue.remove(task)) task.reject(reason);
    else for (const slot of this.#slots) slot.abort(task, reason);
  }

  /** Number of jobs that can start now. */
  get #idle(): number {
    let idle = this.#workers - this.#slots.size;
    for (const slot of this.#slots) if (slot.isFree) idle++;
    return idle;
  }

  /** Runs jobs on free workers, and starts workers while there are too few. */
  #dispatch(): void {
    while (!this.#ended && this.#queue.room < this.#queue.capacity && this.#idle > 0) {
      let free = [...this.#slots].find((slot) => slot.isFree);
      const task = this.#queue.shift();
      if (task === undefined) return;
      try {
        if (free === undefined) this.#slots.add((free = new Slot(this.#owner, this.#start, this.#times)));
        free.run(task);
      } catch (error) {
        task.reject(error as Error);
      }
    }
  }
}

/** Returns a function that takes bytes for a message: copied, unless they may be transferred. */
function taker(isSafe: boolean, { transfer }: JobOptions): (bytes: Uint8Array) => Promise<Uint8Array> | Uint8Array {
  // Shared memory cannot be transferred. Node refuses its pool.
  return (bytes) => (transfer === true && !isSafe && bytes.buffer instanceof ArrayBuffer ? bytes : copyOf(bytes));
}

/** Prepares a file for a message. Files that are not in memory are opened. */
function preparer(file: Source, options: JobOptions): Prepare {
  if (isArray(file) || isBuffer(file)) {
    const bytes = bytesOf(file);
    return async (isSafe) => [await taker(isSafe, options)(bytes), undefined];
  }
  return async (isSafe, signal) => {
    // Node cannot clone a Blob of `openAsBlob`.
    if (typeof Blob !== 'undefined' && file instanceof Blob && !isSafe) return [file, undefined];
    const source = await openSource(file, { limits: (options as { limits?: Limits }).limits, signal });
    return [{ size: source.size, isRemote: source.isRemote }, source];
  };
}

/** Views the bytes of an array. */
const bytesUnder = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);
