/**
 * Statistics of numbers.
 *
 * @module unspool/stats
 */
export {
  RunningStatistics, statistics, type ArrayStatistics, type Bin, type Numbers, type Statistics, type StatisticsOptions, type Summary, type TypedNumbers,
} from '../stats.js';
