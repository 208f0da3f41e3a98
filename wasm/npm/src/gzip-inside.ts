// gzip: the blocks of DEFLATE, their codes and their symbols.
import { checkWhole } from './check-numbers.js';
import type { UnspoolError } from './error.js';
import type { Exports } from './instance.js';
import { limitsOf } from './limits.js';
import type { ByteRange, Source } from './source.js';
import { columnOf, walk, type WalkOptions } from './walk.js';

/** A block of DEFLATE. */
export interface GzipBlock {
  /** First bit of the block in the file. */
  readonly start: number;
  /** End of its header, in bits: the first bit of its symbols or its stored bytes. */
  readonly data: number;
  /** End of the block in bits, exclusive. */
  readonly end: number;
  /** The coding: bytes as they are, the code of the format, or a code that the block describes. */
  readonly type: 'stored' | 'fixed' | 'dynamic';
  /** True if no block of the member follows. */
  readonly isLast: boolean;
  /** The bytes of the file's content that it decodes to. */
  readonly content: ByteRange;
  /** Number of literals. */
  readonly literals: number;
  /** Number of matches. */
  readonly matches: number;
  /** The member that it belongs to, from 0. */
  readonly member: number;
}

/** The blocks of a file. */
export interface GzipBlocks {
  /** The blocks, in order. */
  readonly blocks: readonly GzipBlock[];
  /** True if the file has more blocks than were to be listed. */
  readonly hasMore: boolean;
  /** The error that ended the list early. Checksums are not verified. */
  readonly error: UnspoolError | undefined;
}

/** Options of {@link gzipBlocks}. */
export interface GzipBlocksOptions extends WalkOptions {
  /** Maximum number of blocks to list. 100,000 by default. */
  maxBlocks?: number | undefined;
}

/** Default of `maxBlocks`: a file of 1.5 GB of encoders in use has about half as many. */
const MAX_BLOCKS = 100_000;

const TYPES: readonly GzipBlock['type'][] = ['stored', 'fixed', 'dynamic'];

/** Lists the blocks of a gzip file of any size. Reads it piece by piece, from start to end. */
export async function gzipBlocks(source: Source, options: GzipBlocksOptions = {}): Promise<GzipBlocks> {
  const limits = limitsOf(options, { limits: true, maxBlocks: true, signal: true, onProgress: true });
  const { maxBlocks = MAX_BLOCKS } = options;
  checkWhole('maxBlocks', maxBlocks);
  // One more than is wanted shows that there are more.
  const { rows, error } = await walked(source, (wasm) => wasm.gzip_blocks(maxBlocks + 1, limits), options);
  const blocks = Array.from({ length: rows.length / 10 }, (_, index): GzipBlock => {
    const [start = 0, data = 0, end = 0, type = 0, last = 0, from = 0, to = 0, literals = 0, matches = 0, member = 0] = rows.subarray(10 * index, 10 * index + 10);
    return { start, data, end, type: TYPES[type] ?? 'stored', isLast: last === 1, content: { start: from, end: to }, literals, matches, member };
  });
  const hasMore = blocks.length > maxBlocks;
  if (hasMore) blocks.pop();
  return { blocks, hasMore, error };
}

/** The codes of a block, and how often it uses each symbol. */
export interface GzipCodes {
  /** Code length of each literal and length symbol, 0 for none: 288 of them. */
  readonly literalLengths: Uint8Array;
  /** Code length of each distance symbol, 0 for none: 32 of them. */
  readonly distanceLengths: Uint8Array;
  /** How often each literal and length symbol is used. */
  readonly literalCounts: Float64Array;
  /** How often each distance symbol is used. */
  readonly distanceCounts: Float64Array;
}

/** Start of a block, as {@link gzipBlocks} lists it. */
export type GzipBlockStart = Pick<GzipBlock, 'start' | 'content'>;

/** Number of symbols of literals and lengths. */
const LITERALS = 288;

/** Returns the codes of a block, and counts its symbols. */
export async function gzipCodes(source: Source, block: GzipBlockStart, options: WalkOptions = {}): Promise<GzipCodes> {
  const { lengths, counts } = await walkBlock(source, block, { start: 0, end: 0 }, true, options);
  return {
    literalLengths: lengths.slice(0, LITERALS),
    distanceLengths: lengths.slice(LITERALS),
    literalCounts: counts.slice(0, LITERALS),
    distanceCounts: counts.slice(LITERALS),
  };
}

/** Symbols of a block, in columns. */
export interface GzipSymbols {
  /** First bit of each symbol in the file. */
  readonly starts: Float64Array;
  /** End of each symbol in bits, exclusive. */
  readonly ends: Float64Array;
  /** The byte of the file's content at which each symbol starts. */
  readonly places: Float64Array;
  /** Length of each match, or of stored bytes; 0 for a literal and for the end of the block. */
  readonly lengths: Uint16Array;
  /** Distance of each match; the byte of a literal, 256 for the end; 0 for stored bytes. */
  readonly values: Uint16Array;
}

/** Returns symbols of a block, counted from 0. A stored block has one symbol, its bytes. */
export async function gzipSymbols(source: Source, block: GzipBlockStart, range: ByteRange, options: WalkOptions = {}): Promise<GzipSymbols> {
  const { rows } = await walkBlock(source, block, range, false, options);
  const column = (first: number): Float64Array => columnOf(rows, 5, first);
  return { starts: column(0), ends: column(1), places: column(2), lengths: Uint16Array.from(column(3)), values: Uint16Array.from(column(4)) };
}

async function walkBlock(source: Source, block: GzipBlockStart, { start, end }: ByteRange, whole: boolean, options: WalkOptions) {
  const limits = limitsOf(options, { limits: true, signal: true, onProgress: true });
  const [bit, content] = [block.start, block.content.start];
  for (const [name, number] of Object.entries({ 'block.start': bit, 'block.content.start': content, start, end })) checkWhole(name, number);
  const found = await walked(source, (wasm) => wasm.gzip_block(bit, content, start, end, whole, limits), options);
  if (found.error !== undefined) throw found.error;
  return found;
}

/** Walks over a file, and returns what was found. */
const walked = (source: Source, make: (wasm: Exports) => ReturnType<Exports['gzip_blocks']>, options: WalkOptions) =>
  walk(source, 'gzip', make, (walk) => ({ lengths: walk.lengths() }), options);
