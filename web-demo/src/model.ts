// What the worker finds out about a file, and what the views look up in it.
import { heldBy, whichOf } from './format';
import type { At1Columns } from './values';
import type { Format, ZstdFormat } from 'unspool';
import * as Name from 'unspool/names';
import { nodeAt, type Node, type Structure } from 'unspool/structure';

/** An error as it comes out of the worker. */
export interface Fault {
  readonly name: string;
  readonly class: string;
  readonly code: number;
  readonly offset: number;
  readonly need: number;
  readonly message: string;
  /** The message without the class and the place. */
  readonly words: string;
  /** In which part of the structure it lies, if that is known. */
  readonly part: string | undefined;
}

export interface Column {
  readonly name: string;
  readonly dimension: number;
  readonly dtype: string;
  readonly compression: string;
  /** How many rows it has, where not every column has as many. */
  readonly rows?: number;
}

/** What the file says of itself. */
export interface Summary {
  readonly version: string;
  /** What stands beside the size, in this order. */
  readonly facts: readonly (readonly [term: string, fact: string])[];
  readonly rows: number;
  /** Numbers to show; none where the rows are strings. */
  readonly columns: readonly Column[];
  /** The row behind the last one of each chunk, where every column has the same. */
  readonly chunkEnds?: readonly number[];
  /** Which view the values have. */
  readonly shows: 'numbers' | 'strings' | 'bytes' | 'table';
  /** Stretches of rows that the writer named, with what it noted of them. */
  readonly sections?: readonly { readonly start: number; readonly end: number; readonly note: string }[];
  /** The table that can be asked. */
  readonly table?: At1Columns;
  /** Whether the format has checksums; `undefined` where it never has. */
  readonly hasChecksums: boolean | undefined;
  /** Bytes that everything takes when decoded. */
  readonly decoded: number;
  /** That is not everything: the file is broken behind this byte, at which it could end. */
  readonly brokenFrom?: number;
  /** That is not everything: the file is large, and more was not decoded. */
  readonly startOnly?: boolean;
  /** What breaks is the hash alone, and the file is decoded without it. */
  readonly unhashed?: boolean;
  /** Which of the three Zstandards it is in: a stream has to be told. */
  readonly zstd?: ZstdFormat | undefined;
}

/** The structure with what makes it quick to walk. */
export interface Model {
  readonly structure: Structure;
  /** The group that each node lies in; -1 at the top. */
  readonly parent: Int32Array;
  /** The node behind the last one inside of each node. */
  readonly behind: Uint32Array;
  /** Fields in the order of their bytes. */
  readonly leaves: Uint32Array;
  /** Bits for each of `structure.parts`, and last those that nobody understood. */
  readonly totals: readonly number[];
  /** Fields of each of `structure.parts`. */
  readonly counts: readonly number[];
}

/** Everything about a file. */
export interface Report {
  /** What the structure is of: the file, or what was wrapped in it. */
  readonly content: Blob | undefined;
  /** The dictionary that it was opened with: the name of its file, and the number that frames call it by, if it has one. */
  readonly lent: { readonly name: string; readonly id: number | undefined } | undefined;
  /** How long the gzip file was that this lay in. */
  readonly wrapped: number | undefined;
  /**
   * What was read: everything; of a large file its header, and of its values those that are looked at; or all headers and nothing else; or everything,
   * piece by piece, of which nothing was kept; or just so many bytes from its start.
   */
  readonly read: 'all' | 'values' | 'headers' | 'pieces' | number;
  readonly format: Format | undefined;
  /** Which of the three Zstandards it is in, two of which share each magic number; told of files that were read as a whole. */
  readonly zstd?: ZstdFormat | undefined;
  /** The format of what it decodes to, if that is another file of those that the page knows. */
  readonly within: Format | undefined;
  readonly size: number;
  readonly model: Model;
  readonly summary: Summary | undefined;
  readonly error: Fault | undefined;
  readonly checksums: { readonly right: number; readonly wrong: number; readonly unchecked: number };
}

