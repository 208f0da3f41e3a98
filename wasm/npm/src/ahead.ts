// Reads ahead from servers, where round trips would dominate.
import type { ByteRange, Reader } from './source.js';

/** Bytes per read. */
const PIECE = 2 ** 19;

/** Maximum number of reads in flight: the limit of a browser for one server. */
export const AHEAD = 6;

/** A read of more than is needed, or of bytes that may never be needed. */
export interface Guess {
  /** First byte. */
  readonly start: number;
  readonly bytes: Promise<Uint8Array>;
}

/** Returns a guess, which may never be awaited. */
function guess(start: number, bytes: Uint8Array | Promise<Uint8Array>): Guess {
  const promise = Promise.resolve(bytes);
  promise.catch(() => undefined);
  return { start, bytes: promise };
}

/** Returns a needed range of a guess. If the guess failed, reads that range alone. */
async function partOf({ start, bytes }: Guess, needed: ByteRange, read: Reader['read']): Promise<Uint8Array> {
  try {
    return (await bytes).subarray(needed.start - start, needed.end - start);
  } catch {
    return read(needed);
  }
}

/** Returns a reader that takes, with each range, the ranges that will probably follow. */
export function readForeseen(reader: Reader): (needed: ByteRange, later: readonly ByteRange[]) => Promise<Uint8Array> {
  let coming: { readonly range: ByteRange; readonly guess: Guess }[] = [];
  const find = ({ start, end }: ByteRange) => coming.find(({ range }) => range.start <= start && end <= range.end);
  /** Number of reads in flight, including those no longer wanted. */
  let underWay = 0;
  const read = async (range: ByteRange): Promise<Uint8Array> => {
    underWay++;
    try {
      return await reader.read(range);
    } finally {
      underWay--;
    }
  };
  return async (needed, later) => {
    const held = find(needed);
    const bytes = held === undefined ? read(needed) : partOf(held.guess, needed, read);
    // Drop reads that are no longer wanted.
    coming = coming.filter((part) => later.some((range) => find(range) === part));
    for (const range of later) {
      if (coming.length >= AHEAD - 1 || underWay >= AHEAD) break;
      if (find(range) === undefined) coming.push({ range, guess: guess(range.start, read(range)) });
    }
    return bytes;
  };
}

/**
 * Returns a reader that reads ahead in fixed pieces while the caller reads forward. Other ranges
 * are read directly.
 */
export function readAhead(reader: Reader, piece = PIECE): Reader {
  const { size } = reader;
  const pieces = new Map<number, Guess>();
  let position = 0;
  /** Returns a piece, and starts to read those after it. */
  const take = (first: number): Guess | undefined => {
    for (let start = first; start < Math.min(size, first + AHEAD * piece); start += piece) {
      if (pieces.has(start)) continue;
      pieces.set(start, guess(start, reader.read({ start, end: Math.min(size, start + piece) })));
    }
    return pieces.get(first);
  };
  const read = async ({ start, end }: ByteRange): Promise<Uint8Array> => {
    if (start > position) return reader.read({ start, end });
    position = Math.max(position, end);
    const bytes = new Uint8Array(Math.max(0, end - start));
    for (let at = start - (start % piece); at < end; at += piece) {
      for (const old of pieces.keys()) if (old < at) pieces.delete(old);
      const taken = take(at);
      const needed = { start: Math.max(start, at), end: Math.min(end, at + piece) };
      if (taken !== undefined) bytes.set(await partOf(taken, needed, (range) => reader.read(range)), needed.start - start);
    }
    return bytes;
  };
  return { size, read };
}

/** Maps items concurrently, six at a time, in order. After a failure no further item is started. */
export async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = [...items.entries()].reverse();
  const turn = async (): Promise<void> => {
    for (let next; (next = queue.pop()) !== undefined; ) results[next[0]] = await work(next[1]);
  };
  try {
    await Promise.all(Array.from({ length: AHEAD }, turn));
  } finally {
    queue.length = 0;
  }
  return results;
}
