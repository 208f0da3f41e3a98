/// <reference lib="esnext.disposable" preserve="true" />
// CVC: collections of embedding vectors.
import type { Reader as WasmReader } from '../wasm/cvc/unspool.js';
import { anySignal } from './abort.js';
import { AHEAD, readForeseen } from './ahead.js';
import { checkOptions } from './check.js';
import { checkRows } from './check-numbers.js';
import { refuse } from './error.js';
import { HalfFloats } from './half.js';
import { type Exports, Handle, moduleFor } from './instance.js';
import { type Limits, limitNumbers, limitsOf } from './limits.js';
import { type Bytes, bytesOf, kindOf } from './bytes.js';
import { fillBytes } from './fill.js';
import { type ByteRange, type OpenedSource, type OpenOptions, openSource, toRanges, type Reader, type Source } from './source.js';

const wasmModule = moduleFor('cvc');
const { call, work } = wasmModule;

/**
 * The typed array for each value type. Half floats are a `Float16Array`, or their bits as a
 * `Uint16Array` if the engine has none.
 */
export interface CvcArrays<B extends ArrayBufferLike = ArrayBuffer> {
  /** 32-bit floats. */
  float32: Float32Array<B>;
  /** 16-bit floats. */
  float16: HalfFloats<B>;
  /** Signed 64-bit integers. */
  int64: BigInt64Array<B>;
  /** Signed 32-bit integers. */
  int32: Int32Array<B>;
  /** Signed 8-bit integers. */
  int8: Int8Array<B>;
  /** Unsigned 8-bit integers. */
  uint8: Uint8Array<B>;
}

/** The type of a column's values, with numpy's name. */
export type CvcDtype = keyof CvcArrays;

/** Values of any type. */
export type CvcData<B extends ArrayBufferLike = ArrayBuffer> = CvcArrays<B>[CvcDtype];

/** Results of checksum verification, one count for each outcome. */
export interface Checksums {
  /** Checksums that match. */
  readonly right: number;
  /** Checksums that do not match. */
  readonly wrong: number;
  /** Checksums that were not compared. */
  readonly unchecked: number;
}

/** Rows of a column. Checking `dtype` narrows the type of `data`. */
export type CvcVectors<D extends CvcDtype = CvcDtype> = {
  [K in D]: {
    /** The name of the column; empty if the file has only one. */
    readonly column: string;
    /** The type of `data`: the column's own type if it is stored plainly, else `float32`. */
    readonly dtype: K;
    /** Number of rows, and values per row. */
    readonly shape: readonly [rows: number, dimension: number];
    /** The values, row after row. */
    readonly data: CvcArrays[K];
    /** Checksums of the chunks that were read. */
    readonly checksums: Checksums;
  };
}[D];

/** Options for decoding rows. */
export interface CvcRowOptions {
  /** `float32` converts values of any type; the default is the column's own type. */
  as?: 'float32' | undefined;
  /**
   * `skip` reads only the requested rows. It verifies no CRC-32, because that covers a whole chunk.
   */
  checksums?: 'verify' | 'skip' | undefined;
}

