// What the page wants to know of a file of any format, and can ask of it once it is open.
import type { Structure } from 'unspool';
import type { Summary } from '../model';
import type { Rows, TextSearch, Texts, TextsWanted } from '../values';

/** An open file. A format has those doors that fit what it holds. */
export interface Opened {
  readonly summary: Summary;
  /** Rows of a column, as numbers that can be drawn. */
  rows?(column: number, start: number, end: number): Rows | Promise<Rows>;
  /** Rows of a column of strings. */
  texts?(wanted: TextsWanted): Texts;
  /** The rows that match. */
  search?(wanted: TextSearch): Uint32Array;
  /** Decoded bytes. */
  bytes?(start: number, end: number): Uint8Array;
}

/** Opens a file. Whatever it throws of the core's errors, the structure has met too. */
export type Door = (blob: Blob, bytes: Uint8Array, structure: Structure) => Opened | Promise<Opened>;
