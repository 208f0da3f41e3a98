// The order of rows, against sorts that are written another way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { source } from './source.mjs';

const { orderOfNumbers, orderOfStrings } = await source('data/order.ts');
const { Searchable, contentOf } = await source('text/content.ts');
const { SIZE, TEXT } = await source('values.ts');

const tell = async () => undefined;
const dice = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
const columnOf = (data, dimension = 1, ends = undefined) => ({ rows: data.length / dimension, dimension, ends, read: (start, end) => ({ start, dimension, data: data.slice(start * dimension, end * dimension) }) });
const ask = (descending, place = 0, most = Infinity) => ({ column: 0, place, descending, most });
const rowsOf = (length) => Array.from({ length }, (_, at) => at);

/** Sorts rows by keys: `undefined` is last, equal rows keep their order. */
function sorted(keys, descending) {
  const sign = descending ? -1 : 1;
  return rowsOf(keys.length).sort((a, b) => {
    const [one, other] = [keys[a], keys[b]];
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined) || a - b;
    return (one < other ? -sign : one > other ? sign : 0) || a - b;
  });
}

test('sorts numbers of every type, the same ones in the order of the file', async () => {
  const random = dice(5);
  const odd = [NaN, 0, -0, Infinity, -Infinity, 5e-324, -5e-324, Number.MAX_VALUE];
  const kinds = [
    Float64Array.from({ length: 70_000 }, (_, at) => odd[at] ?? (random() < 0.1 ? NaN : (random() - 0.5) * 10 ** Math.floor(random() * 40 - 20))),
    Float32Array.from({ length: 5000 }, () => Math.floor(random() * 100) - 50),
    Int32Array.from({ length: 5000 }, () => (random() - 0.5) * 2 ** 32),
    Uint8Array.from({ length: 5000 }, () => random() * 256),
    BigInt64Array.from({ length: 5000 }, () => (BigInt(Math.floor(random() * 2 ** 31)) << 33n) - 2n ** 63n + BigInt(Math.floor(random() * 8))),
    BigUint64Array.from({ length: 5000 }, () => (BigInt(Math.floor(random() * 2 ** 31)) << 33n) + BigInt(Math.floor(random() * 8))),
  ];
  for (const data of kinds) {
    const keys = Array.from(data, (number) => (Number.isNaN(number) ? undefined : number));
    for (const descending of [false, true]) {
      const { rows, total } = await orderOfNumbers(columnOf(data), ask(descending), tell);
      assert.equal(total, data.length);
      assert.deepEqual(Array.from(rows), sorted(keys, descending), `${data.constructor.name} ${descending}`);
    }
  }
});

test('sorts vectors by one of their values, and only as many as allowed', async () => {
  const random = dice(9);
  const data = Float32Array.from({ length: 3000 }, () => Math.floor(random() * 50));
  const { rows, total } = await orderOfNumbers(columnOf(data, 3), ask(true, 2, 400), tell);
  assert.equal(total, 1000);
  assert.deepEqual(Array.from(rows), sorted(rowsOf(400).map((row) => data[3 * row + 2]), true));
});

test('rows that cannot be decoded are last', async () => {
  const { UnspoolError } = await import('unspool');
  const data = Float64Array.from({ length: 300 }, (_, at) => 300 - at);
  const column = columnOf(data, 1, [100, 200, 300]);
  const broken = { ...column, read: (start, end) => {
    if (start < 200 && end > 100) throw new UnspoolError(1);
    return column.read(start, end);
  } };
  const { rows } = await orderOfNumbers(broken, ask(false), tell);
  assert.deepEqual(Array.from(rows), sorted(Array.from(data, (number, at) => (at >= 100 && at < 200 ? undefined : number)), false));
});

/** Strings as the worker reads them, in pieces. */
async function* piecesOf(strings, step = 700) {
  for (let start = 0; start < strings.length; start += step) {
    const parts = strings.slice(start, start + step).map((text) => Buffer.from(text));
    const offsets = new Uint32Array(parts.length + 1);
    parts.forEach(({ length }, at) => (offsets[at + 1] = offsets[at] + length));
    yield { start, offsets, bytes: Buffer.concat(parts) };
  }
}

