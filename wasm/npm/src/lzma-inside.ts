// xz and .lzma: the chunks of LZMA, their symbols, and what each costs.
import { checkWhole } from './check-numbers.js';
import type { UnspoolError } from './error.js';
import { undetected } from './formats.js';
import type { Exports } from './instance.js';
import { limitsOf } from './limits.js';
import { probe } from './probe.js';
import { type ByteRange, openSource, type Source } from './source.js';
import { columnOf, walk, type WalkOptions } from './walk.js';

/**
 * Kinds of symbols, in the order of all counts: `rep0` to `rep3` repeat one of the last four
 * distances.
 */
export const LZMA_KINDS = ['literal', 'match', 'rep0', 'rep1', 'rep2', 'rep3', 'shortRep', 'endMarker'] as const;

/** A kind of symbol. */
export type LzmaKind = (typeof LZMA_KINDS)[number];

/** Start of a chunk, from which its symbols can be decoded. */
export interface LzmaChunkStart {
  /** Offset of its block header in an xz file; 0 in a `.lzma` file. */
  readonly block: number;
  /** Content before the block, in bytes. */
  readonly blockContent: number;
  /** Number of the chunk in its block, from 0. */
  readonly number: number;
}

/** A chunk of LZMA2, or the stream of a `.lzma` file. */
export interface LzmaChunk extends LzmaChunkStart {
  /** First byte in the file. */
  readonly start: number;
  /** End in bytes, exclusive. */
  readonly end: number;
  /** The content that it decodes to, before filters. */
  readonly content: ByteRange;
  /** Control byte of a chunk of LZMA2. Below 128, its bytes are stored as they are. */
  readonly control: number | undefined;
  /** Number of symbols of each kind, in the order of {@link LZMA_KINDS}. */
  readonly symbols: readonly number[];
  /**
   * Cost of the symbols of each kind in bits: the sum of −log2 of the probabilities that the
   * decoder had. All of it is 32 to 40 bits less than the bits of the symbols in the file, with
   * which the range coder starts and ends.
   */
  readonly bits: readonly number[];
}

/** The chunks of a file. */
export interface LzmaChunks {
  /** The chunks, in order. */
  readonly chunks: readonly LzmaChunk[];
  /** True if the file has more chunks than were to be listed. */
  readonly hasMore: boolean;
  /** The error that ended the list early. Checks are not verified. */
  readonly error: UnspoolError | undefined;
}

/** Options of {@link lzmaChunks}. */
export interface LzmaChunksOptions extends WalkOptions {
  /** Maximum number of chunks to list. 100,000 by default. */
  maxChunks?: number | undefined;
}

/** Default of `maxChunks`. A chunk takes up to 64 KiB, so a file of 1.5 GB has 23,000. */
const MAX_CHUNKS = 100_000;

/** Numbers of a chunk and of a symbol in the results of the module. */
const [CHUNK, SYMBOL, PLACE] = [7 + 2 * LZMA_KINDS.length, 8, 7];

/**
 * Lists the chunks of an xz or `.lzma` file of any size, and measures their symbols. Decodes the
 * file piece by piece, from start to end, in the memory of its window.
 */
export async function lzmaChunks(source: Source, options: LzmaChunksOptions = {}): Promise<LzmaChunks> {
  const limits = limitsOf(options, { limits: true, maxChunks: true, signal: true, onProgress: true });
  const { maxChunks = MAX_CHUNKS } = options;
  checkWhole('maxChunks', maxChunks);
  // One more than is wanted shows that there are more.
  const { rows, error } = await walked(source, (wasm, isXz) => (isXz ? wasm.xz_chunks(maxChunks + 1, limits) : wasm.lzma_chunks(limits)), options);
  const chunks: LzmaChunk[] = [];
  for (let at = 0; at < rows.length; at += CHUNK) {
    const [start = 0, end = 0, from = 0, to = 0, block = 0, blockContent = 0, control = 0] = rows.subarray(at, at + PLACE);
    const kinds = Array.from(rows.subarray(at + PLACE, at + CHUNK));
    const last = chunks.at(-1);
    chunks.push({
      start,
      end,
      content: { start: from, end: to },
      block,
      blockContent,
      number: last?.block === block ? last.number + 1 : 0,
      control: control > 255 ? undefined : control,
      symbols: kinds.slice(0, LZMA_KINDS.length),
      bits: kinds.slice(LZMA_KINDS.length),
    });
  }
  const hasMore = chunks.length > maxChunks;
  if (hasMore) chunks.pop();
  return { chunks, hasMore, error };
}

