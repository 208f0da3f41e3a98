export * from './common.js';
export { probe, type Format, type Probe } from './probe.js';
export { decode, decodeInto, type Decoded, type DecodeOptions } from './decode.js';
export { inspect, nodeAt, nodes, type InspectOptions, type Inspection, type Node, type Structure } from './inspect.js';
export * from './public/cvc.js';
export * from './public/gzip.js';
export * from './public/onpair.js';
export * from './public/pco.js';
export { statistics, type Bin, type Numbers, type Statistics, type StatisticsOptions, type Summary } from './stats.js';
