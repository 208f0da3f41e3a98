// The open files, each in a tab. A file is read when its tab is shown for the first time.
import type { OpenFile } from '../client';
import type { Report } from '../model';
import type { Progress } from '../tools/progress';
import type { AnyFile } from './remote';

/** Fetches a file, and reports progress. */
export type Get = (signal: AbortSignal, tell: (done: number, total: number) => void) => Promise<AnyFile>;

/** A file of a comparison. */
export interface Part {
  readonly name: string;
  /** The fragment of the page that opens it alone; `undefined` for a file of the visitor. */
  readonly hash?: string | undefined;
  readonly get: Get;
  readonly dictionary?: Blob | undefined;
}

export type Pair = readonly [a: Part, b: Part];

/** A file to open, and how. */
export interface Wanted {
  /** Its address without the place in it, or the key of a file of the visitor. */
  readonly key: string;
  readonly name: string;
  /** The fragment of the page that opens it; `undefined` for a file of the visitor. */
  readonly hash?: string;
  readonly get: Get;
  readonly dictionary?: Blob | undefined;
  /** Used as the dictionary if the file cannot be decoded without one. */
  readonly perhaps?: Blob | undefined;
  /** The tab of that file, which is closed if it is the dictionary. */
  readonly lends?: string | undefined;
  /** True to list its chunks too. */
  readonly list?: boolean;
  /** Two files to compare, instead of a file to open. */
  readonly pair?: Pair;
}

export type State =
  /** Not read yet, or closed to save memory. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'busy'; readonly doing: string; readonly progress: Progress | undefined }
  | { readonly kind: 'failed'; readonly message: string; readonly canRetry: boolean }
  | { readonly kind: 'open'; readonly file: OpenFile; readonly report: Report }
  | { readonly kind: 'pair'; readonly pair: Pair };

export interface Entry {
  readonly wanted: Wanted;
  readonly state: State;
  /** Each visit of an address starts at the place it names, even if the file is already open. */
  readonly visit: number;
}

/** Files that stay in memory; others are read again when their tab is shown. */
export const AWAKE = 6;