/** Matches of a chunk by length and distance. */
export interface LzmaCounts {
  /** Number of matches of each length, from 0 to 273. */
  readonly lengths: Float64Array;
  /** Number of matches in each class of distances: 1, 2, 3, 4, 5 to 6, 7 to 8, 9 to 12, … */
  readonly distances: Float64Array;
}

/** Number of match lengths, from 0 on. */
const LENGTHS = 274;

/** Counts the matches of a chunk. */
export async function lzmaCounts(source: Source, chunk: LzmaChunkStart, options: WalkOptions = {}): Promise<LzmaCounts> {
  const { counts } = await walkChunk(source, chunk, { start: 0, end: 0 }, true, options);
  return { lengths: counts.slice(0, LENGTHS), distances: counts.slice(LENGTHS) };
}

/** Symbols of a chunk, in columns. */
export interface LzmaSymbols {
  /** Kind of each symbol, as an index into {@link LZMA_KINDS}. */
  readonly kinds: Uint8Array;
  /** First byte of the file that the range coder took in for each symbol. It is ahead by four. */
  readonly starts: Float64Array;
  /** End of these bytes, exclusive. */
  readonly ends: Float64Array;
  /** The byte of the content at which each symbol starts. */
  readonly places: Float64Array;
  /** Length of each symbol in the content: 1 for a literal, 0 for the end marker. */
  readonly lengths: Uint16Array;
  /** Distance of each match; 0 for a literal and the end marker. */
  readonly distances: Float64Array;
  /** First byte of the content of each symbol. */
  readonly bytes: Uint8Array;
  /** Cost of each symbol in bits. */
  readonly bits: Float64Array;
}

/** Returns symbols of a chunk, counted from 0. A chunk of stored bytes has none. */
export async function lzmaSymbols(source: Source, chunk: LzmaChunkStart, range: ByteRange, options: WalkOptions = {}): Promise<LzmaSymbols> {
  const { rows } = await walkChunk(source, chunk, range, false, options);
  const column = (first: number): Float64Array => columnOf(rows, SYMBOL, first);
  return {
    kinds: Uint8Array.from(column(0)),
    starts: column(1),
    ends: column(2),
    places: column(3),
    lengths: Uint16Array.from(column(4)),
    distances: column(5),
    bytes: Uint8Array.from(column(6)),
    bits: column(7),
  };
}

async function walkChunk(source: Source, { block, blockContent, number }: LzmaChunkStart, { start, end }: ByteRange, whole: boolean, options: WalkOptions) {
  const limits = limitsOf(options, { limits: true, signal: true, onProgress: true });
  for (const [name, value] of Object.entries({ 'chunk.block': block, 'chunk.blockContent': blockContent, 'chunk.number': number, start, end })) checkWhole(name, value);
  const found = await walked(source, (wasm, isXz) => (isXz ? wasm.xz_chunk(block, blockContent, number, start, end, whole, limits) : wasm.lzma_chunk(start, end, whole, limits)), options);
  if (found.error !== undefined) throw found.error;
  return found;
}

/** Number of bytes that identify both formats. */
const PROBED = 16;

/** Walks over a file of either format, and returns what was found. */
async function walked(source: Source, make: (wasm: Exports, isXz: boolean) => ReturnType<Exports['lzma_chunks']>, options: WalkOptions) {
  const reader = await openSource(source, { limits: options.limits, signal: options.signal });
  const found = probe(await reader.read({ start: 0, end: PROBED }));
  const { format } = found;
  if (format === undefined) throw undetected(found, reader.size);
  if (format !== 'xz' && format !== 'lzma') throw new TypeError(`the file must be xz or .lzma, not ${format}`);
  return walk(reader, format, (wasm) => make(wasm, format === 'xz'), () => ({}), options);
}
