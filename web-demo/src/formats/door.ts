// What the page wants to know of a file of any format, and can ask of it once it is open.
import type { Limits, UnspoolError } from 'unspool';
import type { Structure } from 'unspool/structure';
import type { BinsWanted } from './pco-bins';
import type { Column } from './column';
import type { Report, Summary } from '../model';
import type { Tell } from '../tools/progress';
import type { Content } from '../arrive/remote';
import type { ExportWanted, Question, Rows, TableAnswer, TextSearch, Texts, TextsWanted } from '../values';

/** An open file. A format has those doors that fit what it holds. */
export interface Opened {
  readonly summary: Summary;
  /** What is wrong with it, if some of it can be read all the same. */
  readonly error?: UnspoolError;
  /** Rows of a column, as numbers that can be drawn. */
  rows?(column: number, start: number, end: number): Rows | Promise<Rows>;
  /** Rows of a column of strings. */
  texts?(wanted: TextsWanted): Texts | Promise<Texts>;
  /** The rows that match. */
  search?(wanted: TextSearch, tell: Tell): Uint32Array | Promise<Uint32Array>;
  /** The rows of a table that answer a question. */
  query?(question: Question): Promise<TableAnswer>;
  /** How often each of the bins of a Pco chunk was taken. */
  bins?(wanted: BinsWanted): Uint32Array | Promise<Uint32Array>;
  /** Decoded bytes. */
  bytes?(start: number, end: number): Uint8Array;
  /** A column of numbers, to be summed up or drawn. */
  numbers?(column: number): Column;
  /** The values as a file, part by part. */
  save?(wanted: ExportWanted, tell: Tell): Iterable<BlobPart> | AsyncIterable<BlobPart>;
}

/** An open file that is not in memory. */
export interface Large {
  readonly opened: Opened;
  /** The bytes of its head, whose structure is shown, where only those values are read that are looked at. */
  readonly head?: number;
}

/** Opens a file. Some errors of the core show only then, and not on the walk over its structure. */
export interface Door {
  open(bytes: Uint8Array, structure: Structure, dictionary: Uint8Array | undefined): Opened | Promise<Opened>;
  /** Opens a file that is not in memory, if it is of a kind that allows it. Its first megabytes are there for the asking. */
  openLarge?(source: Blob | string, head: () => Promise<Uint8Array>, dictionary: Uint8Array | undefined): Promise<Large | undefined>;
  /** Opens a file that is not in memory by its outline, which says where everything is. */
  openOutlined?(content: Content, structure: Structure): Promise<Opened>;
  /** For a file that is not in memory: what its outline is made of, and whether few requests to a server give it. */
  readonly outlined?: { readonly read: Report['read']; readonly remote: boolean };
  /** What walking over the structure may take, where it takes as much memory as the content. */
  readonly limits?: Limits;
  /** Files up to so many bytes are read as a whole, if not as large as any. */
  readonly whole?: number;
}
