// Computes statistics of a column in pieces, on several workers, and its curve.
import { UnspoolError } from 'unspool';
import type { Tell } from '../tools/progress';
import type { Curve, Summed } from '../values';
import { piecesOf, type Column } from './column';
import { drawn, runningOver, Sums, sumOf, type Sum } from './sums';

/** Values that one worker sums up in a moment. */
const FEW = 2 ** 22;

export async function summedUp(column: Column, tell: Tell): Promise<Summed> {
  const { rows, dimension } = column;
  let [leftOut, why] = [0, ''];
  const sums = new Sums(0, rows, dimension);
  const summers = rows * dimension > FEW ? (await import('./summers')).Summers.start() : undefined;
  /** Sums that were asked for. Their number bounds the pieces in memory. */
  const coming: Promise<Sum>[] = [];
  const next = async (): Promise<void> => {
    const sum = await coming.shift();
    if (sum !== undefined) sums.add(sum);
  };
  try {
    const pieces = piecesOf(column, tell, 0, rows, (start, end, error) => {
      leftOut += end - start;
      why ||= error.message;
      if (leftOut === rows) throw error;
    });
    for await (const piece of pieces) {
      const wanted = { piece, start: 0, end: rows };
      if (summers === undefined) {
        sums.add(sumOf(wanted));
        continue;
      }
      const sum = summers.sum(wanted);
      // An error is met in order.
      sum.catch(() => undefined);
      coming.push(sum);
      if (coming.length > 2 * summers.count) await next();
    }
    while (coming.length > 0) await next();
    return { ...sums.result(), leftOut, why, workers: summers?.used.size ?? 0 };
  } finally {
    summers?.close();
  }
}

/** Values of a sample, and the stretches of rows that it is read in: a chunk decodes as a whole. */
const [SAMPLE, SAMPLED] = [2 ** 18, 16];

/** Sums up evenly spread rows of a long column. Leaves out rows that cannot be decoded. */
export async function sampledFrom({ rows, dimension, read }: Column, tell: Tell): Promise<Summed> {
  const length = Math.max(1, Math.floor(SAMPLE / SAMPLED / Math.max(1, dimension)));
  const sums = new Sums(0, rows, dimension);
  let leftOut = 0;
  for (let at = 0; at < SAMPLED; at++) {
    const start = Math.floor((Math.max(0, rows - length) * at) / (SAMPLED - 1));
    try {
      const { data } = await read(start, Math.min(rows, start + length));
      sums.add(sumOf({ piece: { start, dimension, data }, start: 0, end: rows }));
    } catch (error) {
      if (!(error instanceof UnspoolError)) throw error;
      leftOut += length;
    }
    await tell({ done: at + 1, total: SAMPLED });
  }
  return { ...sums.result(), leftOut, why: '', workers: 0 };
}

/** Computes the curve of some rows: of numbers, or of the norms of vectors. */
export async function curveOf(column: Column, start: number, end: number, tell: Tell): Promise<Curve> {
  const { dimension } = column;
  const running = dimension > 1 ? runningOver(dimension) : undefined;
  const sums = new Sums(start, end, dimension);
  for await (const { start: first, data } of piecesOf(column, tell, start, end, () => undefined)) {
    sums.draw(drawn(first - start, running?.add(data) ?? data, end - start));
  }
  return sums.curve();
}
