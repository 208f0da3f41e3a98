// Blocks and symbols of DEFLATE, chunks and symbols of LZMA, read in the worker.
import {
  gzipBlocks, gzipCodes, gzipSymbols, LZMA_KINDS, lzmaChunks, lzmaCounts, lzmaSymbols, type GzipBlock, type GzipBlockStart, type GzipCodes, type GzipSymbols, type LzmaChunk, type LzmaChunkStart, type LzmaCounts, type LzmaKind,
  type LzmaSymbols, type WalkOptions,
} from 'unspool/inspect';
import { sourceOf, type AnyFile } from '../arrive/remote';

/** The parts of a file, as far as they were read. */
export interface Listed<T> {
  readonly parts: readonly T[];
  readonly hasMore: boolean;
  /** True if the list ends at an error. */
  readonly broken: boolean;
}

/** The blocks of a file. */
export type Blocks = Listed<GzipBlock>;

/** The chunks of a file. */
export interface Chunks extends Listed<LzmaChunk> {
  /** Kinds of symbols, in the order of counts. */
  readonly kinds: readonly LzmaKind[];
}

/** A request for blocks or chunks, for what one counts, or for its symbols. */
export type SymbolsWanted =
  | { readonly blocks: true }
  | { readonly codesOf: GzipBlockStart }
  | { readonly symbolsOf: GzipBlockStart; readonly start: number; readonly end: number }
  | { readonly chunks: true }
  | { readonly countsOf: LzmaChunkStart }
  | { readonly symbolsIn: LzmaChunkStart; readonly start: number; readonly end: number };

export type Symbols = Blocks | GzipCodes | GzipSymbols | Chunks | LzmaCounts | LzmaSymbols;

/** Answers a request. */
export async function symbols(file: AnyFile, wanted: SymbolsWanted, options: WalkOptions): Promise<Symbols> {
  const source = sourceOf(file);
  if ('codesOf' in wanted) return gzipCodes(source, wanted.codesOf, options);
  if ('symbolsOf' in wanted) return gzipSymbols(source, wanted.symbolsOf, wanted, options);
  if ('countsOf' in wanted) return lzmaCounts(source, wanted.countsOf, options);
  if ('symbolsIn' in wanted) return lzmaSymbols(source, wanted.symbolsIn, wanted, options);
  if ('chunks' in wanted) {
    const { chunks, hasMore, error } = await lzmaChunks(source, options);
    return { parts: chunks, kinds: LZMA_KINDS, hasMore, broken: error !== undefined };
  }
  const { blocks, hasMore, error } = await gzipBlocks(source, options);
  return { parts: blocks, hasMore, broken: error !== undefined };
}
