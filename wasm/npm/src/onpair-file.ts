// OnPair: a container that is not at hand, of which rows are read where they lie.
import { severally } from './ahead.js';
import { checkOptions, checkRow, checkRows } from './check.js';
import { refuse, UnspoolError } from './error.js';
import { room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { needleOf, openOnPair, type OnPairColumn, type OnPairParts, type OnPairQuery, type OnPairStrings } from './onpair.js';
import { type ByteRange, openSource, type Reader, type Source } from './source.js';

const { enter, leave } = room('onpair');

/** Codes lie in words of 64 bits: so many codes end where a word ends, whatever their width. */
const ALIGNED = 64;
/** The most tokens that codes of 16 bits can tell apart, and the longest token. */
const [MOST_TOKENS, LONGEST_TOKEN] = [2 ** 16, 16];
/** So many rows are searched at a time. */
const AT_ONCE = 2 ** 18;

/** How a container is opened that is not at hand. */
export interface OnPairFileOptions {
  limits?: Limits | undefined;
  /** Calls off opening, and all that is read of the file later. */
  signal?: AbortSignal | undefined;
}

/** How it is searched. */
export interface OnPairFileSearchOptions {
  /** Calls the search off. */
  signal?: AbortSignal | undefined;
  /** Hears how many rows have been looked at. The search waits for it, and ends with what it throws. */
  onProgress?: ((done: number, total: number) => void | Promise<void>) | undefined;
}

/** What is known of the file. */
interface Opened {
  readonly reader: Reader;
  readonly bits: number;
  readonly codes: ByteRange;
  readonly rowOffsets: ByteRange;
  readonly tokenOffsets: ByteRange;
  readonly dictBytes: Uint8Array;
  readonly dictOffsets: Uint32Array;
  readonly limits: Limits | undefined;
}

/** An open container in a `Blob` or on a server. It holds the dictionary; of the rows, only those are read that somebody asks for. */
export class OnPairFile {
  /** How many rows there are. */
  readonly rowCount: number;
  /** How many tokens the dictionary has. */
  readonly tokenCount: number;
  /** How many codes the rows have. */
  readonly codeCount: number;
  /** Bits of a code. */
  readonly codeBits: number;
  /** Whether the dictionary is sorted and has every single byte: search is faster then. */
  readonly isSorted: boolean;
  /** How long the container is. What follows it is left alone. */
  readonly size: number;
  #opened: Opened;

  /** @internal Use {@link openOnPairFile}. */
  constructor(opened: Opened, column: OnPairColumn, codeCount: number) {
    this.#opened = opened;
    this.rowCount = (opened.rowOffsets.end - opened.rowOffsets.start) / 4 - 1;
    this.tokenCount = column.tokenCount;
    this.codeCount = codeCount;
    this.codeBits = opened.bits;
    this.isSorted = column.isSorted;
    this.size = opened.rowOffsets.end;
  }

  /** The bytes of a row. */
  async row(index: number): Promise<Uint8Array> {
    checkRow(index);
    return this.#stretch(index, index + 1, (column) => column.row(0));
  }

  /** A row as text. Bytes that are not UTF-8 become U+FFFD. */
  async text(index: number): Promise<string> {
    checkRow(index);
    return this.#stretch(index, index + 1, (column) => column.text(0));
  }

  /** The bytes of rows, of all if no bounds are given. */
  rows(start?: number, end?: number): Promise<Uint8Array[]>;
  /** The bytes of the rows with these numbers, in this order: those that {@link search} found, say. Rows that lie near each other are read together. */
  rows(numbers: Iterable<number>): Promise<Uint8Array[]>;
  async rows(start: number | Iterable<number> = 0, end = this.rowCount): Promise<Uint8Array[]> {
    return typeof start === 'number' ? this.#stretch(start, end, (column) => column.rows()) : this.#some(start, (column, rows) => column.rows(rows));
  }

  /** Rows as texts. */
  texts(start?: number, end?: number): Promise<string[]>;
  /** The rows with these numbers as texts. */
  texts(numbers: Iterable<number>): Promise<string[]>;
  async texts(start: number | Iterable<number> = 0, end = this.rowCount): Promise<string[]> {
    return typeof start === 'number' ? this.#stretch(start, end, (column) => column.texts()) : this.#some(start, (column, rows) => column.texts(rows));
  }

  /** Decodes rows, all if no bounds are given, to one buffer and their offsets in it. */
  async decode(start = 0, end = this.rowCount): Promise<OnPairStrings> {
    return this.#stretch(start, end, (column) => column.decode());
  }

  /** The numbers of the rows that match, in ascending order. All codes are read for it, some rows at a time, but nothing is decoded. */
  async search(query: OnPairQuery, options: OnPairFileSearchOptions = {}): Promise<Uint32Array> {
    checkOptions(options, { signal: true, onProgress: true });
    needleOf(query);
    const { signal, onProgress } = options;
    const starts = Array.from({ length: Math.ceil(this.rowCount / AT_ONCE) }, (_, at) => at * AT_ONCE);
    let done = 0;
    const found = await severally(starts, async (start) => {
      signal?.throwIfAborted();
      const end = Math.min(this.rowCount, start + AT_ONCE);
      const rows = await this.#stretch(start, end, (column) => column.search(query).map((row) => row + start));
      await onProgress?.((done += end - start), this.rowCount);
      return rows;
    });
    const all = new Uint32Array(found.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const rows of found) {
      all.set(rows, at);
      at += rows.length;
    }
    return all;
  }

  /** Reads rows in any order. */
  #some<T>(rows: Iterable<number>, take: (column: OnPairColumn, rows: readonly number[]) => T): Promise<T> {
    if (typeof rows?.[Symbol.iterator] !== 'function') checkRow(rows);
    return this.#ask(near(rows), take);
  }

  /** Reads rows that follow each other, and no other. */
  #stretch<T>(start: number, end: number, take: (column: OnPairColumn) => T): Promise<T> {
    checkRows([start, end]);
    return this.#ask([{ start, end, rows: [] }], take);
  }

  /** Reads stretches of rows and puts them together to one column, between whose stretches lie rows that nobody wants. */
  async #ask<T>(stretches: readonly Stretch[], take: (column: OnPairColumn, rows: readonly number[]) => T): Promise<T> {
    const { bits, tokenOffsets, dictBytes, dictOffsets, limits } = this.#opened;
    const parts = await severally(stretches, (stretch) => this.#read(stretch));
    const packedCodes = new Uint8Array(parts.reduce((sum, { room }) => sum + room, 0));
    const codeOffsets = new Uint32Array(Math.max(1, parts.reduce((sum, { offsets }) => sum + offsets.length, 0)));
    const wanted: number[] = [];
    let [codesAt, rowsAt] = [0, 0];
    for (const { rows, offsets, first, packed, room } of parts) {
      packedCodes.set(packed, codesAt);
      codeOffsets.set(offsets.map((code) => code - first + (8 * codesAt) / bits), rowsAt);
      for (const row of rows) wanted.push(rowsAt + row);
      codesAt += room;
      rowsAt += offsets.length;
    }
    // Of several, an error is placed as if there were the first alone.
    const [{ codesStart, offsetsStart } = { codesStart: 0, offsetsStart: 0 }] = parts;
    return open({ dictBytes, dictOffsets, packedCodes, bits, codeOffsets }, limits, { tokens: tokenOffsets.start, codes: codesStart, rows: offsetsStart }, (column) => take(column, wanted));
  }

  /** Reads where some rows lie in the codes, and these codes from the last word on that starts in front of them. */
  async #read({ start, end, rows }: Stretch): Promise<Part> {
    if (start > end || end > this.rowCount) throw refuse('RangeOutside', 0, end);
    const { reader, bits, codes, rowOffsets } = this.#opened;
    const offsetsStart = rowOffsets.start + 4 * start;
    const offsets = words(await exactly(reader, { start: offsetsStart, end: rowOffsets.start + 4 * (end + 1) }));
    const [lowest, highest] = [offsets.reduce((a, b) => Math.min(a, b)), offsets.reduce((a, b) => Math.max(a, b))];
    const first = lowest - (lowest % ALIGNED);
    const codesStart = codes.start + (first * bits) / 8;
    const codesEnd = Math.min(codes.end, codesStart + 8 * Math.ceil(((highest - first) * bits) / 64));
    const packed = codesStart < codesEnd ? await exactly(reader, { start: codesStart, end: codesEnd }) : new Uint8Array();
    const unit = (ALIGNED * bits) / 8;
    return { rows, offsets, offsetsStart, first, packed, codesStart, room: Math.ceil(packed.length / unit) * unit };
  }
}

