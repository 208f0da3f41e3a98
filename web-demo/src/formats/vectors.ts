// Work on all vectors of a column: the neighbours of one, a map of a sample, and rows that are odd.
import type { Tell } from '../tools/progress';
import type { Neighbour, OddRows, Projected } from '../values';
import { piecesOf, type Column } from './column';

type Numbers = ArrayLike<number | bigint>;

/** Rows that cannot be decoded are left out. */
const skip = (): void => undefined;

/**
 * Returns the rows with the smallest angle to a row, nearest first. Leaves out the row itself, and
 * rows without a direction: zeros, and rows with a value that is not finite. Returns `undefined` if
 * the row itself has none.
 */
export async function neighboursOf(column: Column, row: number, most: number, tell: Tell): Promise<Neighbour[] | undefined> {
  const { dimension } = column;
  const wanted = Float64Array.from((await column.read(row, row + 1)).data as Numbers, Number);
  const length = lengthOf(wanted);
  if (!(length > 0 && length < Infinity)) return undefined;
  const nearest: Neighbour[] = [];
  for await (const { start, data } of piecesOf(column, tell, 0, column.rows, skip)) {
    for (let first = 0; first < data.length; first += dimension) {
      const [product, square] = measured(data, first, wanted);
      const cosine = product / (Math.sqrt(square) * length);
      const at = start + first / dimension;
      const last = nearest[nearest.length - 1];
      if (!Number.isFinite(cosine) || at === row || (nearest.length >= most && cosine <= (last?.cosine ?? -2))) continue;
      let place = nearest.length;
      while (place > 0 && (nearest[place - 1]?.cosine ?? 2) < cosine) place--;
      nearest.splice(place, 0, { row: at, cosine: Math.max(-1, Math.min(1, cosine)) });
      if (nearest.length > most) nearest.pop();
    }
  }
  return nearest;
}

/** Returns the scalar product of a row with another, and with itself. */
function measured(data: Numbers, first: number, wanted: Float64Array): [product: number, square: number] {
  let [product, square] = [0, 0];
  for (let place = 0; place < wanted.length; place++) {
    const number = Number(data[first + place] ?? NaN);
    product += number * (wanted[place] ?? 0);
    square += number * number;
  }
  return [product, square];
}

function lengthOf(vector: Float64Array): number {
  return Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
}

/** Rows listed of each kind. The others are counted. */
const LISTED = 1000;

/** Finds rows of zeros, rows with a value that is not a number, and rows that repeat another. */
export async function oddRowsOf(column: Column, tell: Tell): Promise<OddRows> {
  const { rows, dimension } = column;
  const [zeros, nans]: [number[], number[]] = [[], []];
  let [zeroRows, nanRows, checked] = [0, 0, 0];
  // 85 bits of hash: even of a billion rows, two that differ share one with a chance of 1 in 10^7.
  const [wide, narrow] = [new Float64Array(rows).fill(NaN), new Uint32Array(rows)];
  const twice: Tell = ({ done }) => tell({ done, total: rows });
  for await (const { start, data } of piecesOf(column, twice, 0, rows, skip)) {
    for (let first = 0; first < data.length; first += dimension) {
      const row = start + first / dimension;
      checked++;
      const kind = kindOf(data, first, dimension);
      if (kind === 'nan' && nanRows++ < LISTED) nans.push(row);
      if (kind === 'zero' && zeroRows++ < LISTED) zeros.push(row);
      if (kind === 'plain') [wide[row], narrow[row]] = hashOf(data.subarray(first, first + dimension));
    }
  }
  const repeated = repeatedIn(wide);
  const seen = new Map<string, number>();
  const duplicates: (readonly [row: number, first: number])[] = [];
  let duplicateRows = 0;
  for (let row = 0; row < rows; row++) {
    if (!repeated.has(wide[row] ?? NaN)) continue;
    const key = `${wide[row]} ${narrow[row]}`;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, row);
    else if (duplicateRows++ < LISTED) duplicates.push([row, first]);
  }
  return { checked, zeroRows, zeros, nanRows, nans, duplicateRows, duplicates };
}

function kindOf(data: Numbers, first: number, dimension: number): 'nan' | 'zero' | 'plain' {
  let zero = true;
  for (let place = first; place < first + dimension; place++) {
    const number = data[place];
    if (number !== number) return 'nan';
    if (number != 0) zero = false;
  }
  return zero ? 'zero' : 'plain';
}

