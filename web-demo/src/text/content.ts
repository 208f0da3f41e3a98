// Decoded content as text, in the worker: all of it, or one part of a file that seeks.
import type { DecodeStream, Format, UnspoolError } from 'unspool';
import { errorTable } from 'unspool/inspect';
import type { Content } from '../arrive/remote';
import { find, findBefore } from '../bytes/search';
import type { Ordered } from '../data/order';
import { startOf } from '../formats/start';
import type { Progress, Tell } from '../tools/progress';
import type { Part } from './parts';
import { eachEnd, RowIndex, withoutEnd } from './rows';
import { cellBytes, cellsOf, shapeOf, type Shape } from './shape';
import { Streamed, type Packed } from './streamed';
import { afterCut, beforeCut, encodingOf, Utf8Check, type Encoding } from './utf8';

/**
 * Content in memory, or its start; all of larger content, which is decoded on demand; or the number
 * of a part.
 */
export type Scope = 'kept' | 'start' | 'whole' | number;

/** A request about the content. */
export type TextWanted = { readonly scope: Scope } & (
  | { readonly about: true }
  | { readonly bytes: readonly [start: number, end: number] }
  /** Lines, or rows of the table. */
  | { readonly rows: readonly [first: number, after: number]; readonly table: boolean; readonly whole: boolean }
  /** Rows of a sorted table. */
  | { readonly picked: Uint32Array; readonly whole: boolean }
  | { readonly rowOf: number; readonly table: boolean }
  /** The order of the rows of the table by a column. */
  | { readonly order: number; readonly descending: boolean }
  | { readonly find: { readonly needle: Uint8Array<ArrayBuffer>; readonly from: number; readonly backwards: boolean } }
);

/** What content is. */
export interface Text {
  readonly size: number;
  readonly encoding: Encoding;
  /** The first byte that is not UTF-8, or -1. */
  readonly bad: number;
  readonly lines: number;
  /** The table in it, and its rows. */
  readonly shape: Shape | undefined;
  readonly rows: number;
  /** The error that ends the content, unless the file has it, too. */
  readonly error: { readonly words: string; readonly isChecksum: boolean } | undefined;
  /** True if only the start of a part is kept. */
  readonly isStart: boolean;
}

/** A line, or a row of a table. */
export interface TextRow {
  /** Its first byte in the content, and its length without its end. */
  readonly byte: number;
  readonly length: number;
  /** Its first bytes. */
  readonly bytes: Uint8Array;
  /** Its cells; `undefined` if it is no row of the table. */
  readonly cells: readonly string[] | undefined;
}

/** The open file. */
export interface Decoded {
  /** Its content in memory. */
  readonly content: Content;
  /** True if the content may end within a character. */
  readonly isCut: boolean;
  /** Its compressed bytes, and the parts of them. */
  readonly packed: Content;
  readonly parts: readonly Part[];
  /** True if the parts are not all. */
  readonly isBroken: boolean;
  readonly format: Format | undefined;
  readonly decoder: () => Promise<DecodeStream>;
}

/** Bytes that show whether content is text, and a table. */
const [SAMPLE, TABLE_SAMPLE] = [2 ** 16, 2 ** 20];
/** Bytes of the start, which are indexed in a moment. */
const START = 2 ** 20;
/** Bytes indexed at a time. */
const AT_ONCE = 2 ** 20;
/** Bytes of a line to show, and of a row of a table to read. */
const [SHOWN, READ] = [2000, 2 ** 20];
/** Decoded bytes of a part to keep. */
const KEPT = 2 ** 28;

/** Content in memory as a source of ranges. */
export function contentOf(size: number, read: (start: number, end: number) => Uint8Array): Content {
  return { size, slice: (start, end) => ({ arrayBuffer: async () => read(start, Math.min(end, size)).slice().buffer as ArrayBuffer }) };
}

/** Content that was asked for; of parts, the last. */
const open = new Map<Scope, Promise<Searchable>>();

/** Answers a request. */
export async function text(wanted: TextWanted, decoded: Decoded, tell: Tell): Promise<unknown> {
  const { scope } = wanted;
  let asked = open.get(scope);
  if (asked === undefined) {
    for (const other of open.keys()) if (typeof other === 'number') open.delete(other);
    open.set(scope, (asked = opened(scope, decoded)));
    // What failed may work the next time.
    asked.catch(() => open.delete(scope));
  }
  const found = await asked;
  const about = await found.indexed(tell);
  if ('about' in wanted) return about;
  const { content } = found;
  // Rows in sight are read meanwhile.
  const apart = content instanceof Streamed ? new Streamed(content.packed, content) : content;
  if ('order' in wanted) return found.order(apart, wanted.order, wanted.descending, tell);
  if ('find' in wanted) return (apart instanceof Streamed && wanted.find.backwards ? findBefore : find)(apart, wanted.find, tell);
  const answer = (from: Content): Promise<unknown> => {
    if ('bytes' in wanted) return bytesIn(from, ...wanted.bytes);
    if ('picked' in wanted) return found.pick(from, wanted.picked, wanted.whole);
    return 'rowOf' in wanted ? found.rowOf(from, wanted.rowOf, wanted.table) : found.list(from, ...wanted.rows, wanted.table, wanted.whole);
  };
  return content instanceof Streamed ? content.turn(answer, 'rows' in wanted || 'picked' in wanted, tell) : answer(content);
}

