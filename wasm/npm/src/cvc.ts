/// <reference lib="esnext.disposable" preserve="true" />
// CVC: collections of embedding vectors.
import type { Reader as WasmReader } from '../wasm/unspool.js';
import { AHEAD, readForeseen } from './ahead.js';
import { checkOptions, checkRows } from './check.js';
import { refuse } from './error.js';
import { HalfFloats } from './half.js';
import { type Exports, Held, room } from './instance.js';
import { type Limits, limitNumbers, limitsOf } from './limits.js';
import { type Bytes, type ByteRange, bytesOf, filled, kindOf, openSource, type OpenSource, pairs, type Reader, type Source } from './source.js';

const here = room('cvc');
const { call, work } = here;

/** What holds the values of each type. Half floats are a `Float16Array` where the engine has one, else their bits. */
export interface CvcArrays<B extends ArrayBufferLike = ArrayBuffer> {
  float32: Float32Array<B>;
  float16: HalfFloats<B>;
  int64: BigInt64Array<B>;
  int32: Int32Array<B>;
  int8: Int8Array<B>;
  uint8: Uint8Array<B>;
}

/** The type of the values of a column, by numpy's names. */
export type CvcDtype = keyof CvcArrays;

/** Values of any type. */
export type CvcData<B extends ArrayBufferLike = ArrayBuffer> = CvcArrays<B>[CvcDtype];

/** How the checksums of the chunks that were read turned out. */
export interface Checksums {
  readonly right: number;
  readonly wrong: number;
  readonly unchecked: number;
}

/** Rows of a column. Whoever asks for their `dtype` knows the type of their `data`. */
export type CvcVectors<D extends CvcDtype = CvcDtype> = { [K in D]: CvcVectorsOf<K> }[D];

interface CvcVectorsOf<D extends CvcDtype> {
  /** The name of the column; empty in a file that has only one. */
  readonly column: string;
  /** The type of `data`: the column's own where the file stores it plainly, else `float32`. */
  readonly dtype: D;
  /** Rows, and values in each row. */
  readonly shape: readonly [rows: number, dimension: number];
  /** The values, row after row. */
  readonly data: CvcArrays[D];
  readonly checksums: Checksums;
}

/** How rows are decoded. */
export interface CvcRowOptions {
  /** `float32` gives numbers whatever the column holds; without it, the column's own type comes out. */
  as?: 'float32' | undefined;
  /** `skip` reads just the rows that were asked for, and looks at no CRC-32, because it covers whole chunks. */
  checksums?: 'verify' | 'skip' | undefined;
}

/** Which rows of which column are decoded, and how. */
export interface CvcDecodeOptions extends CvcRowOptions {
  /** Which column; needed where there are several. */
  column?: string | undefined;
  /** First row, and the row behind the last one. */
  rows?: readonly [start: number, end: number] | undefined;
  limits?: Limits | undefined;
}

/** How a file is opened. */
export interface CvcOpenOptions {
  limits?: Limits | undefined;
  signal?: AbortSignal | undefined;
}

/** A stretch of rows that the header names. */
export interface CvcSection {
  readonly start: number;
  readonly end: number;
  /** What the writer noted of it. */
  readonly metadata: unknown;
}

/** The same rows of every column. */
export interface CvcChunk {
  readonly index: number;
  /** First row, and the row behind the last one. */
  readonly start: number;
  readonly end: number;
}

interface Description {
  version: [number, number];
  rows: number;
  chunkCount: number;
  columnar: boolean;
  mmapOptimized: boolean;
  checksums: boolean;
  headLength: number;
  columns: { name: string; dimension: number; dtype: CvcDtype | null; compression: string }[];
  sections: { start: number; end: number; metadata: string }[];
}

/** The head of a file, its limits, and where the rest of it is. */
interface Opened {
  readonly reader: OpenSource;
  readonly head: Uint8Array;
  readonly limits: Float64Array;
  /** Lengths of chunks that the header does not tell: they are asked for again with every stretch of rows. */
  readonly lengths: Map<number, Uint8Array>;
}

/** An open CVC file. It holds the header; values are read when they are asked for. */
export class CvcFile implements Disposable {
  /** Major and minor version: 0 for files without checksums, 1 for one column, 2 for many. */
  readonly version: readonly [major: number, minor: number];
  /** How many rows every column has. */
  readonly rows: number;
  readonly columns: readonly CvcColumn[];
  readonly sections: readonly CvcSection[];
  /** How many chunks the rows are divided into. */
  readonly chunkCount: number;
  /** Whether the columns have names. */
  readonly isColumnar: boolean;
  /** Whether the writer laid the chunks out for memory mapping. */
  readonly isMmapOptimized: boolean;
  /** Whether each chunk has a CRC-32. */
  readonly hasChecksums: boolean;
  /** Length of the file in bytes. */
  readonly size: number;
  /** How many of them the header takes. */
  readonly headLength: number;
  #opened: Opened;
  #chunks: readonly CvcChunk[] | undefined;