/** Options of {@link CvcColumn.rows}. */
export interface CvcReadOptions extends CvcRowOptions {
  /** Aborts the reads. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link decodeCvc}. */
export interface CvcDecodeOptions extends CvcRowOptions {
  /** Column name; required if the file has several columns. */
  column?: string | undefined;
  /** First row, and the row after the last one. All rows by default. */
  rows?: readonly [start: number, end: number] | undefined;
  /** Limits for this call. */
  limits?: Limits | undefined;
}

/** A named range of rows in the header. */
export interface CvcSection {
  /** First row. */
  readonly start: number;
  /** The row after the last one. */
  readonly end: number;
  /** The writer's metadata. */
  readonly metadata: unknown;
}

/** A chunk: the same rows of every column. */
export interface CvcChunk {
  /** Chunk number, from 0. */
  readonly index: number;
  /** First row. */
  readonly start: number;
  /** The row after the last one. */
  readonly end: number;
}

/** The header as the module describes it. A 0 starts each list. */
type Description = readonly [
  file: readonly [0, major: number, minor: number, rows: number, chunkCount: number, headLength: number, ...flags: (0 | 1)[]],
  columns: readonly [0, ...DescribedColumn[]],
  sections: readonly [0, ...(readonly [0, start: number, end: number, metadata?: unknown])[]],
];

type DescribedColumn = readonly [name: string, dtype: CvcDtype | '', compression: string, dimension: number];

/** An open file: its head, its limits and its source. */
interface Opened {
  readonly reader: OpenedSource;
  readonly head: Uint8Array;
  readonly limits: Float64Array;
  /**
   * Chunk lengths that are not in the header, by offset. Kept, because each call needs them again.
   */
  readonly lengths: Map<number, Uint8Array>;
}

/** Maximum number of columns that a message lists. */
const MAX_LISTED = 10;

/** An open CVC file. It keeps the header and reads values on demand. */
export class CvcFile implements Disposable {
  /** Major and minor version: 0 has no checksums, 1 has one column, 2 has several. */
  readonly version: readonly [major: number, minor: number];
  /** Rows of each column. */
  readonly rowCount: number;
  /** The columns, in the order of the schema. */
  readonly columns: readonly CvcColumn[];
  /** The named ranges of rows. */
  readonly sections: readonly CvcSection[];
  /** Number of chunks. */
  readonly chunkCount: number;
  /** True if the columns have names. */
  readonly isColumnar: boolean;
  /** True if the chunks are laid out for memory mapping. */
  readonly isMmapOptimized: boolean;
  /** True if each chunk has a CRC-32. */
  readonly hasChecksums: boolean;
  /** Length of the file in bytes. */
  readonly size: number;
  /** Length of the header in bytes. */
  readonly headLength: number;
  #opened: Opened;
  #chunks: readonly CvcChunk[] | undefined;

  /** @internal Use {@link openCvc}. */
  constructor(opened: Opened, [numbers, [, ...columns], [, ...sections]]: Description) {
    const [, major, minor, rowCount, chunkCount, headLength, isColumnar, isMmapOptimized, hasChecksums] = numbers;
    this.#opened = opened;
    this.version = [major, minor];
    this.rowCount = rowCount;
    this.chunkCount = chunkCount;
    this.isColumnar = isColumnar === 1;
    this.isMmapOptimized = isMmapOptimized === 1;
    this.hasChecksums = hasChecksums === 1;
    this.headLength = headLength;
    this.size = opened.reader.size;
    this.columns = columns.map((column, index) => new CvcColumn(opened, column, index, rowCount));
    this.sections = sections.map(([, start, end, metadata]) => ({ start, end, metadata }));
  }

  /** The chunks, in the order of their rows. */
  get chunks(): readonly CvcChunk[] {
    if (this.#chunks === undefined) {
      const { head, limits } = this.#opened;
      const ends = call((wasm) => wasm.cvc_chunk_ends(head, limits));
      this.#chunks = Array.from(ends, (end, index) => ({ index, start: index > 0 ? (ends[index - 1] ?? 0) : 0, end }));
    }
    return this.#chunks;
  }

  /** Forgets the cached chunk lengths and the chunk list. The file stays usable. */
  release(): void {
    this.#opened.lengths.clear();
    this.#chunks = undefined;
  }

  /** Calls {@link release}, for `using`. */
  [Symbol.dispose](): void {
    this.release();
  }

  /** Lists the names of the columns for a message. */
  #listColumns(): string {
    const names = this.columns.slice(0, MAX_LISTED).map(({ name }) => `'${name}'`);
    return `its columns are ${names.join(', ')}${this.columns.length > MAX_LISTED ? ', …' : ''}`;
  }

