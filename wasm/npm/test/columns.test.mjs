// CVC files with many columns.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, UnspoolError } from 'unspool';
import { cvcHeader, decodeCvc } from 'unspool/cvc';
import { bad, bytesOf, read, valid } from './vectors.mjs';

/** Returns a file with columns of one byte a row. If they are shared, all have the same bytes. */
function fileOf(columns, chunks, { rows = 1, shared = false } = {}) {
  const names = Array.from({ length: columns }, (_, index) => `c${index}`);
  const entries = Object.fromEntries(names.map((name, index) => [name, { compression: 'none', offset: shared ? 0 : index * rows, size: rows }]));
  const schema = names.map((name) => ({ name, dimension: 1, dtype: 'uint8', compression: 'none' }));
  const json = JSON.stringify({ format_type: 'columnar', num_vectors: chunks * rows, columns: schema, chunks: Array(chunks).fill({ rows, columns: entries }) });
  const head = Buffer.alloc(12);
  head.write('CVCF\x02', 'latin1');
  head.writeUInt32LE(json.length, 8);
  const payload = Buffer.alloc(shared ? rows : columns * rows);
  for (let at = 0; at < payload.length; at++) payload[at] = Math.floor(at / (shared ? 1 : rows)) % 251;
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(payload.length);
  prefix.writeUInt32LE(crc32(payload), 4);
  return new Uint8Array(Buffer.concat([head, Buffer.from(json), ...Array(chunks).fill([prefix, payload]).flat()]));
}

function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

/** Returns the least processor time of a few runs, in microseconds. */
async function work(run) {
  let least = Infinity;
  for (let round = 0; round < 4; round++) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}

test('all columns decode as each alone', async () => {
  for (const { file } of valid) {
    const bytes = read(file);
    for (const checksums of ['verify', 'skip']) {
      for (const [index, column] of (await decode(bytes, { checksums })).columns.entries()) {
        const { columns } = cvcHeader(bytes);
        const alone = decodeCvc(bytes, columns.length > 1 ? { checksums, column: column.column } : { checksums });
        assert.deepEqual(column, alone, `${file} ${column.column} ${checksums}`);
        assert.deepEqual([columns[index].dtype, columns[index].size], [column.dtype, bytesOf(column.data).length]);
      }
    }
  }
});

test('columns that share bytes decode as each alone', async () => {
  const bytes = fileOf(20, 3, { rows: 10_000, shared: true });
  const { columns } = await decode(bytes);
  assert.equal(columns.length, 20);
  for (const column of columns) assert.deepEqual(column, decodeCvc(bytes, { column: column.column }));
  // The last chunk is cut.
  await assert.rejects(decode(bytes.subarray(0, -1)), { name: 'Truncated', offset: bytes.length - 1 });
});

test('a file is refused as its first broken column is alone', async () => {
  let compared = 0;
  for (const { file } of bad) {
    const bytes = read(`bad/${file}`);
    let names = [];
    try {
      names = cvcHeader(bytes).columns.map(({ name }) => name);
    } catch {
      // Refused by every function.
    }
    const refusals = names.flatMap((column) => {
      try {
        decodeCvc(bytes, names.length > 1 ? { column } : {});
        return [];
      } catch (error) {
        assert.ok(error instanceof UnspoolError);
        return [`${error.name} ${error.offset}`];
      }
    });
    const whole = await decode(bytes).then(() => undefined, ({ name, offset }) => `${name} ${offset}`);
    if (names.length === 0) assert.notEqual(whole, undefined, file);
    else assert.ok(refusals.length === 0 ? whole === undefined : refusals.includes(whole), `${file}: ${whole}, alone ${refusals}`);
    compared += Number(names.length > 1);
  }
  assert.ok(compared > 1, `${compared} files with several columns`);
});

test('takes linear time for any number of columns', async () => {
  const [few, many] = [250, 2000].map((columns) => fileOf(columns, 20));
  const { columns } = await decode(many);
  assert.deepEqual([columns.length, columns[1999].column, columns[1999].data[19]], [2000, 'c1999', 1999 % 251]);
  for (const [name, run] of [['decode', decode], ['cvcHeader', cvcHeader]]) {
    const [one, eight] = [await work(() => run(few)), await work(() => run(many))];
    // Eight times as many columns; quadratic time would be 64 times as long.
    assert.ok(eight < 24 * one, `${name}: ${one} and ${eight} microseconds`);
  }
});
