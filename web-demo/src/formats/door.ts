// The interface between the worker and each format.
import type { DecodeStream, Limits, OnPairStrings, UnspoolError, ZstdFormat } from 'unspool';
import type { Structure } from 'unspool/inspect';
import type { Checked } from './check';
import type { BinsWanted } from './pco-bins';
import type { Column } from './column';
import type { Report, Summary } from '../model';
import type { Tell } from '../tools/progress';
import type { AnyFile } from '../arrive/remote';
import type { ExportWanted, Question, Rows, TableAnswer, TextSearch, Texts, TextsWanted } from '../values';

/** An open file. A format has the methods that fit its content. */
export interface Opened {
  readonly summary: Summary;
  /** The error of a file that is partly readable. */
  readonly error?: UnspoolError;
  /** Reads rows of a column as numbers to draw. */
  rows?(column: number, start: number, end: number): Rows | Promise<Rows>;
  /** Reads rows of a string column. */
  texts?(wanted: TextsWanted): Texts | Promise<Texts>;
  /** Reads rows of a string column as bytes. */
  strings?(start: number, end: number): OnPairStrings | Promise<OnPairStrings>;
  /** Returns the matching rows. */
  search?(wanted: TextSearch, tell: Tell): Uint32Array | Promise<Uint32Array>;
  /** Queries a table. */
  query?(question: Question): Promise<TableAnswer>;
  /** Counts how often each bin of a Pco chunk is used. */
  bins?(wanted: BinsWanted): Uint32Array | Promise<Uint32Array>;
  /** Reads decoded bytes. */
  bytes?(start: number, end: number): Uint8Array;
  /** Returns a column of numbers, to be summarised or drawn. */
  numbers?(column: number): Column;
  /** Decodes everything, keeps nothing, and reports the first error. */
  check?(tell: Tell): Promise<Checked>;
  /** Saves the values, in parts. */
  save?(wanted: ExportWanted, tell: Tell): Iterable<BlobPart> | AsyncIterable<BlobPart>;
}

/** Decodes the values of a file that is in memory; `undefined` if anything is wrong with it. */
export type OpenValues = (bytes: Uint8Array) => Opened | undefined;

/** An open file that is not in memory. */
export interface Large {
  readonly opened: Opened;
  /** Length of its head, whose structure is shown. Values are read on demand. */
  readonly head?: number;
}

/** Opens files of a format. Some errors are raised only here, and not by `inspect`. */
export interface Door {
  open(bytes: Uint8Array, structure: Structure, dictionary: Uint8Array | undefined): Opened | Promise<Opened>;
  /**
   * Opens a file that is not in memory, if the format allows it. `head` reads its first megabytes.
   */
  openLarge?(file: AnyFile, head: () => Promise<Uint8Array>, dictionary: Uint8Array | undefined): Promise<Large | undefined>;
  /** Opens a file that is not in memory by its outline. */
  openOutlined?(file: AnyFile, structure: Structure): Promise<Opened>;
  /** Creates a stream that decodes content, which need not be in memory. */
  stream?(dictionary: Uint8Array | undefined, zstd: ZstdFormat | undefined): Promise<DecodeStream>;
  /** Checks a file that is not in memory, if opening it did not. */
  check?(file: AnyFile, dictionary: Uint8Array | undefined, tell: Tell, signal: AbortSignal): Promise<Checked>;
  /**
   * For a file that is not in memory: the kind of its outline, and whether it takes few requests to
   * a server.
   */
  readonly outlined?: { readonly read: Report['read']; readonly remote: boolean };
  /** Limits for `inspect`, where it needs as much memory as the content. */
  readonly limits?: Limits;
  /** Maximum length of a file to read as a whole, if there is one. */
  readonly whole?: number;
}
