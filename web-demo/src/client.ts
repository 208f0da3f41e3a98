// The page's side of the worker.
import type { OnPairStrings } from 'unspool';
import type { GzipBlockStart, GzipCodes, GzipSymbols, LzmaChunkStart, LzmaCounts, LzmaSymbols, PcoLatent, ZstdLiterals, ZstdSequences } from 'unspool/inspect';
import type { Ordered, OrderWanted } from './data/order';
import type { BinsWanted } from './formats/pco-bins';
import type { Blocks, Chunks, SymbolsWanted } from './formats/symbols';
import type { CodesWanted, SequencesWanted } from './formats/zstd-inside';
import type { Fault, Report, Verdict } from './model';
import { RemoteFile, type AnyFile, type Content } from './arrive/remote';
import type { Sought } from './bytes/search';
import type { Curve, CurveWanted, ExportWanted, Neighbour, OddRows, Projected, Question, Rows, Summed, TableAnswer, TextSearch, Texts, TextsWanted } from './values';
import type { Scope, Text, TextRow, TextWanted } from './text/content';
import type { Progress } from './tools/progress';
import type { LatentsWanted, LengthsWanted, TraceWanted } from './trace/inside';
import type { Answer, Wanted } from './worker';

/** An error that the worker reported. */
export class WorkerError extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

/** Cancellation and progress of a long job. */
export interface Care {
  readonly signal?: AbortSignal;
  readonly tell?: (progress: Progress) => void;
}

/** Time to react to a cancelled job, in milliseconds. A worker that takes longer is restarted. */
const PATIENCE = 1000;

interface Waiting {
  readonly wanted: Wanted;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly tell: ((progress: Progress) => void) | undefined;
}

const newWorker = (): Worker => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

/** A worker that has loaded its code before there is a file. */
let spare: Worker | undefined;

/** Starts the worker of the next file. */
export function startWorker(): void {
  const worker = (spare ??= newWorker());
  // The file then starts another one, and reports what fails.
  worker.onerror = () => spare === worker && (spare = undefined);
}

/** A file in a worker of its own. Closing it ends all work. */
export class OpenFile {
  static #opened = 0;
  /** Identifies the file among all that were opened. */
  readonly id = OpenFile.#opened++;
  #worker = this.#start();
  #waiting = new Map<number, Waiting>();
  /** Cancelled jobs, and the timers that restart the worker. */
  #cancelled = new Map<number, ReturnType<typeof setTimeout>>();
  #next = 0;
  #inspected: Promise<Report> | undefined;

  constructor(
    readonly source: AnyFile,
    readonly dictionary?: Blob,
  ) {}

  #start(): Worker {
    const worker = spare ?? newWorker();
    spare = undefined;
    worker.onmessage = ({ data: answer }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(answer.id);
      if ('progress' in answer) return waiting?.tell?.(answer.progress);
      clearTimeout(this.#cancelled.get(answer.id));
      this.#cancelled.delete(answer.id);
      this.#waiting.delete(answer.id);
      if ('error' in answer) waiting?.reject(new WorkerError(answer.error));
      else waiting?.resolve(answer.result);
    };
    worker.onerror = (event) => this.#fail(new Error(event.message || 'the worker could not start'));
    return worker;
  }

  report(tell: (progress: Progress) => void): Promise<Report> {
    return this.#ask(this.#open(), { tell }) as Promise<Report>;
  }