  /**
   * Returns the column with this name, or the only column. If two columns share a name, the last
   * one wins.
   */
  column(name?: string): CvcColumn {
    if (name !== undefined && typeof name !== 'string') throw new TypeError('a column name must be a string');
    const matches = name === undefined ? this.columns : this.columns.filter((column) => column.name === name);
    const found = matches.at(-1);
    if (found === undefined) throw refuse('CvcNoSuchColumn', 0, 0, this.#listColumns());
    if (name === undefined && matches.length > 1) throw refuse('CvcPickColumn', 0, 0, this.#listColumns());
    return found;
  }
}

/** A column of an open file. */
export class CvcColumn {
  /** The column's name; empty for the only column of a file without a schema. */
  readonly name: string;
  /** Values per row. */
  readonly dimension: number;
  /** The type of the values when they were written; `undefined` if unknown to this library. */
  readonly dtype: CvcDtype | undefined;
  /** The compression named in the schema. A chunk may use another. */
  readonly compression: string;
  /** Number of rows. */
  readonly rowCount: number;
  #opened: Opened;
  #index: number;
  #output: CvcDtype | undefined;

  /** @internal */
  constructor(opened: Opened, [name, dtype, compression, dimension]: DescribedColumn, index: number, rowCount: number) {
    this.#opened = opened;
    this.#index = index;
    this.name = name;
    this.dimension = dimension;
    this.dtype = dtype === '' ? undefined : dtype;
    this.compression = compression;
    this.rowCount = rowCount;
  }

  /** The type that {@link rows} returns by default. */
  get output(): CvcDtype {
    const { head, limits } = this.#opened;
    return (this.#output ??= DTYPES[call((wasm) => wasm.cvc_outputs(head, this.#index, limits))[0] ?? -1] as CvcDtype);
  }

  /** Decodes rows to `float32`. Reads only the bytes needed. */
  rows(start: number | undefined, end: number | undefined, options: CvcReadOptions & { as: 'float32' }): Promise<CvcVectors<'float32'>>;
  /** Decodes rows, by default all of them. Reads only the bytes needed. */
  rows(start?: number, end?: number, options?: CvcReadOptions): Promise<CvcVectors>;
  async rows(start = 0, end = this.rowCount, options: CvcReadOptions = {}): Promise<CvcVectors> {
    checkOptions(options, { as: true, checksums: true, signal: true });
    const { signal, checksums } = options;
    signal?.throwIfAborted();
    const { reader } = this.#opened;
    if (!reader.isRemote) return this.#pump(this.#decode(start, end, options), (range) => reader.read(range, signal));
    // The plan is known beforehand, so only chunk lengths cost a round trip. It may fail at a later
    // byte than decoding would: then nothing is read ahead.
    const ranges = await this.plan(start, end, { checksums, signal }).catch(() => []);
    // Aborts reads ahead after an error.
    const over = new AbortController();
    const until = anySignal(signal, over.signal);
    const foreseen = readForeseen({ size: reader.size, read: (range) => reader.read(range, until) });
    let next = 0;
    try {
      return await this.#pump(this.#decode(start, end, options), (range) => {
        while ((ranges[next]?.start ?? Infinity) < range.end) next++;
        return foreseen(range, ranges.slice(next, next + AHEAD));
      });
    } finally {
      over.abort();
    }
  }

  /** Returns the byte ranges of the file that {@link rows} would read for these rows. */
  async plan(start = 0, end = this.rowCount, options: Pick<CvcReadOptions, 'checksums' | 'signal'> = {}): Promise<ByteRange[]> {
    checkOptions(options, { checksums: true, signal: true });
    options.signal?.throwIfAborted();
    checkRows([start, end]);
    const { head, reader, limits } = this.#opened;
    const verify = verifies(options);
    const work = drive((wasm) => new wasm.Reader(head, reader.size, this.#index, start, end, PLAN, verify, limits));
    return toRanges(await this.#pump(work, (range) => reader.read(range, options.signal)));
  }

  /** Drives a generator: reads each range that it yields. */
  async #pump<T>(work: Generator<Wanted, T, Uint8Array>, read: Reader['read']): Promise<T> {
    try {
      let step = work.next();
      while (step.done !== true) step = work.next(await this.#read(step.value, read));
      return step.value;
    } finally {
      // If a read failed, the generator must still free its reader.
      work.return(undefined as T);
    }
  }

  /** @internal Decodes rows of a file in memory. */
  rowsNow(start: number, end: number, options: CvcRowOptions): CvcVectors {
    return this.#pumpNow(this.#decode(start, end, options));
  }

  /** @internal Decodes rows of a file in memory to the start of `to`. Returns the bytes written. */
  fillNow(to: Uint8Array, start: number, end: number, options: CvcRowOptions): number {
    let written = 0;
    const allocate = (size: number): Uint8Array => {
      if (size > to.length) throw refuse('OutputTooSmall', 0, size);
      return to.subarray(0, (written = size));
    };
    this.#pumpNow(this.#fill(start, end, options, allocate));
    return written;
  }

  #pumpNow<T>(work: Generator<Wanted, T, Uint8Array>): T {
    let step = work.next();
    while (step.done !== true) {
      const bytes = this.#read(step.value);
      if (!(bytes instanceof Uint8Array)) throw new Error('unexpected promise for bytes in memory');
      step = work.next(bytes);
    }
    return step.value;
  }

  /** Reads a range. Keeps it if it is the length of a chunk. */
  #read(range: Wanted, read: Reader['read'] = (range) => this.#opened.reader.read(range)): Uint8Array | Promise<Uint8Array> {
    const { lengths } = this.#opened;
    if (range.isLength !== true) return read(range);
    const known = lengths.get(range.start);
    if (known !== undefined) return known;
    const keep = (bytes: Uint8Array): Uint8Array => {
      // Copied: it may be a view of more.
      lengths.set(range.start, bytes.slice());
      return bytes;
    };
    const bytes = read(range);
    return bytes instanceof Uint8Array ? keep(bytes) : bytes.then(keep);
  }

  *#decode(start: number, end: number, options: CvcRowOptions): Generator<Wanted, CvcVectors, Uint8Array> {
    const dtype = options.as ?? this.output;
    let buffer = new ArrayBuffer(0);
    const checksums = yield* this.#fill(start, end, options, (size) => new Uint8Array((buffer = new ArrayBuffer(size))));
    return { column: this.name, dtype, shape: [end - start, this.dimension], data: typed(dtype, buffer), checksums } as CvcVectors;
  }

  /** Decodes rows. Asks for the output only after the file has proved to be long enough. */
  *#fill(start: number, end: number, options: CvcRowOptions, allocate: (size: number) => Uint8Array): Generator<Wanted, Checksums, Uint8Array> {
    checkRows([start, end]);
    if (options.as !== undefined && options.as !== 'float32') throw new TypeError("as must be 'float32'");
    const { head, reader, limits } = this.#opened;
    const [kind, verify] = [options.as === 'float32' ? AS_F32 : AS_IT_IS, verifies(options)];
    const work = drive((wasm) => new wasm.Reader(head, reader.size, this.#index, start, end, kind, verify, limits));
    try {
      let step = work.next();
      while (step.done !== true) step = work.next(step.value.output === undefined ? yield step.value : allocate(step.value.output));
      const [right = 0, wrong = 0, unchecked = 0] = step.value;
      return { right, wrong, unchecked };
    } finally {
      work.return(undefined as never);
    }
  }
}

/** What a reader of the module does with the rows. */
const [AS_IT_IS, AS_F32, PLAN] = [0, 1, 2];

/** The first number of a step: what it needs. Else it is bytes of the file. */
const [DONE, OUTPUT, LENGTH] = [0, 2, 3];

/** Nothing to pass to a step. */
const NONE = new Uint8Array(0);

/**
 * A range to read, which may be the length of a chunk. With `output`, a buffer of that length to
 * provide.
 */
type Wanted = ByteRange & { readonly isLength?: boolean; readonly output?: number };

/**
 * Runs a reader of the module: yields what it needs, passes in bytes or output, and frees it at the
 * end. Returns its numbers: the counts of checksums, or the ranges of a plan.
 */
function* drive(make: (wasm: Exports) => WasmReader): Generator<Wanted, Float64Array, Uint8Array> {
  const reader = new Handle(wasmModule, make);
  try {
    let given: [bytes: Uint8Array, output?: Uint8Array] = [NONE];
    for (;;) {
      const now = given;
      const step = reader.call((job) => job.step(...now));
      const [need, start = 0, end = 0] = step;
      if (need === DONE) return step.subarray(1);
      given = need === OUTPUT ? [NONE, yield { start: 0, end: start, output: start }] : [yield { start, end, isLength: need === LENGTH }];
    }
  } finally {
    reader.free();
  }
}

function verifies({ checksums }: Pick<CvcRowOptions, 'checksums'>): boolean {
  if (checksums !== undefined && checksums !== 'verify' && checksums !== 'skip') {
    throw new TypeError("checksums must be 'verify' or 'skip'");
  }
  return checksums !== 'skip';
}

/** The types in the order of the module's numbers. */
const DTYPES: readonly CvcDtype[] = ['float32', 'float16', 'int64', 'int32', 'int8', 'uint8'];

/** The number of no column, for the types of all. */
const EACH = -1;

/** Views little-endian bytes as numbers. Every engine with wasm runs on little-endian machines. */
function typed(dtype: CvcDtype, buffer: ArrayBuffer): CvcData {
  switch (dtype) {
    case 'float32': return new Float32Array(buffer);
    case 'float16': return new HalfFloats(buffer);
    case 'int64': return new BigInt64Array(buffer);
    case 'int32': return new Int32Array(buffer);
    case 'int8': return new Int8Array(buffer);
    case 'uint8': return new Uint8Array(buffer);
  }
}

/** Parses JSON as Python writes it, with bare `NaN` and `Infinity`. */
function parsePython(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    const bare: Record<string, number> = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity };
    const mark = '\u0000';
    const quoted = json.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) =>
      token.startsWith('"') ? token : JSON.stringify(mark + token),
    );
    return JSON.parse(quoted, (_, value: unknown) =>
      typeof value === 'string' && value.startsWith(mark) ? (bare[value.slice(1)] ?? value) : value,
    );
  }
}

