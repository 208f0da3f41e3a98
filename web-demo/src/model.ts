// What the worker reports about a file, and lookups for the views.
import type { At1Columns } from './values';
import type { Format, ZstdFormat } from 'unspool';
import * as Name from 'unspool/names';
import { nodeAt, type Node, type Structure } from 'unspool/inspect';

/** An error as the worker reports it. */
export interface Fault {
  readonly name: string;
  readonly class: string;
  readonly code: number;
  readonly offset: number;
  readonly need: number;
  readonly message: string;
  /** The message without class and offset. */
  readonly words: string;
  /** The structure around the error, if known. */
  readonly part: string | undefined;
}

export interface Column {
  readonly name: string;
  readonly dimension: number;
  readonly dtype: string;
  readonly compression: string;
  /** Number of rows, if columns differ in it. */
  readonly rows?: number;
}

/** Summary of the content. */
export interface Summary {
  readonly version: string;
  /** Facts to show after the size, in order. */
  readonly facts: readonly (readonly [term: string, fact: string])[];
  readonly rows: number;
  /** Columns of numbers; empty if the rows are strings. */
  readonly columns: readonly Column[];
  /** End row of each chunk, if all columns share them. */
  readonly chunkEnds?: readonly number[];
  /** The view for the values. */
  readonly shows: 'numbers' | 'strings' | 'bytes' | 'table';
  /** Named ranges of rows, with the writer's notes. */
  readonly sections?: readonly { readonly start: number; readonly end: number; readonly note: string }[];
  /** The table that can be queried. */
  readonly table?: At1Columns;
  /** True if the file has checksums; `undefined` if its format never has. */
  readonly hasChecksums: boolean | undefined;
  /** Decoded size in bytes. */
  readonly decoded: number;
  /** The content is incomplete: the file is broken after this byte, where it could end. */
  readonly brokenFrom?: number;
  /** The content is incomplete: the file is large, and only its start was decoded. */
  readonly startOnly?: boolean;
  /** Only the hash is wrong, and the file was decoded without it. */
  readonly unhashed?: boolean;
  /** Flavour of Zstandard, which a stream must know. */
  readonly zstd?: ZstdFormat | undefined;
}

/** The structure, with indexes for lookups. */
export interface Model {
  readonly structure: Structure;
  /** Group of each node; -1 at the top. */
  readonly parent: Int32Array;
  /** Index after the last descendant of each node. */
  readonly after: Uint32Array;
  /** Fields in the order of their bytes. */
  readonly leaves: Uint32Array;
  /** Bits of each of `structure.parts`; the last entry counts bits outside any field. */
  readonly totals: readonly number[];
  /** Fields of each of `structure.parts`. */
  readonly counts: readonly number[];
}

/** Result of decoding a whole file that was not read as a whole before. */
export interface Verdict {
  readonly error: Fault | undefined;
  /** Decoded bytes; 0 if unknown. */
  readonly decoded: number;
  /** Rows that cannot be decoded. */
  readonly badRows: number;
  /** Bytes after the end, which are not part of the file. */
  readonly extra: number;
}

/** Everything about a file. */
export interface Report {
  /** False if only the values were decoded. The structure follows when something shows it. */
  readonly inspected: boolean;
  /** True if the file holds bytes that are text. */
  readonly isText: boolean;
  /** The bytes of the structure: the file, or its gzip content. */
  readonly content: Blob | undefined;
  /** The dictionary that it was opened with: its file name, and its ID if it has one. */
  readonly lent: { readonly name: string; readonly id: number | undefined } | undefined;
  /** Length of the gzip file around it. */
  readonly wrapped: number | undefined;
  /**
   * What was read: everything; for a large file, its header, and values on demand; its headers
   * only; everything in pieces, none of which was kept; or this many bytes from its start.
   */
  readonly read: 'all' | 'values' | 'headers' | 'pieces' | number;
  readonly format: Format | undefined;
  /**
   * Flavour of Zstandard, for files that were read as a whole: two of the three share each magic
   * number.
   */
  readonly zstd?: ZstdFormat | undefined;
  /** Number of parts that decode by themselves; 0 if the file is one. */
  readonly parts: number;
  /** Format of the decoded content, if it is itself a known file. */
  readonly within: Format | undefined;
  readonly size: number;
  readonly model: Model;
  readonly summary: Summary | undefined;
  /** True if there are tables or symbols to show, or nobody has looked yet. */
  readonly hasCodec: boolean;
  readonly error: Fault | undefined;
  readonly checksums: { readonly right: number; readonly wrong: number; readonly unchecked: number };
}

/**
 * Returns the number of chunks not listed yet: the header of CVC has their count, and each chunk
 * leads to the next. In a broken file, they were listed up to the error.
 */
