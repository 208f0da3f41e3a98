// AT-1: the rows of an answer, as one buffer and as values.
import type { At1Answer } from './at1-query.js';

/** An answer with the values of all rows in one buffer, which can be transferred. */
export interface PackedAnswer extends Omit<At1Answer, 'rows'> {
  /** All values, concatenated. */
  readonly data: Uint8Array;
  /** The end of each value. */
  readonly ends: Float64Array | Uint32Array;
  /** Values per row. */
  readonly columns: number;
}

/** Values between two pauses. */
const AT_ONCE = 4096;

/** Unpacks the rows. Yields now and then, so that the caller can pause. */
export function* unpackInSteps({ data, ends, columns, ...answer }: PackedAnswer, as: 'bytes' | undefined): Generator<void, At1Answer<string | Uint8Array>, void> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  const rows: (string | Uint8Array)[][] = [];
  let row: (string | Uint8Array)[] = [];
  for (let start = 0, at = 0; at < ends.length; at++) {
    const end = ends[at] ?? 0;
    const value = data.subarray(start, end);
    row.push(as === 'bytes' ? value : text.decode(value));
    start = end;
    if (row.length === columns) {
      rows.push(row);
      row = [];
    }
    if (at % AT_ONCE === AT_ONCE - 1) yield;
  }
  return { rows, ...answer };
}

/** Unpacks the rows at once. */
export function unpack(packed: PackedAnswer, as: 'bytes' | undefined): At1Answer<string | Uint8Array> {
  const work = unpackInSteps(packed, as);
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}