  /** @internal Use {@link openCvc}. */
  constructor(opened: Opened, description: Description) {
    this.#opened = opened;
    this.version = description.version;
    this.rows = description.rows;
    this.chunkCount = description.chunkCount;
    this.isColumnar = description.columnar;
    this.isMmapOptimized = description.mmapOptimized;
    this.hasChecksums = description.checksums;
    this.headLength = description.headLength;
    this.size = opened.reader.size;
    this.columns = description.columns.map((column, index) => new CvcColumn(opened, column, index, this.rows));
    this.sections = description.sections.map(({ start, end, metadata }) => ({
      start,
      end,
      metadata: parseMetadata(metadata),
    }));
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

  /** Forgets what it noted of the chunks. It holds nothing else that the garbage collector would not see, and works on. */
  release(): void {
    this.#opened.lengths.clear();
    this.#chunks = undefined;
  }

  /** The same, for `using`. */
  [Symbol.dispose](): void {
    this.release();
  }

  /** The column of this name; without a name, the only one. Of two with the same name the last one counts. */
  column(name?: string): CvcColumn {
    if (name !== undefined && typeof name !== 'string') throw new TypeError('the name of a column is a string');
    const matches = name === undefined ? this.columns : this.columns.filter((column) => column.name === name);
    const found = matches.at(-1);
    if (found === undefined) throw refuse('CvcNoSuchColumn');
    if (name === undefined && matches.length > 1) throw refuse('CvcPickColumn');
    return found;
  }
}

/** A column of an open file. */
export class CvcColumn {
  /** Empty for the only column of a file without a schema. */
  readonly name: string;
  /** Values in each row. */
  readonly dimension: number;
  /** The type that the values had when they were written; `undefined` if this library does not know it. */
  readonly dtype: CvcDtype | undefined;
  /** How the schema says that they are stored. A chunk may say otherwise. */
  readonly compression: string;
  /** How many rows there are. */
  readonly length: number;
  #opened: Opened;
  #index: number;
  #output: CvcDtype | undefined;

  /** @internal */
  constructor(opened: Opened, column: Description['columns'][number], index: number, rows: number) {
    this.#opened = opened;
    this.#index = index;
    this.name = column.name;
    this.dimension = column.dimension;
    this.dtype = column.dtype ?? undefined;
    this.compression = column.compression;
    this.length = rows;
  }

  /** The type that {@link rows} gives. */
  get output(): CvcDtype {
    const { head, limits } = this.#opened;
    return (this.#output ??= call((wasm) => wasm.cvc_output(head, this.#index, limits)) as CvcDtype);
  }

  /** Decodes rows, all of them if no bounds are given, and reads no byte of the file but those that this takes. */
  rows(start: number | undefined, end: number | undefined, options: CvcRowOptions & { as: 'float32' }): Promise<CvcVectors<'float32'>>;
  rows(start?: number, end?: number, options?: CvcRowOptions): Promise<CvcVectors>;
  async rows(start = 0, end = this.length, options: CvcRowOptions = {}): Promise<CvcVectors> {
    checkOptions(options, { as: true, checksums: true });
    const { reader } = this.#opened;
    if (!reader.isFar) return this.#pump(this.#decode(start, end, options));
    // All is known beforehand, so that nothing is waited for but lengths of chunks.
    const ranges = await this.plan(start, end, { checksums: options.checksums });
    const foreseen = readForeseen(reader);
    let next = 0;
    return this.#pump(this.#decode(start, end, options), (range) => {
      while ((ranges[next]?.start ?? Infinity) < range.end) next++;
      return foreseen(range, ranges.slice(next, next + AHEAD));
    });
  }