/** Rows that are read together, and which of them are wanted, counted from the first. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly rows: readonly number[];
}

/** What was read of a stretch. */
interface Part {
  readonly rows: readonly number[];
  /** Where its rows lie in the codes, and where that stands in the file. */
  readonly offsets: Uint32Array;
  readonly offsetsStart: number;
  /** The first code that was read, the codes, and where they stand in the file. */
  readonly first: number;
  readonly packed: Uint8Array;
  readonly codesStart: number;
  /** How many bytes they take where others follow, which start with a word, too. */
  readonly room: number;
}

/** So many rows that nobody wants are rather read than left out. */
const NEAR = 256;

/** Rows in any order as stretches. */
function near(rows: Iterable<number>): Stretch[] {
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

/** Where in the file the buffers of a column start that errors count from. */
interface Starts {
  readonly tokens: number;
  readonly codes: number;
  readonly rows: number;
}

/** Opens a column for a moment. What is wrong with it is told with its place in the file. */
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

/** Little-endian numbers, as every engine has them. */
function words(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.slice().buffer, 0, bytes.length >> 2);
}

/** What a container starts with. The bits of a code follow, in one byte. */
const MAGIC = 'ONPAIR01';

/** How many bits a code has, and where the tables lie. Each comes behind the number of its entries, and says so where the next one starts. */
async function tablesOf(reader: Reader): Promise<[bits: number, tokens: ByteRange, tokenOffsets: ByteRange, codes: ByteRange, rowOffsets: ByteRange]> {
  let at = MAGIC.length + 1;
  const head = await reader.read({ start: 0, end: at });
  if (!MAGIC.startsWith(String.fromCharCode(...head.subarray(0, MAGIC.length)))) throw refuse('OnPairMagic');
  const bits = head[MAGIC.length];
  if (bits === undefined) throw refuse('Truncated', reader.size, at);
  if (bits < 1 || bits > 16) throw refuse('OnPairBits', MAGIC.length);
  const table = async (width: number): Promise<ByteRange> => {
    const start = at + 4;
    const [entries = 0] = words(await exactly(reader, { start: at, end: start }));
    at = start + entries * width;
    if (at > reader.size) throw refuse('Truncated', reader.size, at);
    return { start, end: at };
  };
  return [bits, await table(1), await table(4), await table(8), await table(4)];
}