function describe(reader: OpenedSource, head: Uint8Array, limits: Float64Array): CvcFile {
  const json = call((wasm) => wasm.cvc_describe(head, limits));
  // The head is kept, and the caller may change the bytes.
  const opened = { reader, head: head.slice(), limits, lengths: new Map<number, Uint8Array>() };
  return new CvcFile(opened, parsePython(new TextDecoder().decode(json)) as Description);
}

/**
 * Returns the length of the head, at most that of the file. The parser reports a truncated head.
 */
function headLength(prefix: Uint8Array, limits: Float64Array, size: number): number {
  return Math.min(call((wasm) => wasm.cvc_head_len(prefix, limits)), size);
}

function openNow(bytes: Uint8Array, limits: Float64Array): CvcFile {
  const reader: OpenedSource = { size: bytes.length, read: ({ start, end }) => bytes.subarray(start, end), isRemote: false, version: undefined };
  return describe(reader, bytes.subarray(0, headLength(bytes.subarray(0, 64), limits, bytes.length)), limits);
}

/**
 * Opens a file in memory, in a `Blob` or on a server. Reads only the header; rows are read on
 * demand. From a server with range requests, only the bytes needed are fetched.
 */
export async function openCvc(source: Source, options: OpenOptions = {}): Promise<CvcFile> {
  const limits = limitsOf(options, { limits: true, signal: true });
  const reader = await openSource(source, options);
  const framing = Math.min(call((wasm) => wasm.cvc_framing_len()), reader.size);
  const length = headLength(await reader.read({ start: 0, end: framing }), limits, reader.size);
  return describe(reader, await reader.read({ start: 0, end: length }), limits);
}

