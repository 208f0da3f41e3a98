// Tables and sequences of Zstandard: their positions in a file, and the meaning of their codes.
import type { ZstdFormat } from 'unspool';
import * as Name from 'unspool/names';
import { nodeAt, type Structure } from 'unspool/inspect';
import type { Report } from '../model';
import { placesNamed } from './named';
import { codec as text } from '../words';

/** Position and kind of a table description. */
export interface TablePlace {
  readonly node: number;
  readonly kind: typeof Name.HuffmanCode | SequenceKind;
  readonly block: string;
  readonly start: number;
  readonly end: number;
  /** Length of the longest code, or of a state, in bits. */
  readonly log: number;
}

type SequenceKind = typeof Name.LiteralLengths | typeof Name.Offsets | typeof Name.MatchLengths;

/** A symbol with a code. */
export interface Code {
  readonly symbol: number;
  /** What the symbol represents. */
  readonly meaning: string;
  /** The code; empty in an FSE table, where a symbol has a share of the states. */
  readonly code: string;
  /** Cost in bits, on average if not whole. */
  readonly bits: number;
  /** Share of all states, or of all codes of maximum length. */
  readonly share: number;
}

/** Returns the table descriptions in order. Predefined and repeated tables have none. */
export function tablesOf(structure: Structure): TablePlace[] {
  const interesting = [Name.Frame, Name.Block, Name.HuffmanCode, Name.LiteralLengths, Name.Offsets, Name.MatchLengths];
  const places: TablePlace[] = [];
  let [frame, block] = [-1, -1];
  for (const node of placesNamed(structure, interesting)) {
    const { id, value, part, start, end } = nodeAt(structure, node);
    if (part === undefined && id === Name.Frame) [frame, block] = [frame + 1, -1];
    if (part === undefined && id === Name.Block) block++;
    // A table with one symbol is that symbol, in one byte.
    if (part !== 'table' || end - start <= 8) continue;
    places.push({ node, kind: id as TablePlace['kind'], block: text.block(frame > 0 ? frame : undefined, block), start: start / 8, end: end / 8, log: Number(value) });
  }
  return places;
}

/** Returns the flavour of a file. For a large file, only as far as its magic number shows it. */
export function versionOf({ format, zstd }: Pick<Report, 'format' | 'zstd'>): ZstdFormat | undefined {
  return zstd ?? (format === 'zstd-v07' ? format : undefined);
}

/** A compressed block with sequences. */
export interface BlockPlace {
  /** Node of its sequences. */
  readonly node: number;
  readonly block: string;
  /** Block number in its frame. */
  readonly index: number;
  readonly count: number;
  /**
   * Bytes needed to read them: the frame, or for a large one, its start up to the end of the block.
   */
  readonly start: number;
  readonly end: number;
}

/** Maximum length of a frame to read as a whole: all of its blocks show its flavour. */
const WHOLE = 2 ** 24;

/** Returns the blocks with sequences. */
export function blocksOf(structure: Structure): BlockPlace[] {
  const places: BlockPlace[] = [];
  let [frames, index, start, frameEnd, blockEnd] = [0, 0, 0, 0, 0];
  for (const node of placesNamed(structure, [Name.Frame, Name.Block, Name.Sequences])) {
    const group = nodeAt(structure, node);
    if (group.part !== undefined) continue;
    if (group.id === Name.Frame) [frames, index, start, frameEnd] = [frames + 1, -1, group.start / 8, group.end / 8];
    else if (group.id === Name.Block) [index, blockEnd] = [index + 1, group.end / 8];
    else if (group.value !== '0') {
      const end = frameEnd - start > WHOLE ? blockEnd : frameEnd;
      places.push({ node, block: text.block(frames > 1 ? frames - 1 : undefined, index), index, count: Number(group.value), start, end });
    }
  }
  return places;
}

/** Returns the codes of a table, the most likely first, from the numbers in its description. */
export function codesOf({ kind, log }: TablePlace, numbers: ArrayLike<number>): Code[] {
  const all = Array.from(numbers);
  const codes = kind === Name.HuffmanCode ? prefixCodes(all) : shares(all, log, kind);
  return codes.sort((a, b) => b.share - a.share || a.symbol - b.symbol);
}

/** Builds prefix codes from their lengths: longest first, then lowest literals. */
function prefixCodes(lengths: readonly number[]): Code[] {
  const depth = Math.max(...lengths);
  const codes: Code[] = [];
  let place = 0;
  for (let length = depth; length > 0; length--) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue;
      const share = 2 ** (depth - length);
      codes.push({ symbol, meaning: literal(symbol), code: (place >> (depth - length)).toString(2).padStart(length, '0'), bits: length, share });
      place += share;
    }
  }
  return codes;
}

function shares(counts: readonly number[], log: number, kind: SequenceKind): Code[] {
  return counts.flatMap((count, symbol) => (count === 0 ? [] : [{ symbol, meaning: meaningOf(kind, symbol), code: '', bits: log - Math.log2(Math.abs(count)), share: Math.abs(count) }]));
}

function literal(byte: number): string {
  return byte > 32 && byte < 127 ? `“${String.fromCharCode(byte)}”` : byte === 32 ? text.space : byte === 10 ? text.lineFeed : '';
}

/**
 * Extra bits of codes after the first: literal lengths from code 16, match lengths from code 32.
 */
const EXTRA = { [Name.LiteralLengths]: [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], [Name.MatchLengths]: [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] };

/**
 * Formats what a code of a sequence represents: a number, or a range that its extra bits choose
 * from.
 */
function meaningOf(kind: SequenceKind, symbol: number): string {
  if (kind === Name.Offsets) return symbol === 0 ? text.lastOffset : symbol === 1 ? text.earlierOffset : text.back(2 ** symbol - 3, 2 ** (symbol + 1) - 4);
  const [first, least] = kind === Name.LiteralLengths ? [16, 0] : [32, 3];
  if (symbol < first) return String(symbol + least);
  const extra = EXTRA[kind];
  const start = extra.slice(0, symbol - first).reduce((sum, bits) => sum + 2 ** bits, first + least);
  return text.range(start, start + 2 ** (extra[symbol - first] ?? 0) - 1);
}
