/// <reference lib="esnext.disposable" preserve="true" />
// OnPair: a container that is not in memory. Reads the rows that are asked for.
import { anySignal, unlessAborted } from './abort.js';
import { mapConcurrently } from './ahead.js';
import { checkOptions } from './check.js';
import { checkRow, checkRows } from './check-numbers.js';
import { refuse, UnspoolError } from './error.js';
import { moduleFor } from './instance.js';
import { join } from './join.js';
import { type Limits, limitsOf } from './limits.js';
import { needleOf, openOnPair, type OnPairColumn, type OnPairParts, type OnPairQuery, type OnPairStrings } from './onpair.js';
import { type OnPairTables, tablesOf, toUint32 } from './onpair-tables.js';
import { type ByteRange, type OpenOptions, openSource, type Reader, type Source } from './source.js';

const { enter, leave } = moduleFor('onpair');

/** Codes are stored in 64-bit words: this many codes always end at a word boundary. */
const ALIGNED = 64;
/** Maximum number of tokens with 16-bit codes, and of bytes in a token. */
const [MOST_TOKENS, LONGEST_TOKEN] = [2 ** 16, 16];
/** Rows per step of a search. */
const AT_ONCE = 2 ** 18;

/** Options of the methods of {@link OnPairFile}. */
export interface OnPairFileReadOptions {
  /** Aborts the reads. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link OnPairFile.search}. */
export interface OnPairFileSearchOptions extends OnPairFileReadOptions {
  /** Reports the number of rows searched. The search awaits it, and fails if it throws. */
  onProgress?: ((done: number, total: number) => void | Promise<void>) | undefined;
}

/** The tokens of a file. */
type Dictionary = Pick<OnPairParts, 'dictBytes' | 'dictOffsets'>;

/** The layout of the file, and its dictionary. */
interface Opened extends OnPairTables {
  readonly reader: Reader;
  readonly dictionary: Dictionary;
  readonly limits: Limits | undefined;
}

/**
 * An open container in a `Blob` or on a server. It keeps the dictionary and reads rows on demand.
 */
export class OnPairFile implements Disposable {
  /** Number of rows. */
  readonly rowCount: number;
  /** Number of tokens in the dictionary. */
  readonly tokenCount: number;
  /** Number of codes of all rows. */
  readonly codeCount: number;
  /** Bits per code. */
  readonly codeBits: number;
  /** True if the dictionary is sorted and has every single byte: search is faster then. */
  readonly isSorted: boolean;
  /** Length of the container. Bytes after it are ignored. */
  readonly size: number;
  #opened: Omit<Opened, 'dictionary'>;
  #dictionary: Promise<Dictionary> | undefined;

  /** @internal Use {@link openOnPairFile}. */
  constructor({ dictionary, ...opened }: Opened, column: Pick<OnPairColumn, 'tokenCount' | 'isSorted'>, codeCount: number) {
    this.#opened = opened;
    this.#dictionary = Promise.resolve(dictionary);
    this.rowCount = (opened.rowOffsets.end - opened.rowOffsets.start) / 4 - 1;
    this.tokenCount = column.tokenCount;
    this.codeCount = codeCount;
    this.codeBits = opened.bits;
    this.isSorted = column.isSorted;
    this.size = opened.rowOffsets.end;
  }

  /** Returns the bytes of a row. */
  async row(index: number, options: OnPairFileReadOptions = {}): Promise<Uint8Array> {
    checkRow(index);
    return this.#readSpan(index, index + 1, options, (column) => column.row(0));
  }

  /** Returns a row as text. Invalid UTF-8 becomes U+FFFD. */
  async text(index: number, options: OnPairFileReadOptions = {}): Promise<string> {
    checkRow(index);
    return this.#readSpan(index, index + 1, options, (column) => column.text(0));
  }

  /** Returns the bytes of a range of rows, by default all. */
  rows(start?: number, end?: number, options?: OnPairFileReadOptions): Promise<Uint8Array[]>;
  /**
   * Returns the bytes of the rows with these numbers, in this order, such as those from {@link
   * search}. Nearby rows are read together.
   */
  rows(numbers: Iterable<number>, options?: OnPairFileReadOptions): Promise<Uint8Array[]>;
  async rows(rows?: number | Iterable<number>, end?: number | OnPairFileReadOptions, options?: OnPairFileReadOptions): Promise<Uint8Array[]> {
    return this.#read([rows, end, options], (column, rows) => (rows === undefined ? column.rows() : column.rows(rows)));
  }