export function unlisted({ read, model, summary, error }: Report): number {
  return read !== 'values' || error !== undefined || model.totals.at(-1) === 0 ? 0 : (summary?.chunkEnds?.length ?? 0);
}

export function buildModel(structure: Structure, size: number): Model {
  const { length, start, end, depth, part } = structure;
  const parent = new Int32Array(length).fill(-1);
  const after = new Uint32Array(length).fill(length);
  const open: number[] = [];
  const totals: number[] = Array<number>(structure.parts.length + 1).fill(0);
  const counts: number[] = Array<number>(structure.parts.length).fill(0);
  const leaves = new Uint32Array(length);
  let count = 0;
  let last = 0;
  let inOrder = true;
  for (let at = 0; at < length; at++) {
    while (open.length > (depth[at] ?? 0)) {
      const closed = open.pop();
      if (closed !== undefined) after[closed] = at;
    }
    parent[at] = open.at(-1) ?? -1;
    open.push(at);
    const [from = 0, to = 0, kind = 255] = [start[at], end[at], part[at]];
    if (kind === 255 || to <= from) continue;
    // The last field of a truncated file reaches beyond its end.
    totals[kind] = (totals[kind] ?? 0) + Math.max(0, Math.min(to, 8 * size) - from);
    counts[kind] = (counts[kind] ?? 0) + 1;
    leaves[count++] = at;
    inOrder &&= from >= last;
    last = from;
  }
  const ordered = leaves.slice(0, count);
  if (!inOrder) ordered.sort((a, b) => (start[a] ?? 0) - (start[b] ?? 0));
  const understood = totals.reduce((sum, bits) => sum + bits, 0);
  totals[structure.parts.length] = Math.max(0, size * 8 - understood);
  return { structure, parent, after, leaves: ordered, totals, counts };
}

/** Returns the field that holds a byte, or -1; the last one if several do. */
export function leafAt(model: Model, byte: number): number {
  for (let bit = 8 * byte + 7; bit >= 8 * byte; bit--) {
    const leaf = leafAtBit(model, bit);
    if (leaf >= 0) return leaf;
  }
  return -1;
}

/** Returns the corresponding node in a fuller structure of the same file, or -1. */
export function sameNode(from: Model, node: number, to: Model): number {
  const [old, structure] = [from.structure, to.structure];
  const [start, depth] = [old.start[node], old.depth[node]];
  for (let at = 0; at < structure.length; at++) {
    if (structure.start[at] === start && structure.depth[at] === depth && structure.name[at] === old.name[node]) return at;
  }
  return -1;
}

/** Returns the field that holds a bit, or -1. The lowest bit of a byte is its first. */
export function leafAtBit({ structure, leaves }: Model, bit: number): number {
  let [low, high] = [0, leaves.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((structure.start[leaves[middle] ?? 0] ?? 0) <= bit) low = middle + 1;
    else high = middle;
  }
  const leaf = leaves[low - 1];
  return leaf !== undefined && (structure.end[leaf] ?? 0) > bit ? leaf : -1;
}

/**
 * Returns the node that an error at a byte is about, or -1. If all bytes were understood, it is the
 * part that starts at the byte. Else it is the part that was being read.
 */
export function brokenAt(model: Model, byte: number): number {
  const { structure, parent, totals } = model;
  let node = leafAt(model, byte);
  const last = structure.length - 1;
  // An empty group has just been entered.
  if (node < 0) return last >= 0 && isGroup(model, last) ? last : (parent[last] ?? -1);
  if (totals.at(-1) !== 0) return node;
  for (let up = parent[node] ?? -1; up >= 0 && structure.start[up] === structure.start[node]; up = parent[node] ?? -1) node = up;
  return node;
}

/**
 * Returns the node that was being read when the file ended, or -1: the last group entered, or the
 * part that the error names. Without a named part, it is the field that the end cuts. The field
 * before may be intact.
 */
export function cutAt(model: Model, { part }: Pick<Fault, 'part'>, size: number): number {
  const { structure, parent } = model;
  const last = structure.length - 1;
  const byte = size - 1;
  if (last >= 0 && isGroup(model, last) && (structure.end[last] ?? 0) <= (structure.start[last] ?? 0)) return last;
  if (part === undefined) {
    const leaf = leafAt(model, byte);
    const endsThere = leaf >= 0 && (parent[leaf] ?? -1) >= 0 && structure.end[leaf] === 8 * size;
    return endsThere ? -1 : brokenAt(model, byte);
  }
  // The error names the path to the part. Its length is its depth, whatever the names are.
  const depth = part.split(PATH).length - 1;
  for (let at = last; at >= 0; at = parent[at] ?? -1) if (structure.depth[at] === depth) return at;
  return brokenAt(model, byte);
}

