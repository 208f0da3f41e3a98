// Sums of pieces that workers compute, against those of all numbers at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statistics } from 'unspool/stats';
import { source } from './source.mjs';

const { Sums, sumOf } = await source('formats/sums.ts');
const { summedUp, curveOf } = await source('formats/summing.ts');

const tell = async () => undefined;
/** Numbers that are the same in each run. */
const dice = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;

/** Sums up rows in pieces of random lengths. */
function inPieces(data, dimension, random) {
  const rows = data.length / dimension;
  const sums = new Sums(0, rows, dimension);
  for (let start = 0; start < rows; ) {
    const end = Math.min(rows, start + 1 + Math.floor(random() * random() * rows));
    sums.add(sumOf({ piece: { start, dimension, data: data.slice(start * dimension, end * dimension) }, start: 0, end: rows }));
    start = end;
  }
  return sums.result();
}

// The smallest numbers have no digits to round.
const near = (is, wanted, scale, what) => assert.ok(Object.is(is, wanted) || Math.abs(is - wanted) <= Math.max(1e-12 * scale, 1e-323), `${what}: ${is} for ${wanted}`);

/** Compares statistics: exactly, but for the rounding of means and deviations. */
function same(found, wanted, what) {
  for (const [is, expected] of [[found, wanted], ...(wanted.norms === undefined ? [] : [[found.norms, wanted.norms]])]) {
    for (const name of ['count', 'nans', 'infinite', 'min', 'max']) assert.ok(is[name] === expected[name] || Object.is(is[name], expected[name]), `${what}: ${name} ${is[name]} for ${expected[name]}`);
    const scale = Math.max(Math.abs(expected.mean), expected.deviation);
    near(is.mean, expected.mean, scale, `${what}: mean`);
    near(is.deviation, expected.deviation, scale, `${what}: deviation`);
  }
  assert.deepEqual(found.histogram, wanted.histogram, what);
  assert.deepEqual(found.magnitudes, wanted.magnitudes, what);
}

const random = dice(7);
const many = (number) => Float64Array.from({ length: 3000 }, (_, at) => number(at));
const NUMBERS = {
  even: many(() => random() * 10 - 5),
  steps: many((at) => at % 17),
  offset: many((at) => 1e9 + (at % 2)),
  constant: many(() => -3.25),
  large: many((at) => [1.7e308, -1.7e308, 1e300][at % 3]),
  largest: many(() => Number.MAX_VALUE),
  tiny: many((at) => 5e-324 * (at % 5)),
  'large and tiny': many((at) => [1e308, -1e308, -5e-324, 5e-324, -1e-300, 0][at % 6]),
  'tiny, then large': many((at) => (at < 1500 ? -5e-324 * (at % 3) : at < 2900 ? at : 1e308)),
  zeros: many((at) => (at % 2 ? 0 : -0)),
  'zeros, then others': many((at) => (at < 2000 ? 0 : 1e-20 * at)),
  'no numbers': many(() => NaN),
  infinite: many((at) => [Infinity, -Infinity, NaN, 1][at % 4]),
  'without finite numbers': many((at) => (at % 2 ? Infinity : NaN)),
  spread: many(() => 2 ** (random() * 1000 - 500) * (random() < 0.5 ? -1 : 1)),
  'growing wider': many((at) => 1.01 ** at),
};

for (const [name, data] of Object.entries(NUMBERS)) {
  test(`merges sums of pieces: ${name}`, () => {
    for (const dimension of [1, 12]) {
      const { statistics: found } = inPieces(data, dimension, dice(dimension));
      same(found, statistics(data, { dimension }), name);
    }
  });
}

test('merges bounds of 64-bit integers, which doubles would round', () => {
  const data = BigInt64Array.from({ length: 1000 }, (_, at) => (at === 700 ? 2n ** 62n + 1n : at === 20 ? -(2n ** 62n) - 1n : BigInt(at)));
  const { bounds } = inPieces(data, 1, dice(1));
  assert.deepEqual(bounds, [-(2n ** 62n) - 1n, 2n ** 62n + 1n]);
});

test('the curve of merged pieces is that of one pass', async () => {
  const data = NUMBERS.spread;
  const column = { rows: data.length, dimension: 1, read: (start, end) => ({ start, dimension: 1, data: data.slice(start, end) }) };
  const wanted = await curveOf(column, 0, data.length, tell);
  assert.equal(wanted.low.length, 800);
  assert.equal(wanted.low.reduce((least, low) => Math.min(least, low)), data.reduce((least, number) => Math.min(least, number)));
  assert.deepEqual(inPieces(data, 1, dice(3)).curve, wanted);
  const { statistics: found, curve, workers } = await summedUp(column, tell);
  assert.equal(workers, 0, 'few numbers need no other worker');
  assert.deepEqual(curve, wanted);
  same(found, statistics(data), 'summed up');
});

test('an empty column has statistics without numbers', async () => {
  const column = { rows: 0, dimension: 1, read: (start) => ({ start, dimension: 1, data: new Float32Array() }) };
  assert.equal((await summedUp(column, tell)).statistics.count, 0);
});