  /** Returns a range of rows as text, by default all. */
  texts(start?: number, end?: number, options?: OnPairFileReadOptions): Promise<string[]>;
  /** Returns the rows with these numbers as text. */
  texts(numbers: Iterable<number>, options?: OnPairFileReadOptions): Promise<string[]>;
  async texts(rows?: number | Iterable<number>, end?: number | OnPairFileReadOptions, options?: OnPairFileReadOptions): Promise<string[]> {
    return this.#read([rows, end, options], (column, rows) => (rows === undefined ? column.texts() : column.texts(rows)));
  }

  /** Decodes a range of rows, by default all, to one buffer and their offsets. */
  async decode(start = 0, end = this.rowCount, options: OnPairFileReadOptions = {}): Promise<OnPairStrings> {
    return this.#readSpan(start, end, options, (column) => column.decode());
  }

  /** Returns the decoded length of a range of rows, by default all, without decoding them. */
  async decodedLength(start = 0, end = this.rowCount, options: OnPairFileReadOptions = {}): Promise<number> {
    return this.#readSpan(start, end, options, (column) => column.decodedLength());
  }

  /** Forgets the dictionary, up to 1.3 MB. The file stays usable: the next call reads it again. */
  release(): void {
    this.#dictionary = undefined;
  }

  /** Calls {@link release}, for `using`. */
  [Symbol.dispose](): void {
    this.release();
  }

  /**
   * Returns the numbers of the matching rows in ascending order. Reads all codes in steps, and
   * decodes nothing.
   */
  async search(query: OnPairQuery, options: OnPairFileSearchOptions = {}): Promise<Uint32Array> {
    checkOptions(options, { signal: true, onProgress: true });
    needleOf(query);
    const { signal, onProgress } = options;
    const starts = Array.from({ length: Math.ceil(this.rowCount / AT_ONCE) }, (_, at) => at * AT_ONCE);
    let done = 0;
    const found = await mapConcurrently(starts, async (start) => {
      signal?.throwIfAborted();
      const end = Math.min(this.rowCount, start + AT_ONCE);
      const rows = await this.#readSpan(start, end, { signal }, (column) => column.search(query).map((row) => row + start));
      await onProgress?.((done += end - start), this.rowCount);
      return rows;
    });
    return join(found, (length) => new Uint32Array(length));
  }

  /** Reads a range of rows, or rows in any order. */
  async #read<T>([rows = 0, end, options]: Wanted, take: (column: OnPairColumn, rows?: readonly number[]) => T): Promise<T> {
    if (typeof rows === 'number') return this.#readSpan(rows, (end as number | undefined) ?? this.rowCount, options ?? {}, take);
    if (typeof rows?.[Symbol.iterator] !== 'function') checkRow(rows);
    return this.#join(groupNear(rows), (end as OnPairFileReadOptions | undefined) ?? {}, take);
  }

