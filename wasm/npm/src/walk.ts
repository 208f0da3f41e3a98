// Feeds a file to a walk of an inspector, piece by piece.
import { UnspoolError } from './error.js';
import { inspectorFor } from './inspection.js';
import { loadInspector } from './inspectors.js';
import { type Exports, Handle } from './instance.js';
import type { Limits } from './limits.js';
import { openSource, type Source } from './source.js';

/** Options of functions that walk over a file. */
export interface WalkOptions {
  /** Limits for this call. */
  limits?: Limits | undefined;
  /** Aborts between two pieces of the file. */
  signal?: AbortSignal | undefined;
  /** Reports progress in bytes of the file. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** A walk in a module, as far as it has come. */
interface Walk {
  /** Returns the bit at which it goes on. */
  position(): number;
  /** Reads a piece of the file. Returns `true` if it needs another. */
  feed(piece: Uint8Array, at: number, isLast: boolean): boolean;
  /** Returns what was listed. */
  found(): Float64Array;
  /** Returns what was counted. */
  counts(): Float64Array;
  /** Returns the error that ended it as three numbers, or nothing. */
  error(): ArrayLike<number> | undefined;
  free(): void;
}

/** Length of a piece. It doubles for a part of the file that a walk reads as one and is longer. */
const PIECE = 2 ** 20;

/** @internal Walks over a file. Returns what was found, with the `own` results of the walk. */
export async function walk<W extends Walk, Own>(source: Source, format: 'gzip' | 'xz' | 'lzma', make: (wasm: Exports) => W, own: (walk: W) => Own, options: WalkOptions) {
  await loadInspector(format);
  const handle = new Handle(inspectorFor(format), make);
  try {
    await feed(source, (run) => handle.call(run), options);
    return handle.call((walk) => ({ ...own(walk), rows: walk.found(), counts: walk.counts(), error: errorOf(walk.error()) }));
  } finally {
    handle.free();
  }
}

/** @internal Returns one number of each row of this many. */
export const columnOf = (rows: Float64Array, width: number, first: number): Float64Array => Float64Array.from({ length: rows.length / width }, (_, at) => rows[width * at + first] ?? 0);

/** Feeds the file to a walk until that has ended, or the file has. */
async function feed(source: Source, call: <R>(run: (walk: Walk) => R) => R, { limits, signal, onProgress }: WalkOptions): Promise<void> {
  const reader = await openSource(source, { limits, signal });
  const position = (): number => Math.floor(call((walk) => walk.position()) / 8);
  let length = PIECE;
  for (let [at, goes] = [position(), true]; goes; ) {
    const end = Math.min(reader.size, at + length);
    const piece = await reader.read({ start: at, end });
    signal?.throwIfAborted();
    goes = call((walk) => walk.feed(piece, at, end === reader.size));
    onProgress?.(end, reader.size);
    const next = position();
    length = next > at ? PIECE : 2 * length;
    at = next;
  }
}

/** Returns the error that ended a walk, from three numbers. */
function errorOf(numbers: ArrayLike<number> | undefined): UnspoolError | undefined {
  if (numbers === undefined) return undefined;
  return new UnspoolError(numbers[0] ?? 0, { offset: numbers[1] ?? 0, need: numbers[2] ?? 0 });
}
