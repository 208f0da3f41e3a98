// Messages between a page and its worker.
import type { DecodeOptions } from '../decode.js';
import type { PlainError } from '../error.js';
import type { InspectOptions } from '../inspect.js';

/** Progress of a job. */
export interface Progress {
  /** A `Blob` is read first; then the bytes are decoded. */
  readonly phase: 'read' | 'work';
  /** Bytes processed. */
  readonly done: number;
  /** Length of the file. */
  readonly total: number;
}

/** A job for the worker. */
export type Job =
  | { readonly decode: Uint8Array | Blob; readonly options: DecodeOptions }
  | { readonly inspect: Uint8Array | Blob; readonly options: InspectOptions };

/** A message of the worker. The first one is `ready`. */
export type Reply =
  | { readonly ready: true }
  | { readonly progress: Progress }
  | { readonly result: unknown }
  | { readonly refused: PlainError }
  | { readonly failed: Failure };

/** An error that is not an `UnspoolError`. */
export interface Failure {
  /** Name of the error. */
  readonly name: string;
  /** Message text. */
  readonly message: string;
}

/** One end of the message channel. */
export interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
}
