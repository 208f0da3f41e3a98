// xz and gzip: the part of the file that holds a byte of the content. What is copied is exact; of
// symbols, it is the chunk or member that holds them.
import * as Name from 'unspool/names';
import { nodeAt } from 'unspool/inspect';
import { placesNamed } from '../formats/named';
import { trace as words } from '../words';
import { bytesAsBits, lastAtMost, type Found, type MakeTracer } from './tracer';

/** A part of the file, and its content. */
interface Part {
  readonly node: string;
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly length: number;
  /** True if its bytes are those of the content. */
  readonly copied: boolean;
}

export const stored: MakeTracer = (_, report) => {
  const { structure } = report.model;
  const parts: Part[] = [];
  let [length, plain] = [0, true];
  for (const at of placesNamed(structure, [Name.Filter, Name.Block, Name.ChunkSizes, Name.ChunkSize, Name.LzmaSymbols, Name.CopiedBytes, Name.Deflate])) {
    const { id, value, name, part, start, end } = nodeAt(structure, at);
    if (id === Name.Block) plain = true;
    else if (id === Name.Filter) plain &&= value === 'LZMA2';
    else if (id === Name.ChunkSizes || id === Name.ChunkSize) length = Number(value);
    else if (part !== undefined) {
      const before = parts.at(-1);
      const first = (before?.first ?? 0) + (before?.length ?? 0);
      const held = id === Name.Deflate ? Number(value) : length;
      parts.push({ node: name, start: start / 8, end: end / 8, first, length: held, copied: id === Name.CopiedBytes && plain });
    }
  }
  const firsts = parts.map(({ first }) => first);
  return {
    async pieces({ row }) {
      const part = parts[lastAtMost(firsts, row)];
      if (part === undefined || row >= part.first + part.length) return [];
      const at = part.start + row - part.first;
      return [
        { what: part.node, value: words.content('', part.first, part.first + part.length - 1), bits: bytesAsBits(part.start, part.end) },
        ...(part.copied ? [{ what: words.storedByte, value: part.node, bits: bytesAsBits(at, at + 1) }] : []),
      ];
    },
    async valuesAt(byte) {
      const found: Found[] = [];
      for (const { node, start, end, first, length, copied } of parts) {
        if (byte < start || byte >= end || length === 0) continue;
        const row = copied ? first + byte - start : first;
        found.push({ first: { column: 0, row, place: 0 }, words: words.content(node, row, copied ? row : first + length - 1) });
      }
      return found;
    },
  };
};
