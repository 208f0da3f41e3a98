// Feeds a file to a walk of an inspector, piece by piece.
import { UnspoolError } from './error.js';
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
}

/** Length of a piece. It doubles for a part of the file that a walk reads as one and is longer. */
const PIECE = 2 ** 20;

/** @internal Feeds the file to a walk until that has ended, or the file has. */
export async function feed(source: Source, call: <R>(run: (walk: Walk) => R) => R, { limits, signal, onProgress }: WalkOptions): Promise<void> {
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

/** @internal Returns the error that ended a walk, from three numbers. */
export function errorOf(numbers: ArrayLike<number> | undefined): UnspoolError | undefined {
  if (numbers === undefined) return undefined;
  return new UnspoolError(numbers[0] ?? 0, { offset: numbers[1] ?? 0, need: numbers[2] ?? 0 });
}
