// The bins of Pco chunks, from the structure, and how often each is used.
import * as Name from 'unspool/names';
import { nodeAt, type PcoVariable, type Structure } from 'unspool/inspect';
import { bitsOf, valueOfLatent } from './latents';
import { placesNamed } from './named';

export interface Bin {
  /** Lower bound of the bin, as a latent. */
  readonly lower: bigint;
  /** Number of offset bits after the bin. */
  readonly offsetBits: number;
  /** Expected frequency of the bin, relative to the sum of all weights. */
  readonly weight: number;
}

/** A latent variable of a chunk. */
export interface Variable {
  readonly name: PcoVariable;
  readonly bins: readonly Bin[];
  /** Sum of all weights. */
  readonly total: number;
}

export interface Chunk {
  /** Chunk number, from 0. */
  readonly index: number;
  readonly dtype: string;
  /** Number of values. */
  readonly count: number;
  readonly mode: string;
  readonly delta: string;
  /** Number of consecutive deltas, if any. */
  readonly order: number;
  readonly variables: readonly Variable[];
}

/** A value under construction. */
type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Reads the chunks from the structure. */
export function chunksOf(structure: Structure): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk: (Omit<Draft<Chunk>, 'variables'> & { variables: (Omit<Draft<Variable>, 'bins'> & { bins: Draft<Bin>[] })[] }) | undefined;
  let inMeta = false;
  for (const at of placesNamed(structure, INTERESTING)) {
    const { id, value, depth } = nodeAt(structure, at);
    const variable = chunk?.variables.at(-1);
    const bin = variable?.bins.at(-1);
    if (id === Name.Chunk) {
      chunk = { index: chunks.length, dtype: '', count: 0, mode: '', delta: 'none', order: 0, variables: [] };
      chunks.push(chunk);
      inMeta = true;
    } else if (chunk === undefined || !inMeta) continue;
    else if (id === Name.Page || id === Name.PageMetadata) inMeta = false;
    else if (id === Name.NumberType) chunk.dtype = value;
    else if (id === Name.NumbersLess1) chunk.count = Number(value) + 1;
    else if (id === Name.Mode) chunk.mode = value;
    else if (id === Name.Delta) chunk.delta = value;
    else if (id === Name.Order || id === Name.DeltaOrder) {
      chunk.order = Number(value);
      if (id === Name.DeltaOrder) chunk.delta = chunk.order > 0 ? 'consecutive' : 'none';
    } else if (id === Name.Variable) chunk.variables.push({ name: value as PcoVariable, bins: [], total: 0 });
    else if (variable === undefined) continue;
    else if (id === Name.Bin && depth > 0) {
      // A single bin has a weight of zero bits.
      variable.bins.push({ lower: 0n, offsetBits: 0, weight: 1 });
      variable.total += 1;
    } else if (bin === undefined) continue;
    else if (id === Name.WeightLess1) {
      bin.weight += Number(value);
      variable.total += Number(value);
    } else if (id === Name.Lower) bin.lower = BigInt(value);
    else if (id === Name.OffsetBits) bin.offsetBits = Number(value);
  }
  return chunks.filter(({ count, variables }) => count > 0 && variables.length > 0);
}

const INTERESTING = [
  Name.Chunk, Name.Page, Name.PageMetadata, Name.NumberType, Name.NumbersLess1, Name.Mode, Name.Delta, Name.Order, Name.DeltaOrder, Name.Variable, Name.Bin, Name.WeightLess1, Name.Lower,
  Name.OffsetBits,
];

/** Formats the bounds of a bin: numbers, or differences of latents. */
export function endsOf({ dtype, mode, delta }: Chunk, { name }: Variable, { lower, offsetBits }: Bin): [low: string, high: string] {
  const high = lower + (1n << BigInt(offsetBits)) - 1n;
  if (name === 'primary' && mode === 'classic' && delta === 'none') return [valueOfLatent(lower, dtype), valueOfLatent(high, dtype)];
  // Deltas are centred in their range.
  const middle = delta !== 'none' && mode !== 'dict' && name === 'primary' ? 1n << BigInt(bitsOf(dtype) - 1) : 0n;
  return [String(lower - middle), String(high - middle)];
}

/** A request for bin counts. */
export interface BinsWanted {
  /** Chunk number, from 0. */
  readonly chunk: number;
  readonly variable: PcoVariable;
}
