/**
 * Inspects files: every field with its name, its bits and its value. Loads the inspector of the
 * format at hand.
 *
 * @module unspool/inspect
 */
export { errorTable } from './error-table.js';
export { gzipBlocks, gzipCodes, gzipSymbols, type GzipBlock, type GzipBlocks, type GzipBlocksOptions, type GzipBlockStart, type GzipCodes, type GzipSymbols } from './gzip-inside.js';
export type { InitOptions } from './init.js';
export { loadInspector } from './inspectors.js';
export { inspect, outline, type OutlineOptions } from './inspect.js';
export type { Inspection, InspectOptions } from './inspection.js';
export { LZMA_KINDS, lzmaChunks, lzmaCounts, lzmaSymbols, type LzmaChunk, type LzmaChunks, type LzmaChunksOptions, type LzmaChunkStart, type LzmaCounts, type LzmaKind, type LzmaSymbols } from './lzma-inside.js';
export { pcoBinCounts, pcoLatents, type PcoLatent, type PcoLatentsWanted, type PcoVariable } from './pco-inside.js';
export type { Format } from './probe.js';
export { nodeAt, nodes, type Node, type Structure } from './structure.js';
export type { WalkOptions } from './walk.js';
export { zstdBlockLengths, zstdCodeLengths, zstdLiterals, zstdSequences, zstdStateCounts, type ZstdLiterals, type ZstdSequences } from './zstd-inside.js';