  /** Which bytes of the file {@link rows} would read for these rows. */
  async plan(start = 0, end = this.length, options: Pick<CvcRowOptions, 'checksums'> = {}): Promise<ByteRange[]> {
    checkOptions(options, { checksums: true });
    checkRows([start, end]);
    const { head, reader, limits } = this.#opened;
    const verify = verifies(options);
    const work = drive((wasm) => wasm.Reader.planning(head, reader.size, this.#index, start, end, verify, limits));
    const { ranges } = await this.#pump(work);
    return pairs(ranges);
  }

  /** Feeds work with what it asks for. */
  async #pump<T>(work: Generator<ByteRange, T, Uint8Array>, read?: Reader['read']): Promise<T> {
    try {
      let step = work.next();
      while (step.done !== true) step = work.next(await this.#read(step.value, read));
      return step.value;
    } finally {
      // A read that failed leaves work behind that nobody will finish.
      work.return(undefined as T);
    }
  }

  /** @internal The same as {@link rows} for bytes that are at hand. */
  rowsNow(start: number, end: number, options: CvcRowOptions): CvcVectors {
    return this.#pumpNow(this.#decode(start, end, options));
  }

  /** @internal The same to the start of `to`. Gives how many bytes were written. */
  fillNow(to: Uint8Array, start: number, end: number, options: CvcRowOptions): number {
    let written = 0;
    const room = (size: number): Uint8Array => {
      if (size > to.length) throw refuse('OutputTooSmall', 0, size);
      return to.subarray(0, (written = size));
    };
    this.#pumpNow(this.#fill(start, end, options, room));
    return written;
  }

  #pumpNow<T>(work: Generator<ByteRange, T, Uint8Array>): T {
    let step = work.next();
    while (step.done !== true) {
      const bytes = this.#read(step.value);
      if (!(bytes instanceof Uint8Array)) throw new Error('bytes at hand are not waited for');
      step = work.next(bytes);
    }
    return step.value;
  }

  #read(range: ByteRange, read: Reader['read'] = (range) => this.#opened.reader.read(range)): Uint8Array | Promise<Uint8Array> {
    const { lengths } = this.#opened;
    if (range.end - range.start !== 4) return read(range);
    const known = lengths.get(range.start);
    if (known !== undefined) return known;
    const keep = (bytes: Uint8Array): Uint8Array => {
      lengths.set(range.start, bytes);
      return bytes;
    };
    const bytes = read(range);
    return bytes instanceof Uint8Array ? keep(bytes) : bytes.then(keep);
  }

  *#decode(start: number, end: number, options: CvcRowOptions): Generator<ByteRange, CvcVectors, Uint8Array> {
    const dtype = options.as ?? this.output;
    let buffer = new ArrayBuffer(0);
    const checksums = yield* this.#fill(start, end, options, (size) => new Uint8Array((buffer = new ArrayBuffer(size))));
    return { column: this.name, dtype, shape: [end - start, this.dimension], data: typed(dtype, buffer), checksums } as CvcVectors;
  }

  /** Decodes rows to memory that is asked for once it is known that the file is as long as they take. */
  *#fill(start: number, end: number, options: CvcRowOptions, room: (size: number) => Uint8Array): Generator<ByteRange, Checksums, Uint8Array> {
    checkRows([start, end]);
    if (options.as !== undefined && options.as !== 'float32') throw new TypeError("as can only be 'float32'");
    const { head, reader, limits } = this.#opened;
    const [asF32, verify] = [options.as === 'float32', verifies(options)];
    const work = drive((wasm) => new wasm.Reader(head, reader.size, this.#index, start, end, asF32, verify, limits));
    try {
      let step = work.next();
      while (step.done !== true) step = work.next(step.value.output === undefined ? yield step.value : room(step.value.output));
      const [right = 0, wrong = 0, unchecked = 0] = step.value.checks;
      return { right, wrong, unchecked };
    } finally {
      work.return(undefined as never);
    }
  }
}

type Wanted = ByteRange & { readonly output?: number };

/** Runs a reader of the wasm module: gives what it needs, takes the bytes or the output, and frees it in the end. */
function* drive(make: (wasm: Exports) => WasmReader): Generator<Wanted, { ranges: Float64Array; checks: Float64Array }, Uint8Array> {
  const reader = new Held(here, make);
  try {
    let bytes: Uint8Array | undefined;
    for (;;) {
      const given = bytes;
      const need = reader.call((job) => job.step(given));
      if (need === 0) return reader.call((job) => ({ ranges: job.ranges(), checks: job.checks() }));
      const range = reader.call((job) => ({ start: job.start(), end: job.end() }));
      if (need === 1) {
        bytes = yield range;
      } else {
        const output = yield { ...range, output: range.end };
        reader.call((job) => job.set_output(output));
        bytes = undefined;
      }
    }
  } finally {
    reader.free();
  }
}