  /** Inspects a file that was opened without its structure. */
  inspect(): Promise<Report> {
    const inspected = (this.#inspected ??= this.#ask({ list: true }) as Promise<Report>);
    // After a failure, the next call tries again.
    inspected.catch(() => (this.#inspected = undefined));
    return inspected;
  }

  /** Lists the chunks of a file that was opened without them. */
  list(care: Care): Promise<Report> {
    return this.#ask({ list: true }, care) as Promise<Report>;
  }

  #open(): Wanted {
    const { source, dictionary } = this;
    return { open: source instanceof RemoteFile ? { url: source.url, version: source.version } : source, dictionary };
  }

  /** Returns the bytes that a report describes. */
  content(report: Report): Content {
    return report.content ?? this.source;
  }

  rows(column: number, start: number, end: number): Promise<Rows> {
    return this.#ask({ rows: { column, start, end } }) as Promise<Rows>;
  }

  texts(wanted: TextsWanted): Promise<Texts> {
    return this.#ask({ texts: wanted }) as Promise<Texts>;
  }

  /** Sorts the rows of a column. */
  order(wanted: OrderWanted, care: Care): Promise<Ordered> {
    return this.#ask({ order: wanted }, care) as Promise<Ordered>;
  }

  search(wanted: TextSearch, care: Care): Promise<Uint32Array> {
    return this.#ask({ search: wanted }, care) as Promise<Uint32Array>;
  }

  query(question: Question): Promise<TableAnswer> {
    return this.#ask({ query: question }) as Promise<TableAnswer>;
  }

  bins(wanted: BinsWanted): Promise<Uint32Array> {
    return this.#ask({ bins: wanted }) as Promise<Uint32Array>;
  }

  codes(wanted: CodesWanted): Promise<Uint8Array | Int16Array> {
    return this.#ask({ codes: wanted }) as Promise<Uint8Array | Int16Array>;
  }

  sequences(wanted: SequencesWanted): Promise<ZstdSequences> {
    return this.#ask({ sequences: wanted }) as Promise<ZstdSequences>;
  }

  latents(latents: LatentsWanted): Promise<PcoLatent[]> {
    return this.#trace({ latents }) as Promise<PcoLatent[]>;
  }

  literals(literals: SequencesWanted): Promise<ZstdLiterals> {
    return this.#trace({ literals }) as Promise<ZstdLiterals>;
  }

  blockLengths(lengths: LengthsWanted): Promise<Float64Array> {
    return this.#trace({ lengths }) as Promise<Float64Array>;
  }

  /** Finds the lines of the content, or of a part, if it is text. */
  text(scope: Scope, care: Care = {}): Promise<Text> {
    return this.#text({ scope, about: true }, care) as Promise<Text>;
  }

  /** Reads lines, or rows of the table. Cuts long ones, unless `whole`. */
  textRows(scope: Scope, table: boolean, first: number, after: number, whole: boolean, care: Care): Promise<TextRow[]> {
    return this.#text({ scope, table, rows: [first, after], whole }, care) as Promise<TextRow[]>;
  }

  /** Reads rows of the sorted table, in their order. */
  textPicked(scope: Scope, picked: Uint32Array, whole: boolean, care: Care): Promise<TextRow[]> {
    return this.#text({ scope, picked, whole }, care) as Promise<TextRow[]>;
  }

  /** Sorts the rows of the table by a column. */
  textOrder(scope: Scope, column: number, descending: boolean, care: Care): Promise<Ordered> {
    return this.#text({ scope, order: column, descending }, care) as Promise<Ordered>;
  }

  /** Returns the line of a byte, or its row of the table. */
  textRowOf(scope: Scope, table: boolean, byte: number): Promise<number> {
    return this.#text({ scope, table, rowOf: byte }) as Promise<number>;
  }

  textBytes(scope: Scope, start: number, end: number): Promise<Uint8Array> {
    return this.#text({ scope, bytes: [start, end] }) as Promise<Uint8Array>;
  }

  /** Returns the next match in the content, or -1. */
  findText(scope: Scope, find: Sought, care: Care): Promise<number> {
    return this.#text({ scope, find }, care) as Promise<number>;
  }

  #text(wanted: TextWanted, care: Care = {}): Promise<unknown> {
    return this.#ask({ text: wanted }, care);
  }

  #trace(wanted: TraceWanted): Promise<unknown> {
    return this.#ask({ trace: wanted });
  }

  /** Lists the blocks of a gzip file. Reads all of it. */
  gzipBlocks(care: Care): Promise<Blocks> {
    return this.#symbols({ blocks: true }, care) as Promise<Blocks>;
  }

  gzipCodes(codesOf: GzipBlockStart): Promise<GzipCodes> {
    return this.#symbols({ codesOf }) as Promise<GzipCodes>;
  }

  gzipSymbols(symbolsOf: GzipBlockStart, start: number, end: number): Promise<GzipSymbols> {
    return this.#symbols({ symbolsOf, start, end }) as Promise<GzipSymbols>;
  }

  /** Lists the chunks of a file of xz or .lzma, and measures their symbols. Decodes all of it. */
  lzmaChunks(care: Care): Promise<Chunks> {
    return this.#symbols({ chunks: true }, care) as Promise<Chunks>;
  }

