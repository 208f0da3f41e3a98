// Stored and decoded size of each chunk, block, frame, stream or column, as far as the structure
// has them.
import * as Name from 'unspool/names';
import { nodeAt, type Node } from 'unspool/inspect';
import type { Report } from '../model';
import { visible } from '../format';
import { labelOf, whichOf } from '../structure/fields';
import { sizes } from '../words';
import { bitsOf } from './latents';
import { placesNamed } from './named';

export interface Share {
  /** Node to go to, or -1. */
  readonly node: number;
  readonly name: string;
  readonly bytes: number;
  /** Decoded size, or 0 if unknown. */
  readonly decoded: number;
  /** Number of values, or 0 if unknown. */
  readonly values: number;
}

/** Names of nodes that hold sizes. */
const TELLING = [Name.NumbersLess1, Name.NumberType, Name.Page, Name.PageOfNumbers, Name.ContentOfDecodedSize, Name.UncompressedSize, Name.ContentSize, Name.Size];

type Draft = { -readonly [K in keyof Share]: Share[K] };

/** Name of the pieces of each format; absent if they have no sizes. */
const PIECES: Partial<Record<NonNullable<Report['format']>, number>> = {
  pco: Name.Chunk, xz: Name.Block, zstd: Name.Frame, 'zstd-v07': Name.Frame, gzip: Name.Member, at1: Name.Stream,
};

/** Returns the pieces in the order of the file. */
export function sharesOf(report: Report): Share[] {
  const pieces = piecesIn(report);
  return pieces.length > 1 ? pieces : groupsIn(report);
}

/** Returns the fields and groups at the top; of a single group, those in it. */
function groupsIn({ model: { structure, after } }: Report): Share[] {
  const nodes = (from: number, to: number): number[] => {
    const found: number[] = [];
    for (let at = from; at < to; at = structure.part[at] === GROUP ? (after[at] ?? to) : at + 1) found.push(at);
    return found;
  };
  let list = nodes(0, structure.length);
  while (list.length === 1 && structure.part[list[0] ?? 0] === GROUP) list = nodes((list[0] ?? 0) + 1, after[list[0] ?? 0] ?? 0);
  return list.map((node) => {
    const { id, name, value, part, start, end } = nodeAt(structure, node);
    return { node, name: part === undefined ? `${labelOf({ id, name })} ${whichOf(id, value)}`.trim() : labelOf({ id, name }), bytes: (end - start) / 8, decoded: 0, values: 0 };
  }).filter(({ bytes }) => bytes > 0);
}

const GROUP = 255;

function piecesIn(report: Report): Share[] {
  const { format, model: { structure, after } } = report;
  if (format === 'cvc') return report.summary?.columns.length === 1 ? chunksOf(report) : columnsOf(report);
  const piece = format === undefined ? undefined : PIECES[format];
  if (piece === undefined) return [];
  const shares: Draft[] = [];
  // The index of xz holds the decoded sizes of the blocks before it.
  let indexed = 0;
  /** Bytes of a number in this chunk of Pco. */
  let width = 0;
  for (const at of placesNamed(structure, [piece, ...TELLING])) {
    const node = nodeAt(structure, at);
    const { id, name, value, start, end, depth } = node;
    const last = shares.at(-1);
    if (id === piece && node.part === undefined && depth <= 1 && !(last !== undefined && at < (after[last.node] ?? 0))) {
      shares.push({ node: at, name: `${name} ${value === '' ? shares.length : value}`, bytes: (end - start) / 8, decoded: 0, values: 0 });
      continue;
    }
    if (last === undefined) continue;
    const size = Number(value);
    if (format === 'pco') {
      if (id === Name.NumbersLess1) [last.values, last.decoded] = [size + 1, (size + 1) * width];
      else if (id === Name.NumberType && at < (after[last.node] ?? 0)) [last.name, width] = [sizes.typed(last.name, value), bitsOf(value) / 8];
      else if ((id === Name.Page && depth === 0) || id === Name.PageOfNumbers) last.bytes += (end - start) / 8;
    } else if (format === 'xz') {
      if (id === Name.ContentOfDecodedSize) last.decoded = size;
      else if (id === Name.UncompressedSize && at >= (after[last.node] ?? 0)) {
        const block = shares[indexed++];
        if (block !== undefined) block.decoded = size;
      }
    } else if (id === Name.UncompressedSize || id === Name.ContentSize || (format === 'gzip' && id === Name.Size)) last.decoded += size;
  }
  if (format === 'at1') return withTableColumns(shares, report);
  return shares.some(({ decoded }) => decoded > 0) ? shares : [];
}

