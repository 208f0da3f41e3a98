// Searches a file for bytes in the worker, one piece at a time.
import type { Tell } from '../tools/progress';
import type { Content } from '../arrive/remote';

export interface Sought {
  readonly needle: Uint8Array<ArrayBuffer>;
  /** The byte under the cursor, or -1. The search starts next to it and wraps around. */
  readonly from: number;
  readonly backwards: boolean;
}

const STRETCH = 4 * 2 ** 20;

/** Returns the next match, or -1. */
export async function find(content: Content, { needle, from, backwards }: Sought, tell: Tell): Promise<number> {
  const { size } = content;
  const starts = size - needle.length + 1;
  if (starts <= 0) return -1;
  let done = 0;
  const step = (places: number): Promise<void> => tell({ done: (done += places), total: starts });
  if (backwards) {
    const before = from < 0 ? starts : Math.min(from, starts);
    const found = await last(content, needle, 0, before, step);
    return found >= 0 ? found : last(content, needle, before, starts, step);
  }
  const after = Math.min(from + 1, starts);
  const found = await first(content, needle, after, starts, step);
  return found >= 0 ? found : first(content, needle, 0, after, step);
}

/**
 * Returns the last match before a byte, or the last of all. Reads forwards only, for content that
 * is decoded on the way.
 */
export async function findBefore(content: Content, { needle, from }: Sought, tell: Tell): Promise<number> {
  const starts = content.size - needle.length + 1;
  const before = from < 0 ? starts : from;
  let found = -1;
  for (let at = 0; at < starts && (at < before || found < 0 || found >= before); at += STRETCH) {
    const matches = await places(content, needle, at, Math.min(starts, at + STRETCH));
    found = matches.filter((place) => place < before).at(-1) ?? (found >= 0 && found < before ? found : (matches.at(-1) ?? found));
    await tell({ done: at + STRETCH, total: starts });
  }
  return found;
}

/** Returns the first match from `low` on and below `high`, or -1. */
async function first(content: Content, needle: Uint8Array, low: number, high: number, step: (places: number) => Promise<void>): Promise<number> {
  for (let at = low; at < high; at += STRETCH) {
    const [found] = await places(content, needle, at, Math.min(high, at + STRETCH));
    if (found !== undefined) return found;
    await step(STRETCH);
  }
  return -1;
}

async function last(content: Content, needle: Uint8Array, low: number, high: number, step: (places: number) => Promise<void>): Promise<number> {
  for (let end = high; end > low; end -= STRETCH) {
    const found = (await places(content, needle, Math.max(low, end - STRETCH), end)).at(-1);
    if (found !== undefined) return found;
    await step(STRETCH);
  }
  return -1;
}

/** Returns all matches in one piece. */
async function places(content: Content, needle: Uint8Array, start: number, end: number): Promise<number[]> {
  const bytes = new Uint8Array(await content.slice(start, end + needle.length - 1).arrayBuffer());
  const found = [];
  for (let at = bytes.indexOf(needle[0] ?? 0); at >= 0; at = bytes.indexOf(needle[0] ?? 0, at + 1)) {
    if (at + needle.length <= bytes.length && needle.every((byte, index) => bytes[at + index] === byte)) found.push(start + at);
  }
  return found;
}
