// Sums up a column piece by piece: what two pieces come to is what each of them comes to, merged.
import { statistics, type Bin, type Summary } from 'unspool';
import type { Tell } from '../tools/progress';
import type { Curve, Summed } from '../values';
import { piecesOf, type Column } from './column';

export async function summedUp(column: Column, tell: Tell): Promise<Summed> {
  const { rows, dimension } = column;
  const curve = new Stretches(rows);
  let all = summed(new Float64Array(), dimension, curve);
  for await (const { data } of piecesOf(column, tell)) all = merged(all, summed(floatsOf(data), dimension, curve));
  return all;
}

/** Numbers of any type as the one that is summed up. A loop is faster than `Float64Array.from`. */
function floatsOf(data: ArrayLike<number | bigint>): Float64Array {
  const floats = new Float64Array(data.length);
  for (let at = 0; at < floats.length; at++) floats[at] = Number(data[at]);
  return floats;
}

function summed(numbers: Float64Array, dimension: number, curve: Stretches): Summed {
  const { norms, ...found } = statistics(numbers, dimension > 1 ? { dimension } : {});
  curve.push(norms?.each ?? numbers);
  if (norms === undefined) return { statistics: found, norms, curve };
  const { each: _, ...lengths } = norms;
  return { statistics: found, norms: lengths, curve };
}

function merged(a: Summed, b: Summed): Summed {
  const [{ magnitudes: ours }, { magnitudes: theirs }] = [a.statistics, b.statistics];
  return {
    statistics: {
      ...mergedSummary(a.statistics, b.statistics),
      histogram: mergedBins(a.statistics.histogram, b.statistics.histogram),
      magnitudes: { zeros: ours.zeros + theirs.zeros, negative: ours.negative + theirs.negative, bins: mergedBins(ours.bins, theirs.bins) },
    },
    norms: a.norms && b.norms && mergedSummary(a.norms, b.norms),
    curve: a.curve,
  };
}

function mergedSummary(a: Summary, b: Summary): Summary {
  const counts = { count: a.count + b.count, nans: a.nans + b.nans, infinite: a.infinite + b.infinite };
  // Infinities have no part in mean and deviation.
  const [ours, theirs] = [a.count - a.infinite, b.count - b.infinite];
  const ends = { min: least(a.min, b.min), max: -least(-a.max, -b.max) };
  if (ours === 0 || theirs === 0) {
    const { mean, deviation } = theirs === 0 ? a : b;
    return { ...counts, ...ends, mean, deviation };
  }
  const [all, apart] = [ours + theirs, b.mean - a.mean];
  const squares = a.deviation ** 2 * ours + b.deviation ** 2 * theirs + apart ** 2 * ours * (theirs / all);
  return { ...counts, ...ends, mean: a.mean + (apart * theirs) / all, deviation: Math.sqrt(squares / all) };
}

/** The less of two numbers, either of which may be missing. */
function least(a: number, b: number): number {
  return Number.isNaN(a) || b < a ? b : a;
}

/** No more bins than this. */
const BINS = 64;

/** Bins of both. Widths are powers of two and edges multiples of them, so that those of the narrower fit into those of the wider. */
export function mergedBins(a: readonly Bin[], b: readonly Bin[]): readonly Bin[] {
  const [first, last] = [a[0], b[0]];
  if (first === undefined || last === undefined) return first === undefined ? b : a;
  const [low, high] = [Math.min(first.low, last.low), Math.max(...[...a, ...b].map((bin) => bin.high))];
  let width = Math.max(first.high - first.low, last.high - last.low);
  while (Math.ceil(high / width) - Math.floor(low / width) > BINS) width *= 2;
  const start = Math.floor(low / width);
  const bins = Array.from({ length: Math.ceil(high / width) - start }, (_, at) => ({ low: (start + at) * width, high: (start + at + 1) * width, count: 0 }));
  for (const { low, count } of [...a, ...b]) {
    const bin = bins[Math.floor(low / width) - start];
    if (bin !== undefined) bin.count += count;
  }
  return bins;
}

/** No more stretches than this fit on a screen. */
const STRETCHES = 800;

/** The lowest and the highest of so many numbers in each of some stretches, as they come. */
export class Stretches implements Curve {
  readonly low: Float64Array;
  readonly high: Float64Array;
  #at = 0;

  constructor(readonly total: number) {
    const count = Math.min(STRETCHES, total);
    [this.low, this.high] = [new Float64Array(count).fill(NaN), new Float64Array(count).fill(NaN)];
  }

  push(numbers: Float64Array): void {
    const { low, high, total } = this;
    const share = low.length / total;
    for (let at = 0; at < numbers.length; at++) {
      const number = numbers[at] ?? NaN;
      const stretch = Math.floor(this.#at++ * share);
      if (!Number.isFinite(number)) continue;
      if (!((low[stretch] ?? NaN) <= number)) low[stretch] = number;
      if (!((high[stretch] ?? NaN) >= number)) high[stretch] = number;
    }
  }
}
