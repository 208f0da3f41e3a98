// The bins of Pco chunks, as the structure tells them, and how the numbers fall into them.
import { nodeAt, type PcoArray, type Structure } from 'unspool/separate';
import { valueOfLatent } from './latents';

export interface Bin {
  /** The lowest latent of the bin. */
  readonly lower: bigint;
  /** How many bits follow that say where in the bin. */
  readonly offsetBits: number;
  /** How often the bin is expected, out of the sum of all weights. */
  readonly weight: number;
}

/** A latent variable of a chunk: what the numbers are split into. */
export interface Variable {
  readonly name: string;
  readonly bins: readonly Bin[];
  /** The sum of all weights. */
  readonly total: number;
}

export interface Chunk {
  readonly dtype: string;
  /** The first of its numbers, counted through the file, and how many it has. */
  readonly start: number;
  readonly count: number;
  readonly mode: string;
  readonly delta: string;
  /** How many times differences were taken, where they were. */
  readonly order: number;
  readonly variables: readonly Variable[];
}

/** What is still being put together. */
type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** Reads the chunks out of the names of the structure. */
export function chunksOf(structure: Structure): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk: (Omit<Draft<Chunk>, 'variables'> & { variables: (Omit<Draft<Variable>, 'bins'> & { bins: Draft<Bin>[] })[] }) | undefined;
  let inMeta = false;
  let numbers = 0;
  const known = new Set(structure.names.flatMap((name, at) => (INTERESTING.has(name) ? [at] : [])));
  for (let at = 0; at < structure.length; at++) {
    if (!known.has(structure.name[at] ?? -1)) continue;
    const { name, value, depth } = nodeAt(structure, at);
    const variable = chunk?.variables.at(-1);
    const bin = variable?.bins.at(-1);
    if (name === 'chunk') {
      chunk = { dtype: '', start: numbers, count: 0, mode: '', delta: 'none', order: 0, variables: [] };
      chunks.push(chunk);
      inMeta = true;
    } else if (chunk === undefined || !inMeta) continue;
    else if (name === 'page' || name === 'page metadata') inMeta = false;
    else if (name === 'number type') chunk.dtype = value;
    else if (name === 'numbers, less 1') {
      chunk.count = Number(value) + 1;
      numbers += chunk.count;
    } else if (name === 'mode') chunk.mode = value;
    else if (name === 'delta') chunk.delta = value;
    else if (name === 'order' || name === 'delta order') {
      chunk.order = Number(value);
      if (name === 'delta order') chunk.delta = chunk.order > 0 ? 'consecutive' : 'none';
    } else if (name === 'variable') chunk.variables.push({ name: value, bins: [], total: 0 });
    else if (variable === undefined) continue;
    else if (name === 'bin' && depth > 0) variable.bins.push({ lower: 0n, offsetBits: 0, weight: 0 });
    else if (bin === undefined) continue;
    else if (name === 'weight, less 1') {
      bin.weight = Number(value) + 1;
      variable.total += bin.weight;
    } else if (name === 'lower') bin.lower = BigInt(value);
    else if (name === 'offset bits') bin.offsetBits = Number(value);
  }
  return chunks.filter(({ count, variables }) => count > 0 && variables.length > 0);
}

const INTERESTING = new Set([
  'chunk', 'page', 'page metadata', 'number type', 'numbers, less 1', 'mode', 'delta', 'order', 'delta order', 'variable', 'bin', 'weight, less 1', 'lower', 'offset bits',
]);

/** Whether the page knows which latents the numbers of a chunk are: those that are numbers themselves, or their differences. */
export function isKnown({ mode, delta }: Chunk, variable: Variable): boolean {
  return variable.name === 'primary' && mode === 'classic' && (delta === 'none' || delta === 'consecutive');
}

/** The ends of a bin as people read them: numbers, or differences of latents. */
export function endsOf({ dtype, mode, delta, order }: Chunk, { name }: Variable, { lower, offsetBits }: Bin): [low: string, high: string] {
  const high = lower + (1n << BigInt(offsetBits)) - 1n;
  if (name === 'primary' && mode === 'classic' && delta === 'none') return [valueOfLatent(lower, dtype), valueOfLatent(high, dtype)];
  // Differences are kept around the middle of their range.
  const middle = delta === 'consecutive' && order > 0 && name === 'primary' ? 1n << BigInt(bitsOf(dtype) - 1) : 0n;
  return [String(lower - middle), String(high - middle)];
}

/** How many bits a number has. */
export function bitsOf(dtype: string): number {
  return Number(/\d+$/.exec(dtype)?.[0] ?? 64);
}

/** What is counted: which numbers, how often differences are taken of them, and where the bins start. */
export interface BinsWanted {
  readonly dtype: string;
  readonly start: number;
  readonly count: number;
  readonly order: number;
  readonly lowers: readonly bigint[];
}

/** No more numbers than this are put into bins: it is done in the language of the page, 64 bits at a time. */
const MOST_BINNED = 200_000;

/** How many of the numbers lie in each bin. Bins reach to the next power of two, past the start of the next one; a latent belongs to the last that starts at or below it. */
export function countInBins(array: PcoArray['data'], { dtype, order, lowers }: BinsWanted): { counts: number[]; of: number } {
  const bits = bitsOf(dtype);
  const latents = latentsOf(array.subarray(0, MOST_BINNED), dtype);
  let length = latents.length;
  for (let time = 0; time < order && length > 0; time++) {
    length--;
    for (let at = 0; at < length; at++) latents[at] = (latents[at + 1] ?? 0n) - (latents[at] ?? 0n);
  }
  const [mask, middle] = [(1n << BigInt(bits)) - 1n, order > 0 ? 1n << BigInt(bits - 1) : 0n];
  const places = lowers.map((lower, at) => [lower, at] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  const counts = Array<number>(lowers.length).fill(0);
  for (const latent of latents.subarray(0, length)) {
    const centred = (latent + middle) & mask;
    let [low, high] = [0, places.length];
    while (low < high) {
      const half = (low + high) >> 1;
      if ((places[half]?.[0] ?? 0n) <= centred) low = half + 1;
      else high = half;
    }
    const place = places[low - 1]?.[1];
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1;
  }
  return { counts, of: length };
}

/** Numbers as the unsigned integers of the same order that Pco works with. */
function latentsOf(array: PcoArray['data'], dtype: string): BigUint64Array {
  const bits = bitsOf(dtype);
  const raw = new DataView(array.buffer, array.byteOffset, array.byteLength);
  const [top, mask] = [1n << BigInt(bits - 1), (1n << BigInt(bits)) - 1n];
  const read = { 8: (at: number) => BigInt(raw.getUint8(at)), 16: (at: number) => BigInt(raw.getUint16(2 * at, true)), 32: (at: number) => BigInt(raw.getUint32(4 * at, true)) }[bits]
    ?? ((at: number) => raw.getBigUint64(8 * at, true));
  return BigUint64Array.from({ length: array.length }, (_, at) => {
    const word = read(at);
    if (dtype.startsWith('u')) return word;
    if (dtype.startsWith('i')) return word ^ top;
    return word & top ? ~word & mask : word ^ top;
  });
}
