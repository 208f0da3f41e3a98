// Changes to the structure of a file before it is shown.
import * as Name from 'unspool/names';
import { nodeAt, type Structure } from 'unspool/inspect';

/** The part of bytes that are compressed and were not taken apart. */
export const PACKED = 'packed';

const GROUP = 255;

/** Fields that hold compressed bytes, if their part is data. Of the others, their value tells. */
const COMPRESSED: ReadonlySet<number> = new Set([Name.Content, Name.ContentOfDecodedSize, Name.PageOfNumbers, Name.Bytes]);

/**
 * Moves compressed bytes to a part of their own. Without it, the blocks of a large file would have
 * the colour of plain values, and those of a small one the colours of their content.
 */
export function withPacked(structure: Structure): Structure {
  const { length, name, parts } = structure;
  const [data, part] = [parts.indexOf('data'), structure.part.slice()];
  let any = false;
  for (let at = 0; at < length; at++) {
    if (part[at] !== data || !isCompressed(structure, at, name[at] ?? 0)) continue;
    part[at] = parts.length;
    any = true;
  }
  return any ? { ...structure, part, parts: [...parts, PACKED] } : structure;
}

function isCompressed(structure: Structure, at: number, id: number): boolean {
  return COMPRESSED.has(id) || (id === Name.Values && nodeAt(structure, at).value === 'lossless');
}

/** Returns the start of each node at the top, and the end of the last. */
function topOf({ length, depth, start, end }: Structure): readonly [starts: number[], end: number] {
  const starts: number[] = [];
  let last = 0;
  for (let at = 0; at < length; at++) {
    if (depth[at] !== 0) continue;
    starts.push(at);
    last = Math.max(last, (end[at] ?? 0) / 8);
  }
  return [starts, starts.length === 0 ? 0 : Math.max(last, (start[starts.at(-1) ?? 0] ?? 0) / 8)];
}

/** Errors that mean: no further frame, stream or member starts here. */
const NO_START: ReadonlySet<string> = new Set(['ZstdMagic', 'XzMagic', 'GzipMagic', 'At1Trailing']);
/** Bytes that every format needs to start, and the error of fewer. */
const [LEAST, CUT] = [4, 'Truncated'];

/** Returns the end of a complete file that an error after it is about. */
export function endOf({ name, offset }: { readonly name: string; readonly offset: number }): number | undefined {
  return NO_START.has(name) && offset > 0 ? offset : undefined;
}

interface Ended {
  readonly structure: Structure;
  readonly size: number;
  readonly error: { readonly name: string; readonly offset: number } | undefined;
}

/**
 * Returns the end of a complete file that other bytes follow; `undefined` if it is not complete. A
 * few bytes may be the start of something, if they are those that the file starts with.
 */
export function endBefore({ structure, size, error }: Ended, bytes: Uint8Array): number | undefined {
  if (error === undefined) return undefined;
  const known = endOf(error);
  if (known !== undefined) return known;
  const [starts, end] = topOf(withoutEmptyEnd(structure));
  // Padding of a wrong length is no part of the file either.
  const padding = starts.at(-1) ?? -1;
  const before = padding > 0 && structure.name[padding] === Name.StreamPadding ? (structure.start[padding] ?? 0) / 8 : end;
  return error.name === CUT && before > 0 && before < size && size - before < LEAST && bytes[before] !== bytes[0] ? before : undefined;
}

/** Returns the structure of a head, without groups that start after it. */
export function withoutEmptyEnd(structure: Structure): Structure {
  let { length } = structure;
  while (length > 0 && structure.part[length - 1] === GROUP && (structure.end[length - 1] ?? 0) <= (structure.start[length - 1] ?? 0)) length--;
  return { ...structure, length };
}

/** Adds the bytes from `end` to `size`, which follow the file. */
export function withTrailing(structure: Structure, end: number, size: number): Structure {
  const known = withoutEmptyEnd(structure);
  const at = known.length;
  const part = known.parts.indexOf('padding');
  return joined(known, at, {
    ...known,
    length: 1, start: Float64Array.of(8 * end), end: Float64Array.of(8 * size), depth: Uint8Array.of(0), part: Uint8Array.of(part), name: Uint16Array.of(Name.TrailingBytes),
    valueEnd: Uint32Array.of(0), values: new Uint8Array(),
  }, 0);
}

/**
 * Adds the chunks after a broken one: each of them decodes by itself. They come from the outline,
 * which knows them by their lengths.
 */
export function withLaterChunks(structure: Structure, outline: Structure): Structure {
  const from = structure.start[topOf(structure)[0].at(-1) ?? 0] ?? 0;
  const next = topOf(outline)[0].find((at) => (outline.start[at] ?? 0) > from);
  return next === undefined ? structure : joined(structure, structure.length, outline, next);
}

/** Joins the first nodes of a structure, and another one from a node on. */
function joined(one: Structure, length: number, other: Structure, from: number): Structure {
  const before = one.valueEnd[length - 1] ?? 0;
  const skipped = from === 0 ? 0 : (other.valueEnd[from - 1] ?? 0);
  const both = <T extends Float64Array | Uint8Array | Uint16Array | Uint32Array>(head: T, tail: T): T => {
    const all = new (head.constructor as new (length: number) => T)(length + other.length - from);
    all.set(head.subarray(0, length));
    all.set(tail.subarray(from, other.length), length);
    return all;
  };
  const text = other.values.subarray(skipped, other.valueEnd[other.length - 1] ?? 0);
  const values = new Uint8Array(before + text.length);
  values.set(one.values.subarray(0, before));
  values.set(text, before);
  const valueEnd = both(one.valueEnd, other.valueEnd);
  for (let at = length; at < valueEnd.length; at++) valueEnd[at] = (valueEnd[at] ?? 0) - skipped + before;
  const part = both(one.part, other.part);
  // Both come from the same inspector; only a part of the page's own may differ.
  return {
    ...one, length: valueEnd.length, leftOut: one.leftOut + other.leftOut, start: both(one.start, other.start), end: both(one.end, other.end),
    depth: both(one.depth, other.depth), part, name: both(one.name, other.name), valueEnd, values,
  };
}
