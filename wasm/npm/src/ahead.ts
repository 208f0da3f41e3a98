// Reads files on servers before it is asked to: a round trip for each part would be most of the time.
import type { ByteRange, Reader } from './source.js';

/** So much is asked for at once. */
const PIECE = 2 ** 19;

/** And so many pieces are under way: a browser asks a server for no more. */
export const AHEAD = 6;

/** Bytes that are on their way, for whom nobody may come. */
function unclaimed(bytes: Promise<Uint8Array>): Promise<Uint8Array> {
  bytes.catch(() => undefined);
  return bytes;
}

/** A reader for who can tell with each range what probably comes behind it. */
export function readForeseen(reader: Reader): (needed: ByteRange, later: readonly ByteRange[]) => Promise<Uint8Array> {
  let coming: { readonly range: ByteRange; readonly bytes: Promise<Uint8Array> }[] = [];
  const find = ({ start, end }: ByteRange) => coming.find(({ range }) => range.start <= start && end <= range.end);
  /** How many are on their way, also of those that are not foreseen any more. */
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
    const [start, whole] = held === undefined ? [needed.start, read(needed)] : [held.range.start, held.bytes];
    // What is not foreseen any more goes, but for what may lie in it.
    coming = coming.filter((part) => later.some((range) => find(range) === part));
    for (const range of later) {
      if (coming.length >= AHEAD - 1 || underWay >= AHEAD) break;
      if (find(range) === undefined) coming.push({ range, bytes: unclaimed(read(range)) });
    }
    return (await whole).subarray(needed.start - start, needed.end - start);
  };
}

/** A reader of pieces that are asked for ahead of whoever reads on. What lies elsewhere is read as it was asked for. */
export function readAhead(reader: Reader, piece = PIECE): Reader {
  const { size } = reader;
  const pieces = new Map<number, Promise<Uint8Array>>();
  let position = 0;
  /** The piece that starts here, with those behind it on their way. */
  const take = (first: number): Promise<Uint8Array> | undefined => {
    for (let start = first; start < Math.min(size, first + AHEAD * piece); start += piece) {
      if (pieces.has(start)) continue;
      pieces.set(start, unclaimed(Promise.resolve(reader.read({ start, end: Math.min(size, start + piece) }))));
    }
    return pieces.get(first);
  };
  const read = async ({ start, end }: ByteRange): Promise<Uint8Array> => {
    if (start > position) return reader.read({ start, end });
    position = Math.max(position, end);
    const bytes = new Uint8Array(Math.max(0, end - start));
    for (let at = start - (start % piece); at < end; at += piece) {
      for (const old of pieces.keys()) if (old < at) pieces.delete(old);
      const part = (await take(at))?.subarray(Math.max(0, start - at), end - at);
      if (part !== undefined) bytes.set(part, Math.max(0, at - start));
    }
    return bytes;
  };
  return { size, read };
}

/** Does the work for each of them, six at a time, and gives what came out in their order. Behind a failure none is begun. */
export async function severally<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
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
