// Compares the decoded values of two files, piece by piece. Nothing is kept but the differences.
import type { OpenFile } from '../client';
import { exact, hex, visibleText } from '../format';
import type { Column, Report, Summary } from '../model';
import type { Progress } from '../tools/progress';
import { NOTHING_ASKED } from '../values';
import { compare as words } from '../words';

/** One side of a comparison. */
export interface Side {
  readonly file: OpenFile;
  readonly report: Report;
}

/** A place where two columns differ. A value that one of them does not have is `undefined`. */
export interface Difference {
  /** The row, or the byte. */
  readonly at: number;
  /** The value within the row, if it has several. */
  readonly place: number | undefined;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

/** The differences between two columns, or between two contents. */
export interface Compared {
  readonly name: string;
  /** Number of rows or bytes of each; `undefined` if the file has no such column. */
  readonly a: number | undefined;
  readonly b: number | undefined;
  /** False if only one file has the column, or the rows differ in length. */
  readonly comparable: boolean;
  /** What was not compared, and why; or an empty string. */
  readonly note: string;
  /** Number of rows or bytes that differ, including those that only one has. */
  readonly differ: number;
  /** The largest difference of two numbers; 0 for other values. */
  readonly most: number;
  /** The first differences. */
  readonly first: readonly Difference[];
}

/** Cancellation and progress. */
export interface Watch {
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
}

/** Differences listed per column; the others are counted. */
const LISTED = 10_000;
/** Numbers or bytes compared at a time. */
const AT_ONCE = 1 << 17;
/** Rows of strings compared at a time, and rows of tables compared at all. */
const [STRINGS, TABLE] = [1 << 13, 100_000];

/** Compares the files byte for byte. */
export async function areIdentical({ file: { source: one } }: Side, { file: { source: other } }: Side, { signal }: Watch): Promise<boolean> {
  if (one.size !== other.size) return false;
  for (let at = 0; at < one.size; at += CHUNK) {
    const [left, right] = await Promise.all([one, other].map(async (source) => new Uint8Array(await source.slice(at, Math.min(source.size, at + CHUNK)).arrayBuffer())));
    signal.throwIfAborted();
    if (left === undefined || right === undefined || firstDifference(left, right) < left.length) return false;
  }
  return true;
}

/** Bytes of a file read at a time. */
const CHUNK = 1 << 22;

/** Compares all values. An empty list means that the files hold different kinds of values. */
export async function compareValues(a: Side, b: Side, watch: Watch): Promise<Compared[]> {
  const [one, other] = [a.report.summary, b.report.summary];
  if (one === undefined || other === undefined || one.shows !== other.shows) return [];
  switch (one.shows) {
    case 'numbers': return compareColumns(a, one, b, other, watch);
    case 'strings': return [await compareStrings(a, one, b, other, watch)];
    case 'bytes': return [await compareBytes(a, one, b, other, watch)];
    case 'table': return compareTables(a, one, b, other);
  }
}

/** A list of differences that grows. */
class Differences {
  readonly first: Difference[] = [];
  differ = 0;
  most = 0;

  constructor(readonly name: string, readonly a: number | undefined, readonly b: number | undefined, readonly note = '', readonly comparable = true) {}