async function opened(scope: Scope, decoded: Decoded): Promise<Searchable> {
  const { content: kept, isCut: isCutOff } = decoded;
  if (scope === 'kept') return new Searchable(kept, { isCut: isCutOff });
  if (scope === 'start') return new Searchable({ size: Math.min(kept.size, START), slice: kept.slice }, { isCut: true, isStart: true });
  if (scope === 'whole') return new Searchable(new Streamed(packedOf(decoded)), { isCut: false });
  const { bytes, isCut } = await partIn(decoded, scope);
  const { content, error } = await startOf(bytes, await decoded.decoder(), false, KEPT);
  const part = { ...contentOf(content.length, (start, end) => content.subarray(start, end)), error };
  return new Searchable(part, { isCut: true, startOf: scope > 0 ? decoded.content : undefined, isStart: error === undefined && (isCut || content.length >= KEPT) });
}

/** Reads a part, with what a decoder needs before it. Cuts a large one. */
async function partIn({ packed, parts }: Decoded, number: number): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const part = parts[number];
  if (part === undefined) throw new RangeError(`no part ${number}`);
  const { head, start, end } = part;
  const pieces = [packed.slice(...head), packed.slice(start, Math.min(end, start + KEPT))].map((piece) => piece.arrayBuffer());
  return { bytes: new Uint8Array(await new Blob(await Promise.all(pieces)).arrayBuffer()), isCut: end - start > KEPT };
}

/** Decodes all parts; the file at once if it is one part, or broken. */
function packedOf({ packed, parts, isBroken, format, decoder }: Decoded): Packed {
  const isOne = parts.length === 0 || isBroken;
  const whole = { head: [0, 0], start: 0, end: packed.size } as const;
  // The index of xz, which ends its stream, is not in any part.
  return { content: packed, parts: isOne ? [whole] : parts, ends: isOne || format !== 'xz', decoder };
}

/** Content, with the error that ends it, and progress if reading it takes long. */
export interface Source extends Content {
  readonly error?: UnspoolError | undefined;
  readonly progress?: Progress;
}

/** What is special to content. */
export interface How {
  /** True if it may end within a character. */
  readonly isCut: boolean;
  /** Of a later part: the content that names the columns. The part may start within a row. */
  readonly startOf?: Content | undefined;
  readonly isStart?: boolean;
}

/** Content with an index of its rows. */
export class Searchable {
  #index: Promise<Text> | undefined;
  #lines = new RowIndex();
  #rows = new RowIndex();
  #shape: Shape | undefined;

  constructor(
    readonly content: Source,
    readonly how: How,
  ) {}

