// Decoded values on their way from the worker to the page.
import type { CvcData, PcoData, Statistics } from 'unspool';

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
}

/** What the numbers of a column come to. */
export interface Summed {
  readonly statistics: Statistics;
  /** How many values were looked at, and how many there are. */
  readonly values: number;
  readonly all: number;
}
