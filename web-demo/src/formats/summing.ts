// Sums up a column piece by piece, and draws it as a curve on the way.
import { RunningStatistics } from 'unspool';
import type { Tell } from '../tools/progress';
import type { Curve, Summed } from '../values';
import { piecesOf, type Column } from './column';

export async function summedUp(column: Column, tell: Tell): Promise<Summed> {
  const { rows, dimension } = column;
  const curve = new Stretches(rows);
  using running = new RunningStatistics({ dimension: Math.max(1, dimension) });
  for await (const { data } of piecesOf(column, tell)) {
    const lengths = running.add(data);
    curve.push(dimension > 1 ? lengths : data);
  }
  return { statistics: running.result(), curve };
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

  push(numbers: ArrayLike<number | bigint>): void {
    const { low, high, total } = this;
    const share = low.length / total;
    for (let at = 0; at < numbers.length; at++) {
      const number = Number(numbers[at] ?? NaN);
      const stretch = Math.floor(this.#at++ * share);
      if (!Number.isFinite(number)) continue;
      if (!((low[stretch] ?? NaN) <= number)) low[stretch] = number;
      if (!((high[stretch] ?? NaN) >= number)) high[stretch] = number;
    }
  }
}