/** Decodes one column of a file in memory to `float32`. */
export function decodeCvc(bytes: Bytes, options: CvcDecodeOptions & { as: 'float32' }): CvcVectors<'float32'>;
/** Decodes one column of a file in memory to its own type. */
export function decodeCvc(bytes: Bytes, options?: CvcDecodeOptions): CvcVectors;
export function decodeCvc(bytes: Bytes, options: CvcDecodeOptions = {}): CvcVectors {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true, as: true, checksums: true, column: true, rows: true })];
  checkRows(options.rows);
  return work(view, limits, () => {
    const file = openNow(view, limits);
    const [start, end] = options.rows ?? [0, file.rowCount];
    return file.column(options.column).rowsNow(start, end, options);
  });
}

/**
 * Decodes rows of a column to the start of `to`. Returns the number of elements written.
 *
 * `to` is an array of the column's type, a `Uint16Array` for the bits of half floats, a
 * `Float32Array` for values of any type, or a `Uint8Array` for bytes. JavaScript allocates nothing
 * for the values, and after the first files the module's memory does not grow either.
 */
export function decodeCvcInto(bytes: Bytes, to: CvcData<ArrayBufferLike>, options: Omit<CvcDecodeOptions, 'as'> = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true, checksums: true, column: true, rows: true })];
  checkRows(options.rows);
  const kind = kindOf(to);
  return work(view, limits, () => {
    const file = openNow(view, limits);
    const column = file.column(options.column);
    const [start, end] = options.rows ?? [0, file.rowCount];
    const { checksums } = options;
    return fillBytes(to, (out) => {
      const bits = kind === 'Uint16Array' && column.output === 'float16';
      const plain = bits || kind === 'Uint8Array' || kind === kindOf(typed(column.output, new ArrayBuffer(0)));
      if (!plain && kind !== 'Float32Array') throw refuse('WrongType', 0, 0, `the column is ${column.output}, the array a ${kind}`);
      return column.fillNow(out, start, end, { ...(checksums && { checksums }), ...(!plain && { as: 'float32' }) });
    });
  });
}