/**
 * How many chunks may still be listed: the header of CVC tells how many there are, and each chunk where the next one is. Of a file that is broken they
 * were, as far as it goes.
 */
export function unlisted({ read, model, summary, error }: Report): number {
  return read !== 'values' || error !== undefined || model.totals.at(-1) === 0 ? 0 : (summary?.chunkEnds?.length ?? 0);
}

/** The structure of the head of a file, without the groups that start behind it. */
export function withoutEmptyEnd(structure: Structure): Structure {
  let { length } = structure;
  while (length > 0 && structure.part[length - 1] === 255 && (structure.end[length - 1] ?? 0) <= (structure.start[length - 1] ?? 0)) length--;
  return { ...structure, length };
}

export function buildModel(structure: Structure, size: number): Model {
  const { length, start, end, depth, part } = structure;
  const parent = new Int32Array(length).fill(-1);
  const behind = new Uint32Array(length).fill(length);
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
      if (closed !== undefined) behind[closed] = at;
    }
    parent[at] = open.at(-1) ?? -1;
    open.push(at);
    const [from = 0, to = 0, kind = 255] = [start[at], end[at], part[at]];
    if (kind === 255 || to <= from) continue;
    // Of a file that was cut short, the last field reaches beyond its end.
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
  return { structure, parent, behind, leaves: ordered, totals, counts };
}

/** The field that a byte lies in, or -1; of several, the last one. */
export function leafAt(model: Model, byte: number): number {
  for (let bit = 8 * byte + 7; bit >= 8 * byte; bit--) {
    const leaf = leafAtBit(model, bit);
    if (leaf >= 0) return leaf;
  }
  return -1;
}

/** The node of a fuller structure of the same file that stands where this one does, or -1. */
export function sameNode(from: Model, node: number, to: Model): number {
  const [old, structure] = [from.structure, to.structure];
  const [start, depth] = [old.start[node], old.depth[node]];
  for (let at = 0; at < structure.length; at++) {
    if (structure.start[at] === start && structure.depth[at] === depth && structure.name[at] === old.name[node]) return at;
  }
  return -1;
}

/** The field that a bit lies in, or -1. The lowest bit of a byte is its first. */
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
 * The node that an error at a byte is about, or -1. A file of which every byte was understood is wrong in what a part of it holds: that part starts at the
 * byte. Where nothing was understood, it is the part that was being read.
 */
export function brokenAt(model: Model, byte: number): number {
  const { structure, parent, totals } = model;
  let node = leafAt(model, byte);
  const last = structure.length - 1;
  // A group with nothing in it has just been entered.
  if (node < 0) return last >= 0 && isGroup(model, last) ? last : (parent[last] ?? -1);
  if (totals.at(-1) !== 0) return node;
  for (let up = parent[node] ?? -1; up >= 0 && structure.start[up] === structure.start[node]; up = parent[node] ?? -1) node = up;
  return node;
}

/**
 * The node that was being read when the file ended, or -1. That is not the field before, which may be sound: it is the group that was entered last, or the
 * part that the error names. Where the error names none, it is the field that the end cuts through, if there is one.
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
  for (let at = last; at >= 0; at = parent[at] ?? -1) {
    // An error names a group with its value, and a field without.
    if (pathTo(model, at).map(({ name, value, part }) => (part === undefined ? `${name} ${value}`.trim() : name)).join(' › ') === part) return at;
  }
  return brokenAt(model, byte);
}

/**
 * The first byte that a checksum covers which does not match, and the byte behind the last one: those of the group that it stands in, of which it cannot
 * tell which ones are wrong. `undefined` where the tree does not tell.
 */
