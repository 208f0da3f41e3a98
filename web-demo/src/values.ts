// Decoded values on their way from the worker to the page.
import type { At1Answer, At1Table, CvcData, PcoData, Statistics } from 'unspool';

/** Rows of a column, as numbers that can be drawn. */
export interface Rows {
  readonly start: number;
  readonly dimension: number;
  readonly data: CvcData | PcoData;
}

/** Rows by their numbers, or those from `start` to `end`. */
export interface TextsWanted {
  readonly numbers: Uint32Array | undefined;
  readonly start: number;
  readonly end: number;
}

/** Rows of a column of strings. */
export interface Texts {
  readonly rows: readonly { readonly row: number; readonly text: string; readonly bytes: number }[];
}

/** How a needle must lie in a row. */
export type Place = 'contains' | 'startsWith' | 'equals';

export interface TextSearch {
  readonly place: Place;
  readonly needle: string;
}

export type ExportKind = 'csv' | 'json' | 'npy' | 'raw';

/** What is saved, and how. */
export interface ExportWanted {
  readonly column: number;
  readonly kind: ExportKind;
  /** Of a table: the rows that answer this. */
  readonly question?: Question | undefined;
  /** Of a file that is broken: whether rows that cannot be decoded are left out, where others come behind them. */
  readonly leaveOut?: boolean;
  /** The file that it is written to; without one, it comes back as a `Blob`. */
  readonly to?: FileSystemFileHandle | undefined;
}

/** A table in row groups; every column has a name to be shown by. */
export interface At1Columns extends At1Table {
  readonly columns: readonly { readonly name: string; readonly known: boolean; readonly type: At1Table['columns'][number]['type'] }[];
}

/** What a row of a table must meet. An empty end of a range is open. */
export interface Condition {
  readonly column: number;
  readonly test: 'between' | 'equals';
  readonly from: string;
  readonly to: string;
}

export const ASKS = [
  ['rows', 'rows'], ['lines', 'lines as they were'], ['count', 'how many rows'], ['sum', 'the sum'], ['min', 'the smallest'], ['max', 'the largest'],
] as const;

export type Ask = (typeof ASKS)[number][0];

/** A question to a table. */
export interface Question {
  readonly conditions: readonly Condition[];
  readonly ask: Ask;
  /** The columns of the rows; none for all of them. */
  readonly columns: readonly number[];
  /** The column of a sum, minimum or maximum. */
  readonly column: number;
  readonly limit: number;
}

export const NOTHING_ASKED: Question = { conditions: [], ask: 'rows', columns: [], column: 0, limit: 1000 };

/** What became of a row group: 0 it was not needed, 1 its zone map ruled it out, 2 it was read. */
export type Fate = 0 | 1 | 2;

export interface TableAnswer extends At1Answer {
  readonly groups: readonly Fate[];
}

/** What all numbers of a column come to. */
export interface Summed {
  readonly statistics: Statistics;
  /** The lowest and the highest of integers of 64 bits, which no `number` holds. */
  readonly bounds: readonly [low: bigint, high: bigint] | undefined;
  /** The numbers in the order of the file; of vectors, their lengths. */
  readonly curve: Curve;
  /** Rows that are not counted because they cannot be decoded, and why the first of them cannot. */
  readonly leftOut: number;
  readonly why: string;
}

/** Rows whose numbers are drawn in order. */
export interface CurveWanted {
  readonly column: number;
  readonly start: number;
  readonly end: number;
}

/** A long row of numbers, as its lowest and highest in each of some stretches. */
export interface Curve {
  /** The rows that it is of. */
  readonly start: number;
  readonly end: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
}