/** Hashes a row to 53 and 32 bits. Zeros of both signs are one number. */
function hashOf(row: Numbers & ArrayBufferView): [wide: number, narrow: number] {
  let [a, b, c] = [0x9e3779b9, 0x85ebca6b, 0xc2b2ae35];
  const word = new Float64Array(1);
  const halves = new Uint32Array(word.buffer);
  for (let place = 0; place < row.length; place++) {
    const value = row[place] ?? 0;
    if (typeof value === 'bigint') {
      [halves[0], halves[1]] = [Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn)];
    } else {
      word[0] = value + 0;
    }
    const [low, high] = [halves[0] ?? 0, halves[1] ?? 0];
    a = mixed(a ^ low, 0xcc9e2d51) ^ high;
    b = mixed(b ^ high, 0x1b873593) ^ low;
    c = mixed(c + low, 0xe6546b64) ^ mixed(high, 0x27d4eb2f);
  }
  return [(mixed(a, 0x85ebca6b) >>> 0) * 2 ** 21 + (mixed(b, 0xc2b2ae35) >>> 11), mixed(c, 0x9e3779b1) >>> 0];
}

function mixed(word: number, factor: number): number {
  const product = Math.imul(word ^ (word >>> 16), factor);
  return product ^ (product >>> 13);
}

/** Returns the numbers that occur more than once. */
function repeatedIn(numbers: Float64Array): ReadonlySet<number> {
  const sorted = numbers.slice().sort();
  const found = new Set<number>();
  for (let at = 1; at < sorted.length; at++) if (sorted[at] === sorted[at - 1]) found.add(sorted[at] ?? NaN);
  return found;
}

/** Rows of a sample, and stretches of rows that it is read in: a chunk is decoded as a whole. */
const [SAMPLE, STRETCHES] = [2000, 20];
/** Directions that are iterated; more than two, so that the first two converge. */
const DIRECTIONS = 6;
const ITERATIONS = 40;

/** Projects a sample of the vectors to their two directions of largest variance. */
export async function projectedOf(column: Column, tell: Tell): Promise<Projected> {
  const { dimension } = column;
  const [rows, vectors] = await sampleOf(column, tell);
  const count = rows.length;
  const centred = new Float64Array(vectors);
  let variance = 0;
  for (let place = 0; place < dimension; place++) {
    let sum = 0;
    for (let row = 0; row < count; row++) sum += centred[row * dimension + place] ?? 0;
    for (let row = 0; row < count; row++) {
      const number = (centred[row * dimension + place] ?? 0) - sum / count;
      centred[row * dimension + place] = number;
      variance += number * number;
    }
  }
  const wanted = Math.min(DIRECTIONS, dimension);
  let directions = orthonormal(Array.from({ length: wanted }, (_, at) => Float64Array.from({ length: dimension }, (_, place) => Math.sin(1 + at + 12.9898 * (place + 1) * (at + 1)))));
  for (let times = 0; times < ITERATIONS && count > 1; times++) {
    directions = orthonormal(directions.map((direction) => multiplied(centred, count, dimension, direction)));
    await tell({ done: times, total: ITERATIONS });
  }
  const along = directions.map((direction) => products(centred, count, dimension, direction));
  // The directions span the right plane and may still be turned within it.
  const [values, turns] = eigenOf(along.map((one) => along.map((other) => one.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0))));
  const [x, y] = [0, 1].map((at) => {
    const turn = turns[at];
    const points = Float64Array.from({ length: count }, (_, row) => (turn ?? []).reduce((sum, share, of) => sum + share * (along[of]?.[row] ?? 0), 0));
    // Either sign is right: the largest coordinate is positive.
    const largest = points.reduce((most, number) => (Math.abs(number) > Math.abs(most) ? number : most), 0);
    return largest < 0 ? points.map((number) => -number) : points;
  });
  const explained = [0, 1].map((at) => (variance > 0 ? Math.max(0, values[at] ?? 0) / variance : 0));
  return { rows, x: x ?? new Float64Array(), y: y ?? new Float64Array(), explained: [explained[0] ?? 0, explained[1] ?? 0] };
}