test('sorts strings by their bytes, also after equal starts, and by size', async () => {
  const random = dice(3);
  const words = ['', 'a', 'b\0', 'https://', 'https://example.com/', 'é', '😀', '\uffee', 'zzzzzzzz', 'zzzzzzzzz'];
  const strings = Array.from({ length: 5000 }, () => Array.from({ length: Math.floor(random() * 4) }, () => words[Math.floor(random() * words.length)]).join(''));
  const bytes = strings.map((text) => Buffer.from(text));
  const wanted = (sign) => rowsOf(strings.length).sort((a, b) => sign * Buffer.compare(bytes[a], bytes[b]) || a - b);
  for (const [descending, sign] of [[false, 1], [true, -1]]) {
    const { rows } = await orderOfStrings(strings.length, { ...ask(descending), column: TEXT }, piecesOf(strings));
    assert.deepEqual(Array.from(rows), wanted(sign));
    const { rows: sizes } = await orderOfStrings(strings.length, { ...ask(descending), column: SIZE }, piecesOf(strings));
    assert.deepEqual(Array.from(sizes), sorted(bytes.map(({ length }) => length), descending));
  }
  const { rows, total } = await orderOfStrings(strings.length, { ...ask(false, 0, 1000), column: TEXT }, piecesOf(strings));
  assert.equal(total, 5000);
  assert.deepEqual(Array.from(rows), wanted(1).filter((row) => row < 1000));
});

const searchable = (text) => {
  const bytes = new Uint8Array(Buffer.from(text));
  return new Searchable(contentOf(bytes.length, (start, end) => bytes.subarray(start, end)), { isCut: false });
};

test('sorts tables in text: numbers as numbers, other cells as text', async () => {
  const random = dice(11);
  // Rows cross the pieces that the content is read in.
  const rows = Array.from({ length: 60_000 }, (_, at) => [`name-${Math.floor(random() * 1000)}`, at % 50 === 7 ? '' : String(Math.floor(random() * 1e6) / 10 - 100), `a ${at % 3 ? 'b' : 'c\nd'}, ${'e'.repeat(at % 40)}`]);
  const csv = `name,value,note\n${rows.map(([name, value, note]) => `${name},${value},"${note}"\n`).join('')}`;
  const json = rows.map(([name, value, note]) => `${JSON.stringify({ name, value: value === '' ? undefined : Number(value), note })}\n`).join('');
  for (const text of [csv, json.trimEnd()]) {
    const content = searchable(text);
    await content.indexed(tell);
    for (const descending of [false, true]) {
      const { rows: byValue, total } = await content.order(content.content, 1, descending, tell);
      assert.equal(total, rows.length);
      assert.deepEqual(Array.from(byValue), sorted(rows.map(([, value]) => (value === '' ? undefined : Number(value))), descending));
      const { rows: byName } = await content.order(content.content, 0, descending, tell);
      assert.deepEqual(Array.from(byName), sorted(rows.map(([name]) => name), descending));
    }
    const { rows: byNote } = await content.order(content.content, 2, false, tell);
    assert.deepEqual(Array.from(byNote), sorted(rows.map(([, , note]) => note), false));
  }
});

test('sorts CSV without quotes, with a row of another form', async () => {
  const random = dice(17);
  const rows = Array.from({ length: 50_000 }, (_, at) => [`name-${Math.floor(random() * 9)}`, String(Math.floor(random() * 1e6)), at === 99 ? 'too,many' : `longer than eight ${at % 7}`]);
  const content = searchable(`name,value,note\r\n${rows.map((row) => `${row}\r\n`).join('')}`);
  await content.indexed(tell);
  for (const column of [0, 1, 2]) {
    const { rows: order } = await content.order(content.content, column, false, tell);
    const keys = rows.map((row, at) => (at === 99 ? (column === 1 ? undefined : '') : column === 1 ? Number(row[1]) : row[column]));
    assert.deepEqual(Array.from(order), sorted(keys, false));
  }
});