  add(at: number, place: number | undefined, a: string | undefined, b: string | undefined): void {
    if (this.first.length < LISTED) this.first.push({ at, place, a, b });
  }
}

async function compareColumns(a: Side, one: Summary, b: Side, other: Summary, watch: Watch): Promise<Compared[]> {
  const pairs = pairsOf(one.columns, other.columns);
  const both = pairs.filter(([left, right]) => left !== undefined && right !== undefined);
  const found: Compared[] = [];
  for (const [left, right] of pairs) {
    const [first, second] = [one.columns[left ?? -1], other.columns[right ?? -1]];
    const [rows, others] = [first && (first.rows ?? one.rows), second && (second.rows ?? other.rows)];
    const name = first?.name || second?.name || words.unnamed;
    if (first === undefined || second === undefined || left === undefined || right === undefined) {
      found.push(new Differences(name, rows, others, words.onlyOne, false));
      continue;
    }
    if (first.dimension !== second.dimension) {
      found.push(new Differences(name, rows, others, words.dimensions(first.dimension, second.dimension), false));
      continue;
    }
    const before = both.findIndex(([column]) => column === left);
    const tell = (done: number, total: number): void => watch.tell({ done: before * total + done, total: both.length * Math.max(1, total) });
    found.push(await compareNumbers(new Differences(name, rows, others), a, left, b, right, first.dimension, one.chunkEnds ?? [], { signal: watch.signal, tell }));
  }
  return found;
}

/** Pairs columns by name; a single one with a single other, whatever they are called. */
function pairsOf(one: readonly Column[], other: readonly Column[]): (readonly [number | undefined, number | undefined])[] {
  if (one.length === 1 && other.length === 1) return [[0, 0]];
  const places = (columns: readonly Column[]): Map<string, number> => {
    const seen = new Map<string, number>();
    for (const [at, { name }] of columns.entries()) seen.set(seen.has(name) ? `${name} ${at}` : name, at);
    return seen;
  };
  const [left, right] = [places(one), places(other)];
  return [
    ...Array.from(left, ([name, at]) => [at, right.get(name)] as const),
    ...Array.from(right).flatMap(([name, at]) => (left.has(name) ? [] : [[undefined, at] as const])),
  ];
}

async function compareNumbers(found: Differences, a: Side, left: number, b: Side, right: number, dimension: number, ends: readonly number[], { signal, tell }: { signal: AbortSignal; tell: (done: number, total: number) => void }): Promise<Compared> {
  const [rows, others] = [found.a ?? 0, found.b ?? 0];
  const common = Math.min(rows, others);
  const step = Math.max(1, Math.floor(AT_ONCE / Math.max(1, dimension)));
  for (let [start, at] = [0, 0]; start < common && dimension > 0; ) {
    // A chunk is decoded as a whole: reading a part of one would decode it again.
    while ((ends[at] ?? common) < start + step && at < ends.length) at++;
    const end = Math.min(common, Math.max(ends[at] ?? 0, start + step));
    const [one, other] = await Promise.all([a.file.rows(left, start, end), b.file.rows(right, start, end)]);
    signal.throwIfAborted();
    compareRows(found, one.data, other.data, start, dimension);
    start = end;
    tell(start, common);
  }
  addRest(found, common);
  return found;
}

function compareRows(found: Differences, one: ArrayLike<number | bigint>, other: ArrayLike<number | bigint>, start: number, dimension: number): void {
  let last = -1;
  for (let at = 0; at < one.length; at++) {
    const [left, right] = [one[at] ?? NaN, other[at] ?? NaN];
    // `==` compares integers of any width with floats, and zeros of both signs are one number.
    if (left == right || (left !== left && right !== right)) continue;
    const row = Math.floor(at / dimension);
    if (row !== last) found.differ++;
    last = row;
    const apart = Math.abs(Number(left) - Number(right));
    if (apart > found.most) found.most = apart;
    found.add(start + row, dimension > 1 ? at % dimension : undefined, exact(left), exact(right));
  }
}

/** Counts the rows that only one of the files has. */
function addRest(found: Differences, common: number): void {
  found.differ += Math.max(found.a ?? 0, found.b ?? 0) - common;
}

async function compareStrings(a: Side, one: Summary, b: Side, other: Summary, { signal, tell }: Watch): Promise<Compared> {
  const found = new Differences(words.rows, one.rows, other.rows);
  const common = Math.min(one.rows, other.rows);
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let start = 0; start < common; start += STRINGS) {
    const end = Math.min(common, start + STRINGS);
    const [left, right] = await Promise.all([a.file.strings(start, end), b.file.strings(start, end)]);
    signal.throwIfAborted();
    for (let row = 0; row < end - start; row++) {
      const [mine, theirs] = [left, right].map(({ bytes, offsets }) => bytes.subarray(offsets[row] ?? 0, offsets[row + 1] ?? 0));
      if (mine === undefined || theirs === undefined || (mine.length === theirs.length && firstDifference(mine, theirs) === mine.length)) continue;
      found.differ++;
      if (found.first.length < LISTED) found.add(start + row, undefined, shortened(text.decode(mine)), shortened(text.decode(theirs)));
    }
    tell({ done: end, total: common });
  }
  addRest(found, common);
  return found;
}

/** Letters of a value that are shown. */
const LETTERS = 400;

function shortened(text: string): string {
  return text.length > LETTERS ? `${text.slice(0, LETTERS)}…` : text;
}

/** Returns the length of the common start of two arrays. */
export function firstDifference(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return at;
  return length;
}

/** Bytes of a difference that are shown. */
const SHOWN = 48;
/** Equal bytes that end a difference. */
const APART = 8;