/** All bytes of a range. */
async function exactly(reader: Reader, range: ByteRange): Promise<Uint8Array> {
  const bytes = await reader.read(range);
  if (bytes.length < range.end - range.start) throw refuse('Truncated', range.start + bytes.length, range.end);
  return bytes;
}

/**
 * Opens an `ONPAIR01` container in a `Blob` or on a server, or anywhere else that gives ranges: reads its dictionary, and of its rows those that
 * are asked for later.
 */
export async function openOnPairFile(source: Source, options: OnPairFileOptions = {}): Promise<OnPairFile> {
  limitsOf(options, { signal: true });
  const { limits, signal } = options;
  const reader = await openSource(source, signal);
  enter();
  try {
    const [bits, tokens, tokenOffsets, codes, rowOffsets] = await tablesOf(reader);
    if (tokenOffsets.end - tokenOffsets.start > 4 * (MOST_TOKENS + 1)) throw refuse('OnPairTokenCount', tokenOffsets.start);
    if (rowOffsets.end === rowOffsets.start) throw refuse('OnPairTable', rowOffsets.start);
    const [dictBytes, dictOffsets, last] = await Promise.all([
      exactly(reader, { start: tokens.start, end: Math.min(tokens.end, tokens.start + MOST_TOKENS * LONGEST_TOKEN) }),
      exactly(reader, tokenOffsets),
      exactly(reader, { start: rowOffsets.end - 4, end: rowOffsets.end }),
    ]);
    const [codeCount = 0] = words(last);
    // They are kept, and whoever owns the bytes may change them.
    const opened = {
      reader,
      bits,
      codes,
      rowOffsets,
      tokenOffsets,
      dictBytes: dictBytes.slice(),
      dictOffsets: words(dictOffsets),
      limits,
    };
    // Without a row, to hear what is wrong with the dictionary.
    const none = { dictBytes: opened.dictBytes, dictOffsets: opened.dictOffsets, packedCodes: new Uint8Array(), bits, codeOffsets: new Uint32Array(1) };
    const starts = { tokens: tokenOffsets.start, codes: codes.start, rows: rowOffsets.start };
    return open(none, limits, starts, (column) => new OnPairFile(opened, column, codeCount));
  } finally {
    leave();
  }
}
