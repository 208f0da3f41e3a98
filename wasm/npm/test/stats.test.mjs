// Statistics of one array and of pieces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningStatistics, statistics } from './all.mjs';

test('computes statistics of numbers of every type', () => {
  const values = Float64Array.of(2, 4, 4, 4, 5, 5, 7, 9);
  const { count, min, max, mean, deviation, nans, histogram } = statistics(values);
  assert.deepEqual({ count, min, max, mean, deviation, nans }, { count: 8, min: 2, max: 9, mean: 5, deviation: 2, nans: 0 });
  for (const { low, high, count } of histogram) assert.equal(values.filter((value) => low <= value && value < high).length, count);
  for (const Type of [Uint8Array, Int16Array, Float32Array, BigInt64Array, BigUint64Array]) {
    const array = Type.from(values, Type === BigInt64Array || Type === BigUint64Array ? BigInt : Number);
    assert.equal(statistics(array).mean, 5, Type.name);
  }
  const none = statistics(new Float32Array());
  assert.ok(none.count === 0 && Number.isNaN(none.mean) && none.histogram.length === 0 && none.norms === undefined);
  const odd = statistics(Float64Array.of(NaN, Infinity, 1, 0, -2));
  assert.deepEqual([odd.count, odd.nans, odd.infinite, odd.magnitudes.zeros, odd.magnitudes.negative], [4, 1, 1, 1, 1]);
  assert.throws(() => statistics([1, 2]), TypeError);
});

test('computes statistics of vectors, and of more numbers than one batch', () => {
  const { norms } = statistics(Float32Array.of(3, 4, 6, 8, 0, 0), { dimension: 2 });
  assert.deepEqual([...norms.each], [5, 10, 0]);
  assert.deepEqual([norms.count, norms.min, norms.max, norms.mean], [3, 0, 10, 5]);
  const many = Int32Array.from({ length: 300_000 }, (_, at) => at % 1000);
  const { count, mean, histogram } = statistics(many);
  assert.equal(count, 300_000);
  assert.ok(Math.abs(mean - 499.5) < 1e-9);
  assert.equal(histogram.reduce((sum, { count }) => sum + count, 0), 300_000);
});

test('returns the same result in pieces and after a merge', () => {
  const values = Float64Array.from({ length: 6000 }, (_, at) => (at % 7 === 0 ? NaN : ((at * 7919) % 1009) / 37 - 12));
  const whole = statistics(values);
  const near = (found) => {
    const { mean, deviation, ...rest } = found;
    const { mean: _, deviation: __, ...expected } = whole;
    assert.deepEqual(rest, expected);
    assert.ok(Math.abs(mean - whole.mean) < 1e-12 && Math.abs(deviation - whole.deviation) < 1e-12);
  };
  const [running, other] = [new RunningStatistics(), new RunningStatistics()];
  for (let at = 0; at < 3000; at += 500) assert.equal(running.add(values.subarray(at, at + 500)).length, 0);
  assert.equal(running.result().count, values.subarray(0, 3000).filter((value) => !Number.isNaN(value)).length);
  for (let at = 3000; at < 6000; at += 999) other.add(values.subarray(at, at + 999));
  const before = other.result();
  running.merge(other);
  near(running.result());
  assert.deepEqual(other.result(), before, 'who is merged keeps what it had');
  running.release();
  other[Symbol.dispose]();
});

test('returns the norms of vectors added in pieces', () => {
  const running = new RunningStatistics({ dimension: 2 });
  assert.deepEqual([...running.add(Float32Array.of(3, 4, 6, 8))], [5, 10]);
  assert.deepEqual([...running.add(BigInt64Array.of(0n, 0n))], [0]);
  const { count, norms } = running.result();
  assert.equal(count, 6);
  assert.deepEqual([norms.count, norms.min, norms.max, norms.mean, 'each' in norms], [3, 0, 10, 5, false]);
  assert.throws(() => running.add(Float32Array.of(1)), { name: 'TypeError', message: /values must be whole rows of 2, not 1 values/ });
  assert.throws(() => running.merge(new RunningStatistics()), { name: 'TypeError', message: /cannot merge rows of 1 values into rows of 2/ });
  assert.throws(() => running.merge(running), TypeError);
  running.release();
  running.release();
  assert.throws(() => running.add(Float32Array.of(3, 4)), { name: 'TypeError', message: /released/ });
});