function verifies({ checksums }: Pick<CvcRowOptions, 'checksums'>): boolean {
  if (checksums !== undefined && checksums !== 'verify' && checksums !== 'skip') {
    throw new TypeError("checksums can be 'verify' or 'skip'");
  }
  return checksums !== 'skip';
}

/** Little-endian bytes as numbers. Every engine that runs wasm is little-endian where it matters here. */
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

/** JSON as Python writes it, where NaN and Infinity may stand bare. */
function parseMetadata(json: string): unknown {
  if (json === '') return undefined;
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

function describe(reader: OpenSource, head: Uint8Array, limits: Float64Array): CvcFile {
  const json = call((wasm) => wasm.cvc_describe(head, limits));
  // The head is kept, and whoever owns the bytes may change them.
  const opened = { reader, head: head.slice(), limits, lengths: new Map<number, Uint8Array>() };
  return new CvcFile(opened, JSON.parse(json) as Description);
}

/** The length of the head, at most that of the file: what is missing is for the parser to say. */
function headLength(prefix: Uint8Array, limits: Float64Array, size: number): number {
  return Math.min(call((wasm) => wasm.cvc_head_len(prefix, limits)), size);
}

function openNow(bytes: Uint8Array, limits: Float64Array): CvcFile {
  const reader: OpenSource = { size: bytes.length, read: ({ start, end }) => bytes.subarray(start, end), isFar: false };
  return describe(reader, bytes.subarray(0, headLength(bytes.subarray(0, 64), limits, bytes.length)), limits);
}

/**
 * Opens a file in memory, in a `Blob` or on a server. Only its header is read; rows are read when they are asked for, and
 * from a server that answers range requests no more than those.
 */
export async function openCvc(source: Source, options: CvcOpenOptions = {}): Promise<CvcFile> {
  const limits = limitsOf(options, { signal: true });
  const reader = await openSource(source, options.signal);
  const framing = Math.min(call((wasm) => wasm.cvc_framing_len()), reader.size);
  const length = headLength(await reader.read({ start: 0, end: framing }), limits, reader.size);
  return describe(reader, await reader.read({ start: 0, end: length }), limits);
}

/** Decodes one column of a file that is at hand, as numbers of 32 bits. */
export function decodeCvc(bytes: Bytes, options: CvcDecodeOptions & { as: 'float32' }): CvcVectors<'float32'>;
/** Decodes one column of a file that is at hand, as numbers of its own type. */
export function decodeCvc(bytes: Bytes, options?: CvcDecodeOptions): CvcVectors;
export function decodeCvc(bytes: Bytes, options: CvcDecodeOptions = {}): CvcVectors {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { as: true, checksums: true, column: true, rows: true })];
  checkRows(options.rows);
  return work(view, limits, () => {
    const file = openNow(view, limits);
    const [start, end] = options.rows ?? [0, file.rows];
    return file.column(options.column).rowsNow(start, end, options);
  });
}

/**
 * Decodes rows of a column to the start of `to`, and gives how many of its elements were written. `to` is an array of the type of
 * the column, a `Uint16Array` for the bits of half floats, a `Float32Array` for numbers of any type, or a `Uint8Array` for their bytes. Nothing is allocated for the values,
 * and after the first files the memory of the module does not grow, either.
 */
export function decodeCvcInto(bytes: Bytes, to: CvcData<ArrayBufferLike>, options: Omit<CvcDecodeOptions, 'as'> = {}): number {
  const [view, limits] = [bytesOf(bytes), limitsOf(options, { checksums: true, column: true, rows: true })];
  checkRows(options.rows);
  const kind = kindOf(to);
  return work(view, limits, () => {
    const file = openNow(view, limits);
    const column = file.column(options.column);
    const [start, end] = options.rows ?? [0, file.rows];
    const { checksums } = options;
    return filled(to, (out) => {
      const bits = kind === 'Uint16Array' && column.output === 'float16';
      const plain = bits || kind === 'Uint8Array' || kind === kindOf(typed(column.output, new ArrayBuffer(0)));
      if (!plain && kind !== 'Float32Array') throw refuse('WrongType');
      return column.fillNow(out, start, end, { ...(checksums && { checksums }), ...(!plain && { as: 'float32' }) });
    });
  });
}

/** @internal Decodes all columns. */
export function decodeCvcColumns(bytes: Uint8Array, options: CvcDecodeOptions): CvcVectors[] {
  const limits = limitNumbers(options.limits);
  return work(bytes, limits, () => {
    const file = openNow(bytes, limits);
    return file.columns.map((column) => column.rowsNow(0, file.rows, options));
  });
}