/**
 * Returns the bytes that a mismatching checksum covers: those of its group. It cannot tell which of
 * them are wrong. `undefined` if the tree does not show them.
 */
export function coveredBy(model: Model, { name, offset, part }: Fault): readonly [start: number, end: number] | undefined {
  const { structure, parent } = model;
  const leaf = leafAt(model, offset);
  if (leaf < 0 || structure.parts[structure.part[leaf] ?? 255] !== 'checksum') {
    // The group that was being read, as far as it was read.
    const [start] = bytesOf(model, brokenAt(model, offset));
    return part !== undefined && leaf < 0 && start < offset ? [start, offset] : undefined;
  }
  const [first, after] = bytesOf(model, leaf);
  const group = parent[leaf] ?? -1;
  const [start, end] = group < 0 ? [0, after] : bytesOf(model, group);
  if (!OF_HEADERS.has(name)) return [start, end];
  // A header and its checksum start their group; only a footer has its checksum first.
  return structure.name[leaf] === Name.FooterCrc32 ? [first, end] : [start, after];
}

/** Checksums of headers, indexes and footers. */
const OF_HEADERS: ReadonlySet<string> = new Set(['XzHeaderCrc', 'GzipHeaderCrc']);

/** Returns `true` if a node is a group. */
export function isGroup({ structure }: Model, node: number): boolean {
  return structure.part[node] === 255;
}

/** Returns the first byte of a node, and the byte after its last one. */
export function bytesOf({ structure }: Model, node: number): [start: number, end: number] {
  return [Math.floor((structure.start[node] ?? 0) / 8), Math.ceil((structure.end[node] ?? 0) / 8)];
}

/** Returns `true` if a node starts or ends within a byte. */
export function cutsBytes({ structure }: Model, node: number): boolean {
  return (structure.start[node] ?? 0) % 8 !== 0 || (structure.end[node] ?? 0) % 8 !== 0;
}

/**
 * Returns `true` if a checksum over the decoded content does not match. Chunks of CVC with a wrong
 * one are not decoded, and the checksums of headers do not cover the content.
 */
export function doubtful({ error, format }: Pick<Report, 'error' | 'format'>): boolean {
  return error?.class === 'Checksum' && format !== 'cvc' && !OF_HEADERS.has(error.name);
}

/** Separates the names of a path. */
export const PATH = ' › ';

/** Returns a node and the groups around it, outermost first. */
export function pathTo(model: Model, node: number): Node[] {
  return pathIn(model, node).map((at) => nodeAt(model.structure, at));
}

function pathIn({ parent }: Model, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = parent[at] ?? -1) path.unshift(at);
  return path;
}

/** Returns `true` if a node is in the first block of a Zstandard frame. */
export function inFirstBlock(model: Model, node: number): boolean {
  const path = pathIn(model, node);
  const named = (at: number, id: number): boolean => model.structure.name[at] === id;
  const [frame, block] = [path.find((at) => named(at, Name.Frame)), path.find((at) => named(at, Name.Block))];
  if (frame === undefined || block === undefined) return false;
  for (let at = frame + 1; at < block; at++) if (model.parent[at] === frame && named(at, Name.Block)) return false;
  return true;
}

/** Returns `true` for punctuation between the fields of a JSON header. */
export function isNoise({ structure }: Model, node: number): boolean {
  return structure.part[node] !== 255 && structure.name[node] === Name.Json;
}

/** Returns the visible nodes if only these groups are open. Of noise, only nodes in `kept`. */
export function visibleNodes(model: Model, open: ReadonlySet<number>, kept: readonly number[]): Uint32Array {
  const { structure, after } = model;
  const visible = new Uint32Array(structure.length);
  let count = 0;
  for (let at = 0; at < structure.length; ) {
    if (!isNoise(model, at) || kept.includes(at)) visible[count++] = at;
    at = structure.part[at] !== 255 || open.has(at) ? at + 1 : (after[at] ?? structure.length);
  }
  return visible.slice(0, count);
}

/** Maximum size of a small structure. */
const SMALL = 40;

/**
 * Returns the groups to open at first: all of a small file, else those at the top that stay short.
 */
export function openAtFirst(model: Model): Set<number> {
  const { structure, after } = model;
  if (structure.length <= SMALL) return new Set(Array.from({ length: structure.length }, (_, at) => at).filter((at) => isGroup(model, at)));
  const open = new Set<number>();
  let lines = 0;
  for (let at = 0; at < structure.length; at++) {
    const inside = (after[at] ?? 0) - at;
    if (structure.part[at] === 255 && (structure.depth[at] ?? 0) === 0 && inside < 4000 && lines < 60) {
      open.add(at);
      lines += 8;
    }
  }
  return open;
}
