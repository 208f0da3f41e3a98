// The tables of Zstandard as their descriptions say: how long the codes of literals are, and how likely the codes of sequences.
import { nodeAt, type Structure } from 'unspool/separate';

/** Where a table is described, and of what. */
export interface TablePlace {
  readonly node: number;
  readonly kind: 'huffman code' | SequenceKind;
  readonly block: string;
  readonly start: number;
  readonly end: number;
  /** How long the longest code is, or of how many bits a state, as the decoder says. */
  readonly log: number;
}

type SequenceKind = 'literal lengths' | 'offsets' | 'match lengths';

/** A symbol that has a code. */
export interface Code {
  readonly symbol: number;
  /** What it stands for. */
  readonly meaning: string;
  /** The code itself; empty where a symbol takes a share of the states instead. */
  readonly code: string;
  /** How many bits it costs, in the mean where that is no whole number. */
  readonly bits: number;
  /** Of how many of all states it is; of a prefix code, of how many codes of the longest length. */
  readonly share: number;
}

const KINDS: readonly string[] = ['huffman code', 'literal lengths', 'offsets', 'match lengths'] satisfies TablePlace['kind'][];

/** The descriptions of a structure, in the order of the file; tables that are predefined or repeated have none. */
export function tablesOf(structure: Structure): TablePlace[] {
  const interesting = new Set(structure.names.flatMap((name, at) => (KINDS.includes(name) || name === 'block' || name === 'frame' ? [at] : [])));
  const places: TablePlace[] = [];
  let [frame, block] = [-1, -1];
  for (let node = 0; node < structure.length; node++) {
    if (!interesting.has(structure.name[node] ?? -1)) continue;
    const { name, value, part, start, end } = nodeAt(structure, node);
    if (part === undefined && name === 'frame') [frame, block] = [frame + 1, -1];
    if (part === undefined && name === 'block') block++;
    // A table of one symbol is that symbol, in a byte.
    if (part !== 'table' || end - start <= 8) continue;
    places.push({ node, kind: name as TablePlace['kind'], block: `${frame > 0 ? `frame ${frame}, ` : ''}block ${block}`, start: start / 8, end: end / 8, log: Number(value) });
  }
  return places;
}

/** The codes of a description, likeliest first. */
export function codesOf({ kind }: TablePlace, bytes: Uint8Array): Code[] {
  const codes = kind === 'huffman code' ? prefixCodes(lengthsOf(weightsOf(bytes))) : shares(countsOf(bytes), kind);
  return codes.sort((a, b) => b.share - a.share || a.symbol - b.symbol);
}

/** What is wrong with a description; the decoder has found that out before. */
class Misread extends Error {}

/** How many of the `1 << log` states each symbol has; -1 for one at the end of the table. */
function countsOf(bytes: Uint8Array): { counts: number[]; log: number; length: number } {
  let at = 0;
  const peek = (width: number): number => {
    let word = 0;
    for (let bit = 0; bit < width; bit++) word |= (((bytes[(at + bit) >> 3] ?? 0) >> ((at + bit) & 7)) & 1) << bit;
    return word;
  };
  const take = (width: number): number => {
    const word = peek(width);
    at += width;
    return word;
  };
  const log = take(4) + 5;
  const counts: number[] = [];
  for (let left = 1 << log; left > 0; ) {
    // One of `left + 2` values, of which the first ones need a bit less than the others.
    const width = 32 - Math.clz32(left + 1);
    const short = (1 << width) - 2 - left;
    const word = peek(width);
    const low = word & ((1 << (width - 1)) - 1);
    at += low < short ? width - 1 : width;
    const count = (low < short ? low : word === low ? low : word - short) - 1;
    counts.push(count);
    left -= Math.abs(count);
    if (left < 0 || counts.length > 256 || at > bytes.length * 8) throw new Misread('the counts do not fill the table');
    for (let zeros = count === 0 ? 3 : 0; zeros === 3; ) {
      zeros = take(2);
      for (let skipped = 0; skipped < zeros; skipped++) counts.push(0);
    }
  }
  return { counts, log, length: Math.ceil(at / 8) };
}