export function coveredBy(model: Model, { name, offset, part }: Fault): readonly [start: number, end: number] | undefined {
  const { structure, parent } = model;
  const leaf = leafAt(model, offset);
  if (leaf < 0 || structure.parts[structure.part[leaf] ?? 255] !== 'checksum') {
    // The group that was being read, of which this is as much as was read of it.
    const [start] = bytesOf(model, brokenAt(model, offset));
    return part !== undefined && leaf < 0 && start < offset ? [start, offset] : undefined;
  }
  const [first, behind] = bytesOf(model, leaf);
  const group = parent[leaf] ?? -1;
  const [start, end] = group < 0 ? [0, behind] : bytesOf(model, group);
  if (!name.includes('Header')) return [start, end];
  // A header and its checksum are the start of their group; only a footer has its checksum before it.
  return structure.name[leaf] === Name.FooterCrc32 ? [first, end] : [start, behind];
}

/** Whether a node contains others. */
export function isGroup({ structure }: Model, node: number): boolean {
  return structure.part[node] === 255;
}

/** First byte of a node, and the byte behind its last one. */
export function bytesOf({ structure }: Model, node: number): [start: number, end: number] {
  return [Math.floor((structure.start[node] ?? 0) / 8), Math.ceil((structure.end[node] ?? 0) / 8)];
}

/** Whether a node starts or ends within a byte. */
export function cutsBytes({ structure }: Model, node: number): boolean {
  return (structure.start[node] ?? 0) % 8 !== 0 || (structure.end[node] ?? 0) % 8 !== 0;
}

/** A node and the groups around it, outermost first. */
export function pathTo(model: Model, node: number): Node[] {
  return pathIn(model, node).map((at) => nodeAt(model.structure, at));
}

function pathIn({ parent }: Model, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = parent[at] ?? -1) path.unshift(at);
  return path;
}

/** What a node and the groups around it are called, outermost first. */
export function placeOf(model: Model, node: number): string {
  return pathTo(model, node).map(({ id, name, value, part }) => `${name} ${part === undefined ? whichOf(id, value) : heldBy(id, value)}`.trim()).join(' › ');
}

/** Whether nothing but its first block of a Zstandard frame was read up to a node in it. */
export function inFirstBlock(model: Model, node: number): boolean {
  const path = pathIn(model, node);
  const named = (at: number, id: number): boolean => model.structure.name[at] === id;
  const [frame, block] = [path.find((at) => named(at, Name.Frame)), path.find((at) => named(at, Name.Block))];
  if (frame === undefined || block === undefined) return false;
  for (let at = frame + 1; at < block; at++) if (model.parent[at] === frame && named(at, Name.Block)) return false;
  return true;
}

/** Whether a node is a comma or a bracket between the fields of a JSON header: true, and of no interest to anybody. */
export function isNoise({ structure }: Model, node: number): boolean {
  return structure.part[node] !== 255 && structure.name[node] === Name.Json;
}

/** The nodes that show when only these groups are open; of noise, just what stands in `kept`. */
export function visibleNodes(model: Model, open: ReadonlySet<number>, kept: readonly number[]): Uint32Array {
  const { structure, behind } = model;
  const visible = new Uint32Array(structure.length);
  let count = 0;
  for (let at = 0; at < structure.length; ) {
    if (!isNoise(model, at) || kept.includes(at)) visible[count++] = at;
    at = structure.part[at] !== 255 || open.has(at) ? at + 1 : (behind[at] ?? structure.length);
  }
  return visible.slice(0, count);
}

/** A structure of no more nodes than this is small. */
const SMALL = 40;

/** Groups to open at first: all of a small file, else those at the top that do not make the list long. */
export function openAtFirst(model: Model): Set<number> {
  const { structure, behind } = model;
  if (structure.length <= SMALL) return new Set(Array.from({ length: structure.length }, (_, at) => at).filter((at) => isGroup(model, at)));
  const open = new Set<number>();
  let lines = 0;
  for (let at = 0; at < structure.length; at++) {
    const inside = (behind[at] ?? 0) - at;
    if (structure.part[at] === 255 && (structure.depth[at] ?? 0) === 0 && inside < 4000 && lines < 60) {
      open.add(at);
      lines += 8;
    }
  }
  return open;
}
