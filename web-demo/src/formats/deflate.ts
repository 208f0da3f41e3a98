// The symbols of DEFLATE, and their meanings.
import { deflate as words } from '../words';

/** Values that a symbol represents, and the bits that choose one of them. */
export interface Meaning {
  readonly from: number;
  readonly to: number;
  readonly extraBits: number;
}

/** Symbols of literals and of the end of a block, before those of lengths. */
export const FIRST_LENGTH = 257;

/** Returns the match lengths of a symbol, from 257 on. */
export function lengthsOf(symbol: number): Meaning {
  const number = symbol - FIRST_LENGTH;
  if (number === 28) return { from: 258, to: 258, extraBits: 0 };
  return ranged(number, 3, 4);
}

/** Returns the distances of a symbol. */
export function distancesOf(symbol: number): Meaning {
  return ranged(symbol, 1, 2);
}

/** Symbols come in groups of `group`, and each group doubles the values of a symbol. */
function ranged(number: number, least: number, group: number): Meaning {
  const extraBits = Math.max(0, Math.floor(number / group) - 1);
  const from = least + (extraBits === 0 ? number : (group + (number % group)) * 2 ** extraBits);
  // The longest match has a symbol of its own.
  return { from, to: Math.min(from + 2 ** extraBits - 1, least === 3 ? 257 : Infinity), extraBits };
}

/** A symbol of a code, and its use. */
export interface Used {
  /** Identifies the symbol among both codes. */
  readonly key: string;
  readonly name: string;
  readonly codeBits: number;
  readonly extraBits: number;
  readonly count: number;
  /** All bits that the block spends on it. */
  readonly bits: number;
  /** Bits that would be enough, by its share of the symbols of its code. */
  readonly ideal: number;
}

/** Lists the symbols of a code that have a code or a use. */
export function usesOf(lengths: Uint8Array, counts: Float64Array, ofDistances: boolean): Used[] {
  const all = counts.reduce((sum, count) => sum + count, 0);
  return Array.from(lengths, (codeBits, symbol): Used => {
    const count = counts[symbol] ?? 0;
    const meaning = ofDistances ? distancesOf(symbol) : symbol >= FIRST_LENGTH ? lengthsOf(symbol) : undefined;
    const extraBits = meaning?.extraBits ?? 0;
    const name = meaning === undefined ? (symbol === FIRST_LENGTH - 1 ? words.end : words.literal(symbol)) : ofDistances ? words.distance(meaning.from, meaning.to) : words.length(meaning.from, meaning.to);
    return { key: `${ofDistances ? 'd' : ''}${symbol}`, name, codeBits, extraBits, count, bits: count * (codeBits + extraBits), ideal: count === 0 ? 0 : Math.log2(all / count) + extraBits };
  }).filter(({ codeBits, count, key }) => count > 0 || (codeBits > 0 && !UNUSED.has(key)));
}

/** Symbols that the fixed code has, and no block may use. */
const UNUSED: ReadonlySet<string> = new Set(['286', '287', 'd30', 'd31']);