/** The weights of literals: four bits each, or coded with two states in turns. The last one follows from the others. */
function weightsOf(bytes: Uint8Array): number[] {
  const header = bytes[0] ?? 0;
  if (header >= 128) return Array.from({ length: header - 127 }, (_, at) => ((bytes[1 + (at >> 1)] ?? 0) >> (at & 1 ? 0 : 4)) & 15);
  const coded = bytes.subarray(1, 1 + header);
  const { counts, log, length } = countsOf(coded);
  const states = statesOf(counts, log);
  const stream = coded.subarray(length);
  // Bits are read from the last one that is set, backwards.
  let left = stream.length * 8 - Math.clz32(stream.at(-1) ?? 0) + 23;
  const take = (width: number): number => {
    let word = 0;
    for (let bit = 0; bit < width; bit++) {
      left--;
      word = (word << 1) | (left < 0 ? 0 : ((stream[left >> 3] ?? 0) >> (left & 7)) & 1);
    }
    return word;
  };
  const weights: number[] = [];
  const turns = [take(log), take(log)];
  for (let turn = 0; weights.length < 256; turn ^= 1) {
    const { symbol, width, base } = states[turns[turn] ?? 0] ?? { symbol: 0, width: 0, base: 0 };
    weights.push(symbol);
    turns[turn] = base + take(width);
    if (left >= 0) continue;
    weights.push(states[turns[turn ^ 1] ?? 0]?.symbol ?? 0);
    return weights;
  }
  throw new Misread('the weights do not end');
}

/** What each state of a table is: its symbol, and where its successors are. */
function statesOf(counts: readonly number[], log: number): { symbol: number; width: number; base: number }[] {
  const size = 1 << log;
  const symbols = Array<number>(size).fill(-1);
  let high = size;
  for (const [symbol, count] of counts.entries()) if (count === -1) symbols[--high] = symbol;
  let at = 0;
  for (const [symbol, count] of counts.entries()) {
    for (let state = 0; state < count; state++) {
      symbols[at] = symbol;
      do at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1);
      while (at >= high);
    }
  }
  const next = counts.map(Math.abs);
  return symbols.map((symbol) => {
    const x = next[symbol] ?? 1;
    next[symbol] = x + 1;
    const width = log - (31 - Math.clz32(x));
    return { symbol, width, base: (x << width) - size };
  });
}

/** How long the code of each literal is; 0 where it has none. */
function lengthsOf(weights: readonly number[]): number[] {
  const sum = weights.reduce((sum, weight) => sum + (weight > 0 ? 2 ** (weight - 1) : 0), 0);
  const depth = Math.floor(Math.log2(sum)) + 1;
  const last = Math.log2(2 ** depth - sum) + 1;
  if (!Number.isInteger(last)) throw new Misread('the last weight is no power of two');
  return [...weights, last].map((weight) => (weight > 0 ? depth + 1 - weight : 0));
}

/** Codes by their lengths: the longest come first, and among them the lowest literals. */
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

function shares({ counts, log }: { counts: readonly number[]; log: number }, kind: SequenceKind): Code[] {
  return counts.flatMap((count, symbol) => (count === 0 ? [] : [{ symbol, meaning: meaningOf(kind, symbol), code: '', bits: log - Math.log2(Math.abs(count)), share: Math.abs(count) }]));
}

function literal(byte: number): string {
  return byte > 32 && byte < 127 ? `“${String.fromCharCode(byte)}”` : byte === 32 ? 'space' : byte === 10 ? 'line feed' : '';
}

/** Of the codes behind the first, how many bits follow each: lengths of literals from code 16 on, of matches from code 32 on. */
const EXTRA = { 'literal lengths': [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], 'match lengths': [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] };

/** What a code of a sequence stands for: a number, or a range that the bits behind it choose from. */
function meaningOf(kind: SequenceKind, symbol: number): string {
  if (kind === 'offsets') return symbol === 0 ? 'the last offset' : symbol === 1 ? 'an earlier offset' : `${2 ** symbol - 3} to ${2 ** (symbol + 1) - 4} back`;
  const [first, least] = kind === 'literal lengths' ? [16, 0] : [32, 3];
  if (symbol < first) return String(symbol + least);
  const extra = EXTRA[kind];
  const start = extra.slice(0, symbol - first).reduce((sum, bits) => sum + 2 ** bits, first + least);
  return `${start} to ${start + 2 ** (extra[symbol - first] ?? 0) - 1}`;
}
