// Statistics of arrays and of pieces, against exact arithmetic with integers of any size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningStatistics, statistics } from 'unspool/stats';

/** Returns a finite number as a multiple of the smallest one, 2^-1074. */
function exactly(number) {
  const bits = new BigUint64Array(Float64Array.of(Math.abs(number)).buffer)[0];
  const [exponent, fraction] = [bits >> 52n, bits & (2n ** 52n - 1n)];
  const size = exponent === 0n ? fraction : (fraction + 2n ** 52n) << (exponent - 1n);
  return number < 0 ? -size : size;
}

/** Returns the double near a ratio of integers, times 2^-1074. */
function rounded(above, below) {
  if (above < 0n) return -rounded(-above, below);
  // 64 digits are more than a double has.
  const shift = BigInt(above.toString(2).length - below.toString(2).length - 64);
  const digits = Number(shift < 0n ? (above << -shift) / below : above / (below << shift));
  const power = Number(shift) - 1074;
  const half = Math.trunc(power / 2);
  return digits * 2 ** half * 2 ** (power - half);
}

/** Returns the integer part of a square root. */
function root(square) {
  if (square < 2n) return square;
  let guess = 1n << BigInt((square.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + square / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** Digits of a root after the point. */
const FINE = 2n ** 80n;

/** Computes mean and deviation without rounding before the end. */
function moments(finite) {
  const [all, count] = [finite.map(exactly), BigInt(finite.length)];
  const sum = all.reduce((sum, size) => sum + size, 0n);
  const squares = all.reduce((sum, size) => sum + size * size, 0n);
  return { mean: rounded(sum, count), deviation: rounded(root((count * squares - sum * sum) * FINE * FINE), count * FINE) };
}

const norm = (row) => {
  if (row.some(Number.isNaN)) return NaN;
  if (!row.every(Number.isFinite)) return Infinity;
  return rounded(root(row.map(exactly).reduce((sum, size) => sum + size * size, 0n) * FINE * FINE), FINE);
};

/** Rounds down, also below zero. */
const floor = (size, width) => (size >= 0n ? size / width : -((width - 1n - size) / width));

/** Finds the narrowest bins by trying every width. Edges are multiples of 2^-1074. */
function bins(finite) {
  const all = finite.map(exactly).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  if (all.length === 0) return [];
  const [low, high] = [all[0], all.at(-1)];
  let width = 1n;
  while (-low > (width << 51n) - 1n || high > (width << 51n) - 1n || floor(high, width) - floor(low, width) > 63n) width <<= 1n;
  const found = [];
  for (let place = floor(low, width); place <= floor(high, width); place++) {
    const count = all.filter((size) => floor(size, width) === place).length;
    found.push({ low: rounded(place * width, 1n) || 0, high: rounded((place + 1n) * width, 1n) || 0, count });
  }
  return found;
}

// The smallest numbers have no digits to round.
const near = (is, wanted, scale, what) => assert.ok(Object.is(is, wanted) || is === wanted || Math.abs(is - wanted) <= Math.max(2e-15 * scale, 2e-323), `${what}: ${is} for ${wanted}`);

function checkSummary(found, numbers, what) {
  const known = numbers.filter((number) => !Number.isNaN(number));
  const finite = numbers.filter(Number.isFinite);
  assert.deepEqual([found.count, found.nans, found.infinite], [known.length, numbers.length - known.length, known.length - finite.length], what);
  const wanted = finite.length === 0 ? { mean: NaN, deviation: NaN } : moments(finite);
  const scale = Math.max(Math.abs(wanted.mean), wanted.deviation);
  near(found.min, known.length === 0 ? NaN : Math.min(...known), 0, `${what}: min`);
  near(found.max, known.length === 0 ? NaN : Math.max(...known), 0, `${what}: max`);
  near(found.mean, wanted.mean, scale, `${what}: mean`);
  near(found.deviation, wanted.deviation, scale, `${what}: deviation`);
}

/** Compares all but histograms, which take longer, with exact results. */
function check(found, numbers, dimension, what) {
  checkSummary(found, numbers, what);
  const norms = Array.from({ length: dimension > 1 ? numbers.length / dimension : 0 }, (_, row) => norm(numbers.slice(row * dimension, (row + 1) * dimension)));
  if (dimension > 1) {
    assert.deepEqual([found.norms.count, found.norms.nans, found.norms.infinite], [norms.filter((norm) => !Number.isNaN(norm)).length, norms.filter(Number.isNaN).length, norms.filter((norm) => norm === Infinity).length], what);
    // The norm of the largest numbers may be infinite.
    if (norms.length > 0 && norms.every(Number.isFinite)) {
      const wanted = moments(norms);
      near(found.norms.mean, wanted.mean, wanted.mean, `${what}: mean of norms`);
      near(found.norms.deviation, wanted.deviation, Math.max(wanted.mean, wanted.deviation), `${what}: deviation of norms`);
    }
  } else assert.equal(found.norms, undefined);
  const finite = numbers.filter(Number.isFinite);
  const [zeros, negative] = [finite.filter((number) => number === 0).length, finite.filter((number) => number < 0).length];
  assert.deepEqual([found.magnitudes.zeros, found.magnitudes.negative], [zeros, negative], what);
  return norms;
}

/** Numbers that are the same in each run. */
const dice = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
const random = dice(7);
const MAX = Number.MAX_VALUE;
const many = (number, length = 60) => Array.from({ length }, (_, at) => number(at));
const NUMBERS = {
  none: [],
  zero: [0],
  'one number': [5.5],
  'two signs': [-1, 1],
  known: [2, 4, 4, 4, 5, 5, 7, 9],
  'large, small': [1e300, -1e300, 1e-300],
  'least, largest': [MAX, -MAX, Number.MIN_VALUE, NaN, Infinity],
  'around zero': [1e308, -1e308, -5e-324, 5e-324, -1e-300, 1e-300, 0, -0],
  'tiny negative': [-5e-324, 0, 1000],
  'two of the largest': [-1.7e308, 1.7e308],
  'squares overflow': [1e200, 2e200, 3e200],
  'squares vanish': [1e-200, 2e-200, 3e-200],
  'smallest alone': [5e-324, 5e-324],
  'small among others': [1e-300, 1, 3],
  'large among others': [1, 3, 1e200, -1e200],
  'three sizes': [1e-170, 3, 4e170],
  'largest alone': many(() => MAX, 7),
  'negative largest alone': many(() => -MAX, 7),
  'zero and the largest': [0, MAX],
  'all kinds': [NaN, Infinity, 1, -Infinity, 3],
  'not a number': [NaN, NaN],
  'infinite alone': [-Infinity, -Infinity],
  even: many(() => random() * 10 - 5),
  'whole numbers': many((at) => at),
  scattered: many((at) => ((at * 7919) % 101) / 7 - 3),
  'two sides': many((at) => ((at * at) % 173) * (at % 3 === 0 ? -1e-3 : 1e3)),
  'far from zero': many((at) => 1e15 + at),
  'far and close together': many((at) => 1e9 + (at % 2)),
  constant: many(() => 0.1),
  zeros: many((at) => (at % 2 ? 0 : -0)),
  'a zero among tiny ones': many((at) => (at === 30 ? 0 : 5e-20 + at * 1e-22)),
  tiny: many((at) => 5e-324 * (at % 5)),
  'below powers of two': many((at) => 2 ** (at * 30 - 900) * (1 - 2 ** -53)),
  'powers of two': many((at) => (at % 2 ? -1 : 1) * 2 ** (at * 33 - 1000)),
  spread: many(() => 2 ** (random() * 2000 - 1000) * (random() < 0.5 ? -1 : 1)),
  infinite: many((at) => [Infinity, -Infinity, NaN, 1][at % 4]),
  'norms beyond numbers': many((at) => [MAX, 1][at % 2]),
};

for (const [name, numbers] of Object.entries(NUMBERS)) {
  test(`agrees with exact arithmetic: ${name}`, () => {
    const data = Float64Array.from(numbers);
    const whole = statistics(data);
    check(whole, numbers, 1, name);
    const finite = numbers.filter(Number.isFinite);
    assert.deepEqual(whole.histogram, bins(finite));
    assert.deepEqual(whole.magnitudes.bins, bins(finite.filter((number) => number !== 0).map((number) => Math.log2(Math.abs(number)))));
    assert.deepEqual(statistics(data.toReversed?.() ?? data.slice().reverse()).histogram, whole.histogram, 'in any order');
    for (const dimension of [1, 2, 3, 5].filter((dimension) => numbers.length % dimension === 0)) {
      const { norms } = statistics(data, { dimension });
      const wanted = check(statistics(data, { dimension }), numbers, dimension, `${name}, rows of ${dimension}`);
      wanted.forEach((wanted, row) => near(norms.each[row], wanted, wanted, `${name}: norm of ${row}`));
      for (let cut = 0; cut <= numbers.length; cut += dimension) {
        const [left, right] = [new RunningStatistics({ dimension }), new RunningStatistics({ dimension })];
        left.add(data.subarray(0, cut));
        right.add(data.subarray(cut));
        // Results of a worker arrive as clones.
        left.merge(cut % 2 ? right : structuredClone(right.result()));
        const merged = left.result();
        check(merged, numbers, dimension, `${name} cut at ${cut}`);
        assert.deepEqual(merged.histogram, whole.histogram);
        assert.deepEqual(merged.magnitudes, whole.magnitudes);
      }
    }
  });
}

test('equal numbers are their mean, however many', () => {
  for (const number of [0.1, -3.25, 1e-310, MAX]) {
    const { mean, deviation } = statistics(new Float64Array(300_001).fill(number));
    assert.deepEqual({ mean, deviation }, { mean: number, deviation: 0 });
  }
});

test('computes statistics of numbers of every type', () => {
  const values = Float64Array.of(2, 4, 4, 4, 5, 5, 7, 9);
  const wanted = statistics(values);
  assert.deepEqual([wanted.count, wanted.min, wanted.max, wanted.mean, wanted.deviation], [8, 2, 9, 5, 2]);
  for (const Type of [Uint8Array, Int8Array, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array, BigInt64Array, BigUint64Array, globalThis.Float16Array ?? Float32Array]) {
    const array = Type.from(values, Type === BigInt64Array || Type === BigUint64Array ? BigInt : Number);
    assert.deepEqual(statistics(array), wanted, Type.name);
    assert.deepEqual(statistics({ dtype: 'any', data: array }), wanted, Type.name);
  }
  const halves = Uint16Array.of(0x3c00, 0xc000, 0x7c00, 0x7e00);
  const { count, nans, infinite, min, mean } = statistics({ dtype: 'float16', data: halves });
  assert.deepEqual([count, nans, infinite, min, mean], [3, 1, 1, -2, -0.5]);
});

test('computes statistics of more numbers than one batch', () => {
  const many = Int32Array.from({ length: 300_000 }, (_, at) => at % 1000);
  const { count, mean, deviation, histogram } = statistics(many);
  assert.equal(count, 300_000);
  assert.ok(Math.abs(mean - 499.5) < 1e-12 * mean && Math.abs(deviation - Math.sqrt((1000 ** 2 - 1) / 12)) < 1e-12 * mean);
  assert.deepEqual(histogram, Array.from({ length: 63 }, (_, at) => ({ low: 16 * at, high: 16 * at + 16, count: at < 62 ? 4800 : 2400 })));
  const { norms } = statistics(Float32Array.from({ length: 300_000 }, (_, at) => (at < 150_000 ? 3 : 4)), { dimension: 150_000 });
  assert.deepEqual([...norms.each], [3 * Math.sqrt(150_000), 4 * Math.sqrt(150_000)]);
});

test('returns the norms of vectors added in pieces', () => {
  const running = new RunningStatistics({ dimension: 2 });
  assert.deepEqual([...running.add(Float32Array.of(3, 4, 6, 8))], [5, 10]);
  const before = running.result();
  assert.deepEqual([...running.add(BigInt64Array.of(0n, 0n))], [0]);
  const { count, norms } = running.result();
  assert.equal(count, 6);
  assert.deepEqual([norms.count, norms.min, norms.max, norms.mean, 'each' in norms], [3, 0, 10, 5, false]);
  assert.equal(before.count, 4, 'a result stays as it was');
  const { norms: odd } = statistics(Float64Array.of(1, NaN, Infinity, NaN, 1, -Infinity), { dimension: 2 });
  assert.deepEqual([...odd.each], [NaN, NaN, Infinity]);
});

test('refuses anything but numbers, whole rows, and statistics of like rows', () => {
  const running = new RunningStatistics({ dimension: 2 });
  const refuses = (call, message) => assert.throws(call, { name: 'TypeError', message });
  refuses(() => statistics([1, 2]), /values must be a typed array/);
  refuses(() => statistics(new DataView(new ArrayBuffer(8))), /values must be a typed array/);
  refuses(() => statistics(new Float64Array(1), { dimensions: 2 }), /unknown name dimensions in options/);
  for (const dimension of [0, -1, 1.5, NaN, '2']) refuses(() => new RunningStatistics({ dimension }), /dimension must be a whole number, 1 or more/);
  const moved = new Float64Array(1);
  structuredClone(moved, { transfer: [moved.buffer] });
  refuses(() => statistics(moved), /the memory was transferred/);
  refuses(() => running.add(Float32Array.of(1)), /values must be whole rows of 2, not 1 values/);
  refuses(() => running.merge(new RunningStatistics({ dimension: 3 })), /cannot merge rows of another dimension/);
  refuses(() => running.merge(statistics(new Float64Array(2))), /cannot merge rows of another dimension/);
  for (const wrong of [undefined, null, {}, 1]) refuses(() => running.merge(wrong), /merge expects statistics/);
  assert.equal(running.result().count, 0);
});