  /** Reads a range of rows. */
  #readSpan<T>(start: number, end: number, options: OnPairFileReadOptions, take: (column: OnPairColumn) => T): Promise<T> {
    checkRows([start, end]);
    return this.#join([{ start, end, rows: [] }], options, (column) => take(column));
  }

  /** Reads spans of rows and joins them to one column. Between two spans it has an unwanted row. */
  async #join<T>(spans: readonly RowSpan[], options: OnPairFileReadOptions, take: (column: OnPairColumn, rows: readonly number[]) => T): Promise<T> {
    checkOptions(options, { signal: true });
    const { bits, tokenOffsets, limits } = this.#opened;
    // Aborts the other reads after an error.
    const over = new AbortController();
    const until = anySignal(options.signal, over.signal);
    const reads = async () => {
      // First, as the spans may take all reads in flight. It is read only after `release`.
      const dictionary = await this.#tokens(until);
      return [dictionary, await mapConcurrently(spans, (span) => this.#readPart(span, until))] as const;
    };
    const [dictionary, parts] = await reads().finally(() => over.abort());
    const packedCodes = new Uint8Array(parts.reduce((sum, { padded }) => sum + padded, 0));
    const codeOffsets = new Uint32Array(Math.max(1, parts.reduce((sum, { offsets }) => sum + offsets.length, 0)));
    const wanted: number[] = [];
    let [codesAt, rowsAt] = [0, 0];
    for (const { rows, offsets, first, packed, padded } of parts) {
      packedCodes.set(packed, codesAt);
      codeOffsets.set(offsets.map((code) => code - first + (8 * codesAt) / bits), rowsAt);
      for (const row of rows) wanted.push(rowsAt + row);
      codesAt += padded;
      rowsAt += offsets.length;
    }
    // With several spans, an error is placed as if in the first.
    const [{ codesStart, offsetsStart } = { codesStart: 0, offsetsStart: 0 }] = parts;
    return open({ ...dictionary, packedCodes, bits, codeOffsets }, limits, { tokens: tokenOffsets.start, codes: codesStart, rows: offsetsStart }, (column) => take(column, wanted));
  }

  /** Returns the dictionary. Reads it again if it was released. */
  #tokens(signal: AbortSignal): Promise<Dictionary> {
    const dictionary = (this.#dictionary ??= readDictionary(this.#opened));
    // After a failure, the next call tries again.
    dictionary.catch(() => (this.#dictionary = undefined));
    return unlessAborted(dictionary, signal);
  }

  /** Reads the offsets of a span, and its codes from the word boundary before it. */
  async #readPart({ start, end, rows }: RowSpan, signal: AbortSignal): Promise<Part> {
    if (start > end || end > this.rowCount) throw refuse('RangeOutside', 0, end);
    const { bits, codes, rowOffsets } = this.#opened;
    const reader = this.#opened.reader;
    const offsetsStart = rowOffsets.start + 4 * start;
    const offsets = toUint32(await exactly(reader, { start: offsetsStart, end: rowOffsets.start + 4 * (end + 1) }, signal));
    const [lowest, highest] = [offsets.reduce((a, b) => Math.min(a, b)), offsets.reduce((a, b) => Math.max(a, b))];
    if (highest > this.codeCount) throw refuse('OnPairRowOrder', await this.#fall(start, offsets, signal));
    const first = lowest - (lowest % ALIGNED);
    const codesStart = codes.start + (first * bits) / 8;
    const codesEnd = Math.min(codes.end, codesStart + 8 * Math.ceil(((highest - first) * bits) / 64));
    const packed = codesStart < codesEnd ? await exactly(reader, { start: codesStart, end: codesEnd }, signal) : new Uint8Array();
    const unit = (ALIGNED * bits) / 8;
    return { rows, offsets, offsetsStart, first, packed, codesStart, padded: Math.ceil(packed.length / unit) * unit };
  }

  /**
   * Finds the first row offset below the one before it: among these, which start at `row`, or after
   * them.
   */
  async #fall(row: number, offsets: Uint32Array, signal: AbortSignal): Promise<number> {
    const { reader, rowOffsets } = this.#opened;
    const isBelow = (offset: number, at: number, all: Uint32Array): boolean => at > 0 && offset < (all[at - 1] ?? 0);
    let [start, found] = [rowOffsets.start + 4 * row, offsets.findIndex(isBelow)];
    if (found < 0) {
      // The last offset of the file is below one of these.
      start += 4 * (offsets.length - 1);
      found = toUint32(await exactly(reader, { start, end: rowOffsets.end }, signal)).findIndex(isBelow);
    }
    return start + 4 * found;
  }
}

/** Arguments of `rows` and `texts`: a range of rows and options, or their numbers and options. */
type Wanted = readonly [
  rows: number | Iterable<number> | undefined, end: number | OnPairFileReadOptions | undefined, options: OnPairFileReadOptions | undefined,
];

/** Rows that are read together, and the wanted ones, counted from the first. */
interface RowSpan {
  readonly start: number;
  readonly end: number;
  readonly rows: readonly number[];
}

/** The data of a span. */
interface Part {
  readonly rows: readonly number[];
  /** Offsets of the rows in the codes, and the position of these offsets in the file. */
  readonly offsets: Uint32Array;
  readonly offsetsStart: number;
  /** The first code read, the codes, and their position in the file. */
  readonly first: number;
  readonly packed: Uint8Array;
  readonly codesStart: number;
  /** Bytes the codes take in the joined column, where each span starts at a word boundary. */
  readonly padded: number;
}

/** Gaps up to this many rows are read rather than split. */
const NEAR = 256;

/** Groups rows in any order into spans. */
function groupNear(rows: Iterable<number>): RowSpan[] {
  const found: { start: number; end: number; rows: number[] }[] = [];
  for (const row of rows) {
    checkRow(row);
    let last = found.at(-1);
    if (last === undefined || row < last.start || row > last.end + NEAR) found.push((last = { start: row, end: row, rows: [] }));
    last.end = Math.max(last.end, row + 1);
    last.rows.push(row - last.start);
  }
  return found;
}

/** File positions of the buffers that error offsets are relative to. */
interface Starts {
  readonly tokens: number;
  readonly codes: number;
  readonly rows: number;
}

/** Opens a column for one call. Converts error offsets to file positions. */
function open<T>(parts: OnPairParts, limits: Limits | undefined, starts: Starts, take: (column: OnPairColumn) => T): T {
  try {
    const column = openOnPair(parts, { limits });
    try {
      return take(column);
    } finally {
      column.release();
    }
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    const { code, name, offset, need } = error;
    const start = /^OnPair(Token|First|Table)/.test(name) ? starts.tokens : /^OnPairRow/.test(name) ? starts.rows : /^OnPairCode/.test(name) ? starts.codes : 0;
    throw new UnspoolError(code, { offset: offset + start, need });
  }
}

/** Reads all bytes of a range. */
async function exactly(reader: Reader, range: ByteRange, signal?: AbortSignal): Promise<Uint8Array> {
  const bytes = await reader.read(range, signal);
  if (bytes.length < range.end - range.start) throw refuse('Truncated', range.start + bytes.length, range.end);
  return bytes;
}

/** Reads the dictionary of a file. */
async function readDictionary({ reader, tokens, tokenOffsets }: Omit<Opened, 'dictionary' | 'limits'>): Promise<Dictionary> {
  const [dictBytes, dictOffsets] = await Promise.all([
    exactly(reader, { start: tokens.start, end: Math.min(tokens.end, tokens.start + MOST_TOKENS * LONGEST_TOKEN) }),
    exactly(reader, tokenOffsets),
  ]);
  // Copied: it is kept, and the caller may change the bytes.
  return { dictBytes: dictBytes.slice(), dictOffsets: toUint32(dictOffsets) };
}

/**
 * Opens an `ONPAIR01` container in a `Blob`, on a server, or in any source of ranges. Reads the
 * dictionary; rows are read on demand.
 */
export async function openOnPairFile(source: Source, options: OpenOptions = {}): Promise<OnPairFile> {
  limitsOf(options, { limits: true, signal: true });
  const { limits } = options;
  const reader = await openSource(source, options);
  enter();
  try {
    const walk = tablesOf(reader.size);
    let step = walk.next();
    while (step.done !== true) step = walk.next(await reader.read(step.value));
    const tables = step.value;
    const { bits, tokenOffsets, codes, rowOffsets } = tables;
    if (tokenOffsets.end - tokenOffsets.start > 4 * (MOST_TOKENS + 1)) throw refuse('OnPairTokenCount', tokenOffsets.start);
    const isEmpty = rowOffsets.end === rowOffsets.start;
    const last = isEmpty ? new Uint8Array() : exactly(reader, { start: rowOffsets.end - 4, end: rowOffsets.end });
    const [dictionary, end] = await Promise.all([readDictionary({ reader, ...tables }), last]);
    // Opened without rows to validate the dictionary.
    const none = { ...dictionary, packedCodes: new Uint8Array(), bits, codeOffsets: new Uint32Array(1) };
    const starts = { tokens: tokenOffsets.start, codes: codes.start, rows: rowOffsets.start };
    const column = open(none, limits, starts, ({ tokenCount, isSorted }) => ({ tokenCount, isSorted }));
    if (isEmpty) throw refuse('OnPairTable', rowOffsets.start);
    const [codeCount = 0] = toUint32(end);
    const need = Math.ceil((codeCount * bits) / 8);
    if (need > codes.end - codes.start) throw refuse('OnPairCodesShort', codes.end, need);
    return new OnPairFile({ reader, limits, dictionary, ...tables }, column, codeCount);
  } finally {
    leave();
  }
}