/**
 * Compares content. If one is longer, the bytes between the common start and the common end are one
 * difference: bytes were inserted or removed.
 */
async function compareBytes(a: Side, one: Summary, b: Side, other: Summary, { signal, tell }: Watch): Promise<Compared> {
  const [length, others] = [one.decoded, other.decoded];
  const found = new Differences(words.content, length, others);
  const common = Math.min(length, others);
  const read = async (start: number, end: number, back = false): Promise<readonly [Uint8Array, Uint8Array]> => {
    const pieces = await Promise.all([a.file.bytes(back ? length - end : start, back ? length - start : end), b.file.bytes(back ? others - end : start, back ? others - start : end)]);
    signal.throwIfAborted();
    return pieces;
  };
  /** Adds a difference from `start` on, of these lengths. */
  const add = async (start: number, left: number, right: number): Promise<void> => {
    if (found.first.length >= LISTED) return;
    const [mine, theirs] = await Promise.all([a.file.bytes(start, start + Math.min(SHOWN, left)), b.file.bytes(start, start + Math.min(SHOWN, right))]);
    found.add(start, undefined, textOf(mine, left), textOf(theirs, right));
  };
  if (length !== others) {
    let start = common;
    for (let at = 0; at < common; at += AT_ONCE) {
      const [left, right] = await read(at, Math.min(common, at + AT_ONCE));
      const place = firstDifference(left, right);
      tell({ done: at, total: common });
      if (place === left.length) continue;
      start = at + place;
      break;
    }
    let end = 0;
    for (let at = 0; at < common - start; at += AT_ONCE) {
      const [left, right] = await read(at, Math.min(common - start, at + AT_ONCE), true);
      const place = firstDifference(left.reverse(), right.reverse());
      end = at + place;
      if (place < left.length) break;
    }
    const [mine, theirs] = [length - start - end, others - start - end];
    found.differ = Math.max(mine, theirs);
    await add(start, mine, theirs);
    return found;
  }
  let [from, last] = [-1, -1];
  for (let at = 0; at < common; at += AT_ONCE) {
    const [left, right] = await read(at, Math.min(common, at + AT_ONCE));
    for (let place = 0; place < left.length; place++) {
      if (left[place] === right[place]) continue;
      found.differ++;
      if (from >= 0 && at + place - last > APART) {
        await add(from, last + 1 - from, last + 1 - from);
        from = -1;
      }
      if (from < 0) from = at + place;
      last = at + place;
    }
    tell({ done: Math.min(common, at + AT_ONCE), total: common });
  }
  if (from >= 0) await add(from, last + 1 - from, last + 1 - from);
  return found;
}

/** Shows bytes as text if they are text, else in hexadecimal. */
function textOf(bytes: Uint8Array, length: number): string | undefined {
  if (length === 0) return undefined;
  const more = length > bytes.length ? '…' : '';
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: more !== '' });
    if (!/[^\P{C}\t\n\r\p{Cf}]/u.test(text)) return visibleText(text) + more;
  } catch {
    // Binary content.
  }
  return Array.from(bytes, (byte) => hex(byte, 2)).join(' ') + more;
}

/** Compares the rows of two tables, up to a limit, by the names of their columns. */
async function compareTables(a: Side, one: Summary, b: Side, other: Summary): Promise<Compared[]> {
  const question = { ...NOTHING_ASKED, limit: TABLE };
  const [left, right] = await Promise.all([a.file.query(question), b.file.query(question)]);
  const [names, others] = [one, other].map(({ table }) => (table?.columns ?? []).map(({ name }) => name));
  const all = [...new Set([...(names ?? []), ...(others ?? [])])];
  return all.map((name) => {
    const [mine, theirs] = [names?.indexOf(name) ?? -1, others?.indexOf(name) ?? -1];
    if (mine < 0 || theirs < 0) return new Differences(name, mine < 0 ? undefined : one.rows, theirs < 0 ? undefined : other.rows, words.onlyOne, false);
    const found = new Differences(name, one.rows, other.rows, Math.max(one.rows, other.rows) > TABLE ? words.firstRows(TABLE) : '');
    for (let row = 0; row < Math.max(left.rows.length, right.rows.length); row++) {
      const [value, counterpart] = [left.rows[row]?.[mine], right.rows[row]?.[theirs]];
      if (value === counterpart) continue;
      found.differ++;
      found.add(row, undefined, value, counterpart);
    }
    return found;
  });
}
