export * from './common.js';
export { probe, type Format, type Probe } from './probe.js';
export { decode, decodeInto, type Decoded, type DecodedBytes, type DecodeOptions, type DecodeResults } from './decode.js';
export { inspect, outline, type InspectOptions, type Inspection, type OutlineOptions } from './inspect.js';
export { nodeAt, nodes, type Node, type Structure } from './structure.js';
// The functions of each format, from `public`.
export * from './entries/all.js';
export { pcoBinCounts, type PcoVariable } from './pco-inside.js';
export {
  RunningStatistics, statistics, type ArrayStatistics, type Bin, type Numbers, type Statistics, type StatisticsOptions, type Summary, type TypedNumbers,
} from './stats.js';
export { zstdCodeLengths, zstdSequences, zstdStateCounts, type ZstdSequences } from './zstd-inside.js';
