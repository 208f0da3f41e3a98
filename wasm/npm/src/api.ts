export * from './common.js';
export { probe, type Format, type Probe } from './probe.js';
export { decode, decodeInto, type Decoded, type DecodeOptions } from './decode.js';
export { inspect, outline, type InspectOptions, type Inspection, type OutlineOptions } from './inspect.js';
export { nodeAt, nodes, type Node, type Structure } from './structure.js';
export * from './public/at1.js';
export * from './public/cvc.js';
export * from './public/gzip.js';
export * from './public/onpair.js';
export * from './public/pco.js';
export { pcoBinCounts, type PcoVariable } from './pco-inside.js';
export * from './public/xz.js';
export * from './public/xz-stream.js';
export * from './public/zstd.js';
export * from './public/zstd-stream.js';
export {
  RunningStatistics, statistics, type ArrayStatistics, type Bin, type Numbers, type Statistics, type StatisticsOptions, type Summary,
} from './stats.js';
export { zstdCodeLengths, zstdSequences, zstdStateCounts, type ZstdSequences } from './zstd-inside.js';