/** Name of the stream that holds the columns of an AT-1 table. */
const BLOCKS = 'blocks';

/** Replaces the stream that holds the columns of a table by them. */
function withTableColumns(streams: readonly Share[], { summary, model: { structure } }: Report): Share[] {
  const table = summary?.table;
  // Blocks that are compressed as one have no sizes.
  if (table?.blocks === undefined) return streams.some(({ decoded }) => decoded > 0) ? [...streams] : [];
  const { groupCount, lengths } = table;
  // For a large table, only the head is in the tree.
  const at = streams.findIndex(({ node }) => nodeAt(structure, node).value === BLOCKS);
  const node = streams[at]?.node ?? -1;
  const columns = table.columns.map(({ name }, column): Share => {
    const blocks = Array.from({ length: groupCount }, (_, group) => lengths[group * table.columns.length + column] ?? 0);
    return { node, name: sizes.column(visible(name)), bytes: blocks.reduce((sum, length) => sum + length, 0), decoded: 0, values: table.rowCount };
  });
  const stream = streams[at];
  if (stream === undefined) return [...streams, ...columns];
  // No byte is counted twice.
  const rest = { ...stream, bytes: stream.bytes - columns.reduce((sum, { bytes }) => sum + bytes, 0) };
  return [...streams.slice(0, at), ...columns, ...(rest.bytes > 0 ? [rest] : []), ...streams.slice(at + 1)];
}

/** Returns the chunks of a CVC file with one column. */
function chunksOf({ model: { structure }, summary }: Report): Share[] {
  const [column] = summary?.columns ?? [];
  const ends = summary?.chunkEnds ?? [];
  const shares: Share[] = [];
  for (const at of placesNamed(structure, [Name.Chunk])) {
    // Chunks in the header are descriptions.
    if (column === undefined || structure.depth[at] !== 0) continue;
    const { value, start, end } = nodeAt(structure, at);
    const rows = (ends[shares.length] ?? 0) - (ends[shares.length - 1] ?? 0);
    shares.push({ node: at, name: `chunk ${value}`, bytes: (end - start) / 8, decoded: rows * column.dimension * widthOf(column.dtype), values: rows * column.dimension });
  }
  return shares;
}

/** Returns the columns of a CVC file, each over all chunks, with their lengths from the header. */
function columnsOf({ model: { structure, after, parent }, summary }: Report): Share[] {
  if (summary === undefined) return [];
  const shares = summary.columns.map(({ name, dimension, dtype }) => ({ node: -1, name, bytes: 0, decoded: summary.rows * dimension * widthOf(dtype), values: summary.rows * dimension }));
  const nodes = (from: number, wanted: number): [number, Node][] =>
    Array.from({ length: (after[from] ?? 0) - from }, (_, at): [number, Node] => [from + at, nodeAt(structure, from + at)]).filter(([, { id }]) => id === wanted);
  for (const at of placesNamed(structure, [Name.Column])) {
    if ((parent[at] ?? -1) < 0) continue;
    const { value } = nodeAt(structure, at);
    const share = shares.find(({ name }) => name === value);
    if (share === undefined) continue;
    if (share.node < 0) share.node = at;
    for (const [, { value }] of nodes(at, Name.Size)) share.bytes += Number(value);
  }
  return shares.filter(({ node, bytes }) => node >= 0 && bytes > 0);
}

/** Returns the bytes of a number; 0 if its type is unknown. */
function widthOf(dtype: string): number {
  return /\d/.test(dtype) ? bitsOf(dtype) / 8 : 0;
}