/** The header of a file. */
export interface CvcHeader {
  /** Rows of each column. */
  readonly rowCount: number;
  /** The columns, in the order of the schema. */
  readonly columns: readonly {
    /** The name of the column; empty if the file has only one. */
    readonly name: string;
    /** Values per row. */
    readonly dimension: number;
    /** Type of the decoded values. */
    readonly dtype: CvcDtype;
    /** Bytes of the decoded values. */
    readonly size: number;
  }[];
  /** Bytes of all decoded values. */
  readonly size: number;
}

/** Reads the header of a file. `bytes` may end after it. Decodes nothing. */
export function cvcHeader(bytes: Bytes, options: Pick<CvcDecodeOptions, 'limits'> = {}): CvcHeader {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { limits: true })];
  const { rowCount, columns, headLength } = openNow(view, limits);
  const outputs = call((wasm) => wasm.cvc_outputs(view.subarray(0, headLength), EACH, limits));
  const all = columns.map(({ name, dimension }, index) => {
    const dtype = DTYPES[outputs[index] ?? -1] as CvcDtype;
    return { name, dimension, dtype, size: rowCount * dimension * typed(dtype, new ArrayBuffer(0)).BYTES_PER_ELEMENT };
  });
  return { rowCount, columns: all, size: all.reduce((sum, { size }) => sum + size, 0) };
}

/**
 * @internal Decodes all columns, chunk by chunk: finding each column in each chunk would take
 * quadratic time.
 */
export function decodeCvcColumns(bytes: Uint8Array, options: CvcDecodeOptions): CvcVectors[] {
  const limits = limitNumbers(options.limits);
  return work(bytes, limits, () => {
    const { rowCount, columns, chunkCount, hasChecksums } = openNow(bytes, limits);
    // One column needs no copy of the file in the module.
    if (columns.length === 1) return columns.map((column) => column.rowsNow(0, rowCount, options));
    const verify = verifies(options);
    const found = call((wasm) => wasm.cvc_columns(bytes, verify, limits)) as (number | Uint8Array<ArrayBuffer>)[];
    const right = verify && hasChecksums ? chunkCount : 0;
    const checksums = { right, wrong: 0, unchecked: chunkCount - right };
    return columns.map(({ name, dimension }, index) => {
      const dtype = DTYPES[found[2 * index] as number] as CvcDtype;
      const { buffer } = found[2 * index + 1] as Uint8Array<ArrayBuffer>;
      return { column: name, dtype, shape: [rowCount, dimension], data: typed(dtype, buffer), checksums } as CvcVectors;
    });
  });
}