/** Returns evenly spread rows with only finite values, and their values. */
async function sampleOf(column: Column, tell: Tell): Promise<[rows: number[], vectors: number[]]> {
  const { rows: total, dimension, read } = column;
  const [rows, vectors]: [number[], number[]] = [[], []];
  const stretches = total <= SAMPLE ? 1 : STRETCHES;
  const length = Math.min(total, SAMPLE / stretches);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const start = Math.floor(((total - length) * stretch) / Math.max(1, stretches - 1));
    const data = Array.from((await read(start, start + length)).data as Numbers, Number);
    for (let row = 0; row < length; row++) {
      const vector = data.slice(row * dimension, (row + 1) * dimension);
      if (!vector.every(Number.isFinite)) continue;
      rows.push(start + row);
      for (const number of vector) vectors.push(number);
    }
    await tell({ done: stretch, total: stretches });
  }
  return [rows, vectors];
}

/** Returns the scalar product of each row with a direction. */
function products(vectors: Float64Array, count: number, dimension: number, direction: Float64Array): Float64Array {
  const found = new Float64Array(count);
  for (let row = 0; row < count; row++) {
    let sum = 0;
    for (let place = 0; place < dimension; place++) sum += (vectors[row * dimension + place] ?? 0) * (direction[place] ?? 0);
    found[row] = sum;
  }
  return found;
}

/** Multiplies a direction with the covariance of the rows, which is never built. */
function multiplied(vectors: Float64Array, count: number, dimension: number, direction: Float64Array): Float64Array {
  const along = products(vectors, count, dimension, direction);
  const sum = new Float64Array(dimension);
  for (let row = 0; row < count; row++) {
    const factor = along[row] ?? 0;
    for (let place = 0; place < dimension; place++) sum[place] = (sum[place] ?? 0) + factor * (vectors[row * dimension + place] ?? 0);
  }
  return sum;
}

/** Makes vectors orthogonal and of length 1; those that depend on others become 0. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const found: Float64Array[] = [];
  for (const vector of vectors) {
    const before = lengthOf(vector);
    const rest = Float64Array.from(vector);
    // Twice, for what rounding leaves.
    for (let times = 0; times < 2; times++) {
      for (const other of found) {
        const share = rest.reduce((sum, number, at) => sum + number * (other[at] ?? 0), 0);
        for (let at = 0; at < rest.length; at++) rest[at] = (rest[at] ?? 0) - share * (other[at] ?? 0);
      }
    }
    const length = lengthOf(rest);
    found.push(length > 1e-10 * before ? rest.map((number) => number / length) : rest.fill(0));
  }
  return found;
}

/** Rotations of Jacobi's method; a few suffice for a small matrix. */
const SWEEPS = 30;

/** Returns the eigenvalues of a small symmetric matrix, largest first, and their vectors. */
function eigenOf(matrix: readonly (readonly number[])[]): [values: number[], vectors: number[][]] {
  const size = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v = Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, at) => (at === row ? 1 : 0)));
  const cell = (of: readonly number[][], row: number, at: number): number => of[row]?.[at] ?? 0;
  const put = (of: number[][], row: number, at: number, number: number): void => {
    const line = of[row];
    if (line !== undefined) line[at] = number;
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const off = cell(a, p, q);
        if (off === 0) continue;
        const angle = 0.5 * Math.atan2(2 * off, cell(a, p, p) - cell(a, q, q));
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        for (let at = 0; at < size; at++) {
          const [left, right] = [cell(a, at, p), cell(a, at, q)];
          put(a, at, p, cos * left + sin * right);
          put(a, at, q, cos * right - sin * left);
        }
        for (let at = 0; at < size; at++) {
          const [left, right] = [cell(a, p, at), cell(a, q, at)];
          put(a, p, at, cos * left + sin * right);
          put(a, q, at, cos * right - sin * left);
        }
        for (let at = 0; at < size; at++) {
          const [left, right] = [cell(v, at, p), cell(v, at, q)];
          put(v, at, p, cos * left + sin * right);
          put(v, at, q, cos * right - sin * left);
        }
      }
    }
  }
  const order = a.map((_, at) => at).sort((one, other) => cell(a, other, other) - cell(a, one, one));
  return [order.map((at) => cell(a, at, at)), order.map((at) => v.map((row) => row[at] ?? 0))];
}