  lzmaCounts(countsOf: LzmaChunkStart): Promise<LzmaCounts> {
    return this.#symbols({ countsOf }) as Promise<LzmaCounts>;
  }

  lzmaSymbols(symbolsIn: LzmaChunkStart, start: number, end: number): Promise<LzmaSymbols> {
    return this.#symbols({ symbolsIn, start, end }) as Promise<LzmaSymbols>;
  }

  #symbols(wanted: SymbolsWanted, care?: Care): Promise<unknown> {
    return this.#ask({ symbols: wanted }, care);
  }

  bytes(start: number, end: number): Promise<Uint8Array> {
    return this.#ask({ bytes: { start, end } }) as Promise<Uint8Array>;
  }

  /** Returns rows of strings as bytes. */
  strings(start: number, end: number): Promise<OnPairStrings> {
    return this.#ask({ strings: { start, end } }) as Promise<OnPairStrings>;
  }

  find(wanted: Sought, care: Care): Promise<number> {
    return this.#ask({ find: wanted }, care) as Promise<number>;
  }

  /** Decodes the whole file, and reports the first error. */
  check(care: Care): Promise<Verdict> {
    return this.#ask({ check: true }, care) as Promise<Verdict>;
  }

  statistics(column: number, care: Care): Promise<Summed> {
    return this.#ask({ statistics: column, sample: false }, care) as Promise<Summed>;
  }

  /** Returns statistics of evenly spread rows, which takes a moment for a column of any length. */
  sampled(column: number, care: Care): Promise<Summed> {
    return this.#ask({ statistics: column, sample: true }, care) as Promise<Summed>;
  }

  curve(wanted: CurveWanted, care: Care): Promise<Curve> {
    return this.#ask({ curve: wanted }, care) as Promise<Curve>;
  }

  /** Returns the rows nearest to a row by cosine; `undefined` if it has no direction. */
  neighbours(column: number, near: number, most: number, care: Care): Promise<readonly Neighbour[] | undefined> {
    return this.#ask({ vectors: { column, near, most } }, care) as Promise<readonly Neighbour[] | undefined>;
  }

  oddRows(column: number, care: Care): Promise<OddRows> {
    return this.#ask({ vectors: { column, find: 'odd' } }, care) as Promise<OddRows>;
  }

  /** Projects a sample of the vectors to a plane. */
  projected(column: number, care: Care): Promise<Projected> {
    return this.#ask({ vectors: { column, find: 'plane' } }, care) as Promise<Projected>;
  }

  /** Returns the exported file, unless it was written to disk. */
  export(wanted: ExportWanted, care: Care): Promise<Blob | undefined> {
    return this.#ask({ save: wanted }, care) as Promise<Blob | undefined>;
  }

  close(): void {
    this.#end();
    this.#fail(new DOMException('closed', 'AbortError'));
  }

  #ask(wanted: Wanted, { tell, signal }: Care = {}): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      // An aborted signal fires no event.
      signal?.throwIfAborted();
      this.#waiting.set(id, { wanted, resolve, reject, tell });
      signal?.addEventListener('abort', () => this.#cancel(id), { once: true });
      this.#worker.postMessage({ id, ...wanted });
    });
  }

  /**
   * Cancels a job. A worker that does not react is replaced: another one reopens the file and
   * repeats other jobs.
   */
  #cancel(id: number): void {
    const cancelled = this.#waiting.get(id);
    if (cancelled === undefined) return;
    this.#waiting.delete(id);
    cancelled.reject(new DOMException('cancelled', 'AbortError'));
    this.#worker.postMessage({ id, cancel: true });
    this.#cancelled.set(id, setTimeout(() => this.#startAgain(), PATIENCE));
  }

  #startAgain(): void {
    this.#end();
    this.#worker = this.#start();
    // No one awaits this reply.
    this.#worker.postMessage({ id: -1, ...this.#open() });
    for (const [id, { wanted }] of this.#waiting) this.#worker.postMessage({ id, ...wanted });
  }

  #end(): void {
    this.#worker.terminate();
    for (const timer of this.#cancelled.values()) clearTimeout(timer);
    this.#cancelled.clear();
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