  /** Finds the rows, once. */
  indexed(tell: Tell): Promise<Text> {
    this.#index ??= this.#scan(tell).catch((error: unknown) => {
      // A cancelled scan starts again.
      this.#index = undefined;
      throw error;
    });
    return this.#index;
  }

  async #scan(tell: Tell): Promise<Text> {
    const { content, how: { isCut, startOf, isStart = false } } = this;
    const sample = await bytesIn(content, 0, SAMPLE);
    const skipped = startOf === undefined ? 0 : afterCut(sample);
    const encoding = encodingOf(sample.subarray(skipped), isCut || content.size > SAMPLE);
    const about = (): Text => {
      const { size, error } = content;
      const failed = error && { words: errorTable().find(({ code }) => code === error.code)?.words ?? error.message, isChecksum: error.class === 'Checksum' };
      return { size, encoding, bad: -1, lines: 0, shape: undefined, rows: 0, error: failed, isStart };
    };
    if (encoding !== 'utf-8') return about();
    const shape = await this.#shapeIn();
    const lines = new RowIndex();
    const records = shape?.kind === 'csv' ? new RowIndex(shape.delimiter.charCodeAt(0)) : lines;
    const check = new Utf8Check();
    for (let at = 0; at < content.size; at += AT_ONCE) {
      const bytes = await bytesIn(content, at, at + AT_ONCE);
      check.add(at === 0 ? bytes.subarray(skipped) : bytes);
      lines.add(bytes);
      if (records !== lines) records.add(bytes);
      await tell(content.progress ?? { done: at + AT_ONCE, total: content.size });
    }
    [this.#lines, this.#rows, this.#shape] = [lines, records, shape];
    const bad = check.end(isCut);
    return { ...about(), bad: bad < 0 ? bad : bad + skipped, lines: lines.rows, shape, rows: records.rows - headRows(shape) };
  }

  async #shapeIn(): Promise<Shape | undefined> {
    const { content, how: { isCut, startOf } } = this;
    const from = startOf ?? content;
    const shape = shapeOf(new Uint8Array(await from.slice(0, TABLE_SAMPLE).arrayBuffer()), isCut || from.size > TABLE_SAMPLE);
    return shape && { ...shape, hasHead: shape.hasHead && startOf === undefined };
  }

  /** Reads lines, or rows of the table. Cuts long ones, unless `whole`. */
  async list(content: Content, first: number, after: number, table: boolean, whole = false): Promise<TextRow[]> {
    const [index, skipped] = this.#by(table);
    const bounds = await index.bounds(content, first + skipped, Math.min(index.rows, after + skipped));
    const found: TextRow[] = [];
    for (const [at, start] of bounds.slice(0, -1).entries()) {
      const end = bounds[at + 1] ?? start;
      const read = whole ? end : Math.min(end, start + (table ? READ : SHOWN));
      // The end of a line may be after the bytes that are read.
      const last = await bytesIn(content, Math.max(start, end - 2), end);
      const length = end - start - (last.length - withoutEnd(last).length);
      const bytes = (await bytesIn(content, start, read)).subarray(0, length);
      const cells = table && this.#shape !== undefined && read === end ? cellsOf(utf8.decode(bytes), this.#shape)?.map((cell) => (whole ? cell : cut(cell))) : undefined;
      found.push({ byte: start, length, bytes: whole || length <= SHOWN ? bytes : beforeCut(bytes.slice(0, SHOWN)), cells });
    }
    return found;
  }

  /** Reads rows of the table that are anywhere, in one pass. */
  async pick(content: Content, rows: Uint32Array, whole: boolean): Promise<TextRow[]> {
    const found = new Map<number, TextRow[]>();
    for (const row of rows.slice().sort()) found.set(row, await this.list(content, row, row + 1, true, whole));
    return Array.from(rows).flatMap((row) => found.get(row) ?? []);
  }

  /** Sorts the rows of the table by a column. Reads all of them. */
  async order(content: Source, column: number, descending: boolean, tell: Tell): Promise<Ordered> {
    const { MOST_ROWS, TextKeys } = await import('../data/order');
    const [index, skipped] = this.#by(true);
    const [shape, total] = [this.#shape, index.rows - skipped];
    const texts = new TextKeys(Math.min(total, MOST_ROWS));
    const add = (row: Uint8Array, at: number): void => {
      if (at < skipped || !texts.hasRoom || shape === undefined) return;
      texts.add(cellBytes(row, shape, column) ?? encoder.encode(cellsOf(utf8.decode(row), shape)?.[column] ?? ''));
    };
    for await (const done of eachRowOf(content, index.delimiter, add)) {
      await tell(content.progress ?? { done, total: content.size });
      if (!texts.hasRoom) break;
    }
    return { rows: texts.sorted(descending, true), total };
  }

  /** Returns the line or the row of a byte; -1 for the names of the columns. */
  async rowOf(content: Content, byte: number, table: boolean): Promise<number> {
    const [index, skipped] = this.#by(table);
    return (await index.rowOf(content, byte)) - skipped;
  }

  #by(table: boolean): [index: RowIndex, skipped: number] {
    return table ? [this.#rows, headRows(this.#shape)] : [this.#lines, 0];
  }
}

async function bytesIn(content: Content, start: number, end: number): Promise<Uint8Array> {
  return new Uint8Array(await content.slice(start, end).arrayBuffer());
}

/** Reads all rows of content, in order. Yields the number of bytes read. */
async function* eachRowOf(content: Content, delimiter: number | undefined, add: (row: Uint8Array, at: number) => void): AsyncGenerator<number> {
  let [state, row] = [0, 0];
  /** The start of a row whose end is not read. */
  let open: Uint8Array = new Uint8Array();
  for (let at = 0; at < content.size; at += AT_ONCE) {
    const bytes = await bytesIn(content, at, Math.min(content.size, at + AT_ONCE));
    let from = 0;
    state = eachEnd(bytes, state, delimiter, (end) => {
      const part = bytes.subarray(from, end + 1);
      add(withoutEnd(from === 0 ? joined(open, part) : part), row++);
      from = end + 1;
      return false;
    });
    open = from === 0 ? joined(open, bytes) : bytes.subarray(from);
    yield at + bytes.length;
  }
  if (open.length > 0) add(open, row);
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other;
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}

function headRows(shape: Shape | undefined): number {
  return shape?.hasHead === true ? 1 : 0;
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

function cut(cell: string): string {
  return cell.length > SHOWN ? `${cell.slice(0, SHOWN)}…` : cell;
}
