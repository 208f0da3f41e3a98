// What goes back and forth between a page and its worker.
import type { DecodeOptions } from '../decode.js';
import type { PlainError } from '../error.js';
import type { InspectOptions } from '../inspect.js';

/** How far a job is. */
export interface Progress {
  /** Bytes are read from a `Blob` first, and then worked on. */
  readonly phase: 'read' | 'work';
  /** Bytes of the file. */
  readonly done: number;
  readonly total: number;
}

/** What a worker can do. */
export type Job =
  | { readonly decode: Uint8Array | Blob; readonly options: DecodeOptions }
  | { readonly inspect: Uint8Array | Blob; readonly options: InspectOptions };

/** What comes back. */
export type Reply =
  | { readonly progress: Progress }
  | { readonly result: unknown }
  | { readonly refused: PlainError }
  | { readonly failed: Failure };

/** Any other error, which has no number. */
export interface Failure {
  readonly name: string;
  readonly message: string;
}

/** One end of the line. */
export interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}
