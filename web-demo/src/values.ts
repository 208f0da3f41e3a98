// Decoded values, from the worker to the page.
import type { At1Answer, At1Table, CvcData, PcoData, Statistics } from 'unspool';

/** Rows of a column, as numbers to draw. */
export interface Rows {
  readonly start: number;
  readonly dimension: number;
  readonly data: CvcData | PcoData;
}

/** A request for rows by number, or from `start` to `end`. */
export interface TextsWanted {
  readonly numbers: Uint32Array | undefined;
  readonly start: number;
  readonly end: number;
}

/** Rows of a string column. */
export interface Texts {
  readonly rows: readonly { readonly row: number; readonly text: string; readonly bytes: number }[];
}

/** Columns that sort strings. */
export const [SIZE, TEXT] = [0, 1];

/** Position of a needle in a row. */
export type Place = 'contains' | 'startsWith' | 'equals';

export interface TextSearch {
  readonly place: Place;
  readonly needle: string;
}

export type ExportKind = 'csv' | 'json' | 'npy' | 'raw';

/** A request to save values. */
export interface ExportWanted {
  readonly column: number;
  readonly kind: ExportKind;
  /** For a table: the query whose rows to save. */
  readonly question?: Question | undefined;
  /** For a broken file: skip rows that cannot be decoded if others follow. */
  readonly leaveOut?: boolean;
  /** The file to write to; otherwise a `Blob` is returned. */
  readonly to?: FileSystemFileHandle | undefined;
}

/** A table in row groups. Every column has a name for display. */
export interface At1Columns extends At1Table {
  readonly columns: readonly { readonly name: string; readonly known: boolean; readonly type: At1Table['columns'][number]['type'] }[];
}

/** A condition on the rows of a table. An empty bound is open. */
export interface Condition {
  readonly column: number;
  readonly test: 'between' | 'equals' | 'contains';
  readonly from: string;
  readonly to: string;
}

export const ASKS = ['rows', 'lines', 'count', 'sum', 'average', 'min', 'max', 'groups'] as const;

export type Ask = (typeof ASKS)[number];

/** A query on a table. */
export interface Question {
  readonly conditions: readonly Condition[];
  readonly ask: Ask;
  /** Columns of the rows; empty for all. */
  readonly columns: readonly number[];
  /** Column of a sum, an average, a minimum or a maximum. */
  readonly column: number;
  /** Column whose equal values form a group. */
  readonly group: number;
  readonly limit: number;
}

export const NOTHING_ASKED: Question = { conditions: [], ask: 'rows', columns: [], column: 0, group: 0, limit: 1000 };

/** Fate of a row group: 0 not needed, 1 ruled out by its zone map, 2 read. */
export type Fate = 0 | 1 | 2;

export interface TableAnswer extends At1Answer {
  readonly groups: readonly Fate[];
}

/** Statistics of all numbers of a column. */
export interface Summed {
  readonly statistics: Statistics;
  /** Bounds of 64-bit integers, which a `number` cannot hold. */
  readonly bounds: readonly [low: bigint, high: bigint] | undefined;
  /** The numbers in the order of the file; for vectors, their norms. */
  readonly curve: Curve;
  /** Number of rows that cannot be decoded, and the first error. */
  readonly leftOut: number;
  readonly why: string;
  /** Number of workers that summed up pieces beside the worker of the file. */
  readonly workers: number;
}

/** A vector near another. */
export interface Neighbour {
  readonly row: number;
  readonly cosine: number;
}

/** Rows of vectors that are unusual: the number of each kind, and the first ones. */
export interface OddRows {
  /** Number of rows that were read. */
  readonly checked: number;
  readonly zeroRows: number;
  readonly zeros: readonly number[];
  /** Rows with a value that is not a number. */
  readonly nanRows: number;
  readonly nans: readonly number[];
  /** Rows that repeat an earlier one. */
  readonly duplicateRows: number;
  readonly duplicates: readonly (readonly [row: number, first: number])[];
}

/** A sample of vectors in the plane of largest variance. */
export interface Projected {
  readonly rows: readonly number[];
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Shares of the variance that the two directions explain. */
  readonly explained: readonly [number, number];
}

/** A request about all vectors of a column. */
export type VectorsWanted =
  | { readonly column: number; readonly near: number; readonly most: number }
  | { readonly column: number; readonly find: 'odd' | 'plane' };

/** A request for the curve of some rows. */
export interface CurveWanted {
  readonly column: number;
  readonly start: number;
  readonly end: number;
}

/** Numbers as minimum and maximum of each interval. */
export interface Curve {
  /** The rows of the curve. */
  readonly start: number;
  readonly end: number;
  readonly low: Float64Array;
  readonly high: Float64Array;
}
