// Messages between a pool and its workers.
import type { At1DecodeOptions } from '../at1.js';
import type { At1QueryOptions } from '../at1-query.js';
import type { CvcDecodeOptions } from '../cvc.js';
import type { DecodeOptions } from '../decode.js';
import type { PlainError } from '../error.js';
import type { Family, Decoder } from '../formats.js';
import type { WasmModule } from '../init.js';
import type { InspectOptions } from '../inspection.js';
import type { LzmaDecodeOptions } from '../lzma.js';
import type { OnPairDecodeOptions } from '../onpair.js';
import type { PcoDecodeOptions, PcoOptions, PcoWrapped } from '../pco.js';
import type { ByteRange } from '../source.js';
import type { ZstdDecodeOptions } from '../zstd.js';

/** Progress of a job. */
export interface Progress {
  /** A file that is not in memory is read first; then the bytes are decoded. */
  readonly phase: 'read' | 'work';
  /** Bytes processed. */
  readonly done: number;
  /** Length of the file. */
  readonly total: number;
}

/** A module that workers share. */
export type SharedModule = Decoder | `${Family}-inspect`;

/** A file that the pool reads for the worker. */
export interface RemoteFile {
  /** Length in bytes. */
  readonly size: number;
  /** True if each read takes a round trip. */
  readonly isRemote: boolean;
}

/** A file in a message. */
export type SentFile = Uint8Array | Blob | RemoteFile;

/** The output of `decodeInto`: shared memory, or the class and the length of an array to return. */
export type SentOutput = ArrayBufferView | { readonly kind: string; readonly length: number };

/** What each job gets, by its name. */
export interface Jobs {
  decode: { readonly file: SentFile; readonly options: DecodeOptions };
  decodeInto: { readonly file: SentFile; readonly to: SentOutput; readonly options: DecodeOptions };
  inspect: { readonly file: SentFile; readonly options: InspectOptions };
  decodeAt1: { readonly file: SentFile; readonly options: At1DecodeOptions };
  decodeCvc: { readonly file: SentFile; readonly options: CvcDecodeOptions };
  decodeGzip: { readonly file: SentFile; readonly options: DecodeOptions };
  decodeLzma: { readonly file: SentFile; readonly options: LzmaDecodeOptions };
  decodeOnPair: { readonly file: SentFile; readonly options: OnPairDecodeOptions };
  decodePco: { readonly file: SentFile; readonly options: PcoDecodeOptions };
  decodePcoPages: { readonly file: PcoWrapped; readonly options: PcoOptions };
  decodeXz: { readonly file: SentFile; readonly options: DecodeOptions };
  decodeZstd: { readonly file: SentFile; readonly options: ZstdDecodeOptions };
  queryAt1: { readonly file: SentFile; readonly options: At1QueryOptions };
}

/** A job in a message. */
export type Job = { [N in keyof Jobs]: { readonly name: N } & Jobs[N] }[keyof Jobs];

/** A message to a worker. Each job is answered before the next one is sent. */
export type Command =
  | { readonly job: Job }
  | { readonly abort: true }
  /** The answer to a read: without bytes if it failed. */
  | { readonly read: number; readonly bytes: Uint8Array | undefined }
  | { readonly module: SharedModule; readonly compiled: WasmModule };

/** A message of a worker. The first one is `ready`. */
export type Reply =
  | { readonly ready: true }
  | { readonly wants: SharedModule }
  | { readonly read: number; readonly range: ByteRange }
  | { readonly progress: Progress }
  | Answer;

/** The end of a job. `unread` is a failed read whose bytes it needed. */
export type Answer = { readonly result: unknown } | { readonly refused: PlainError } | { readonly unread: number } | { readonly failed: Failure };

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

/** Collects the memory in a message that can be transferred: that of all arrays, unless shared. */
export function buffers(value: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) buffers(part, found);
  }
  return [...found];
}
