import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { decode, decodeOnPair, inspect, nodes, openOnPair, openOnPairFile, probe, salvageOnPair, UnspoolError } from './all.mjs';

const folder = new URL('../../../tests/vectors/onpair/', import.meta.url);
const read = (path) => new Uint8Array(readFileSync(new URL(path, folder)));
const { cases, container } = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8'));

/** The expected content of a vector: all bytes, and the start of each row. */
function expected({ expected: { expected: bytes, row_offsets: offsets, rows } }) {
  const starts = new BigUint64Array(read(offsets).buffer);
  assert.equal(starts.length, rows + 1);
  return { bytes: read(bytes), offsets: Uint32Array.from(starts, Number), rows };
}

/** The buffers of a case, with plain codes and packed at both widths. */
function buffersOf({ dir, bits, files, min_code_bits: least, code_offsets_width: width }) {
  const common = {
    dictBytes: read(`${dir}/dict_bytes.bin`),
    dictOffsets: new Uint32Array(read(`${dir}/dict_offsets.bin`).buffer),
    codeOffsets: new (width === 64 ? BigUint64Array : Uint32Array)(read(`${dir}/code_offsets.bin`).buffer),
  };
  const all = [
    { ...common, codes: new Uint16Array(read(`${dir}/codes.bin`).buffer) },
    { ...common, packedCodes: read(`${dir}/packed_codes.bin`), bits },
  ];
  if ('packed_codes_min.bin' in files) all.push({ ...common, packedCodes: read(`${dir}/packed_codes_min.bin`), bits: least });
  return all;
}

function assertRows(column, { bytes, offsets, rows }, name) {
  assert.equal(column.rowCount, rows, name);
  const whole = column.decode();
  assert.deepEqual(whole.bytes, bytes, name);
  assert.deepEqual(whole.offsets, offsets, name);
  assert.equal(column.decodedLength(), bytes.length, name);
  const rowAt = (row) => bytes.subarray(offsets[row], offsets[row + 1]);
  for (let row = 0; row < rows; row += 1 + (rows >> 7)) assert.deepEqual(column.row(row), rowAt(row), `${name} row ${row}`);
  const [start, end] = [rows >> 2, rows >> 1];
  const part = column.rows(start, end);
  assert.equal(part.length, end - start);
  part.forEach((row, at) => assert.deepEqual(row, rowAt(start + at), `${name} row ${start + at}`));
  assert.equal(column.decode(start, end).offsets[0], 0);
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  assert.deepEqual(column.texts(start, end), part.map((row) => text.decode(row)));
  if (rows > 0) assert.equal(column.text(rows - 1), text.decode(rowAt(rows - 1)));
  // Rows by number: in any order, repeated, as an array or as a search result.
  const numbers = rows > 0 ? [rows - 1, 0, rows >> 1, 0] : [];
  assert.deepEqual(column.rows(numbers), numbers.map(rowAt), name);
  assert.deepEqual(column.texts(Uint32Array.from(numbers)), numbers.map((row) => text.decode(rowAt(row))), name);
}

test('decodes every container, as a whole and row by row', () => {
  assert.equal(container.length, 5);
  for (const entry of container) {
    const bytes = read(entry.file);
    const wanted = expected(entry);
    assert.deepEqual(probe(bytes), { format: 'onpair' });
    const column = openOnPair(bytes);
    assert.deepEqual([column.codeBits, column.size, column.isSorted], [entry.bits, entry.size, true], entry.file);
    assertRows(column, wanted, entry.file);
    const { format, ...strings } = decode(bytes);
    assert.equal(format, 'onpair');
    assert.deepEqual(strings, { offsets: wanted.offsets, bytes: wanted.bytes });
    assert.deepEqual(decodeOnPair(bytes.slice().buffer), strings);
    const middle = wanted.rows >> 1;
    assert.deepEqual(decodeOnPair(bytes, { rows: [middle, wanted.rows] }).bytes, wanted.bytes.subarray(wanted.offsets[middle]));
  }
});

test('decodes bare buffers with plain and packed codes, and 32-bit and 64-bit offsets', () => {
  const widths = new Set();
  assert.equal(cases.length, 36);
  for (const entry of cases) {
    const wanted = expected(entry);
    for (const buffers of buffersOf(entry)) {
      const column = openOnPair(buffers);
      widths.add(column.codeBits).add(buffers.codeOffsets.constructor);
      assert.equal(column.tokenCount, entry.N);
      assert.equal(column.size, 0);
      assertRows(column, wanted, `${entry.case} at ${buffers.bits ?? 'plain'}`);
      column.release();
    }
  }
  assert.ok(widths.size >= 8 && widths.has(BigUint64Array));
});

test('accepts buffers of other types: packed words, signed offsets, a slice', () => {
  const entry = cases.find(({ case: name }) => name === 'names_b12');
  const wanted = expected(entry);
  const [plain, packed] = buffersOf(entry);
  const words = new BigUint64Array(Math.ceil(packed.packedCodes.length / 8));
  new Uint8Array(words.buffer).set(packed.packedCodes);
  assertRows(openOnPair({ ...packed, packedCodes: words }), wanted, 'words');
  const signed = { dictOffsets: Int32Array.from(plain.dictOffsets), codeOffsets: BigInt64Array.from(plain.codeOffsets, BigInt) };
  assertRows(openOnPair({ ...plain, ...signed }), wanted, 'signed');
  // Rows 10 to 19 of the same column, as Arrow slices it.
  const { offsets, bytes } = openOnPair({ ...plain, codeOffsets: plain.codeOffsets.subarray(10, 21) }).decode();
  assert.deepEqual(bytes, wanted.bytes.subarray(wanted.offsets[10], wanted.offsets[20]));
  assert.deepEqual(offsets, wanted.offsets.slice(10, 21).map((offset) => offset - wanted.offsets[10]));
});

test('finds the same rows as the reference', () => {
  let searched = 0;
  for (const entry of cases.filter(({ search }) => search !== undefined)) {
    const columns = buffersOf(entry).map((buffers) => openOnPair(buffers));
    const file = container.find(({ dataset }) => dataset === entry.dataset)?.file;
    if (file !== undefined) columns.push(openOnPair(read(file)));
    for (const { needle, equal, starts_with, contains } of entry.search) {
      for (const column of columns) {
        for (const bytes of [needle, new TextEncoder().encode(needle)]) {
          assert.deepEqual(column.search({ equals: bytes }), Uint32Array.from(equal), `${entry.case} = ${needle}`);
          assert.deepEqual(column.search({ startsWith: bytes }), Uint32Array.from(starts_with), `${entry.case} ^ ${needle}`);
          assert.deepEqual(column.search({ contains: bytes }), Uint32Array.from(contains), `${entry.case} ~ ${needle}`);
          searched += contains.length;
        }
      }
    }
  }
  assert.ok(searched > 10_000, `${searched} rows found`);
});

test('tiles every container with leaves', () => {
  for (const { file, size } of container) {
    const { format, error, structure } = inspect(read(file));
    assert.deepEqual([format, error, structure.leftOut], ['onpair', undefined, 0]);
    let at = 0;
    const leaves = [...nodes(structure)].filter(({ part, start, end }) => part !== undefined && end > start);
    leaves.sort((a, b) => a.start - b.start);
    for (const { name, start, end } of leaves) {
      assert.equal(start, at, `${file} ${name}`);
      at = end;
    }
    assert.equal(at, size * 8, file);
  }
});

/** Expects an error of the core, not a trap. */
function refused(run, what) {
  assert.throws(run, (error) => error instanceof UnspoolError && error.class !== 'Internal' && error.code > 0, what);
}

test('refuses a container truncated at any length, and reports the length it needs', () => {
  const bytes = read('cpp/one_row_b12.onp');
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => openOnPair(bytes.subarray(0, length)), { name: 'Truncated', class: 'Truncated', offset: length }, `${length}`);
    refused(() => decode(bytes.subarray(0, length)), `${length}`);
  }
  // Bytes after a container are ignored.
  const longer = new Uint8Array(bytes.length + 5);
  longer.set(bytes);
  assert.equal(openOnPair(longer).size, bytes.length);
});

test('refuses hostile containers without allocating', () => {
  const bytes = read('cpp/urls_b12.onp');
  const hostile = (change) => {
    const copy = bytes.slice();
    change(new DataView(copy.buffer));
    return copy;
  };
  assert.throws(() => openOnPair(hostile((view) => view.setUint8(0, 0))), { name: 'OnPairMagic', offset: 0 });
  assert.throws(() => openOnPair(hostile((view) => view.setUint8(8, 17))), { name: 'OnPairBits', offset: 8 });
  const before = process.memoryUsage().rss;
  assert.throws(() => openOnPair(hostile((view) => view.setUint32(9, 0xffffffff, true))), { name: 'Truncated' });
  assert.ok(process.memoryUsage().rss - before < 2 ** 26);
  assert.throws(() => openOnPair(hostile((view) => view.setUint32(bytes.length - 4, 0xffffffff, true))), { name: 'OnPairCodesShort' });
  assert.throws(() => openOnPair(hostile((view) => view.setUint32(bytes.length - 8, 0xffffff, true))), { name: 'OnPairRowOrder' });
  assert.throws(() => decodeOnPair(bytes, { limits: { maxOutput: 1000 } }), { class: 'Limit', need: 135733 });
  assert.throws(() => openOnPair(bytes, { limits: { maxElements: 100 } }), { name: 'ElementLimit' });
});

test('decodes or refuses mutated containers without a trap', () => {
  let state = 1;
  const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const files = ['cpp/one_row_b12.onp', 'cpp/empties_b12.onp', 'cpp/utf8_b12.onp'].map(read);
  const ended = { decoded: 0, refused: 0 };
  for (let round = 0; round < 1500; round++) {
    const bytes = files[random(files.length)].slice();
    for (let flips = 1 + random(3); flips > 0; flips--) bytes[8 + random(bytes.length - 8)] ^= 1 << random(8);
    try {
      const column = openOnPair(bytes, { limits: { maxOutput: 1e7 } });
      column.search({ contains: 'e' });
      const { offsets, bytes: decoded } = column.decode();
      assert.equal(offsets.at(-1), decoded.length);
      column.release();
      ended.decoded++;
    } catch (error) {
      assert.ok(error instanceof UnspoolError && error.class !== 'Internal', `round ${round}: ${error.stack}`);
      ended.refused++;
    }
  }
  assert.ok(ended.decoded > 100 && ended.refused > 100, JSON.stringify(ended));
});

test('reopens a column after release, and after its instance was replaced', () => {
  const bytes = read('cpp/urls_b12.onp');
  const wanted = expected(container.find(({ file }) => file === 'cpp/urls_b12.onp'));
  const column = openOnPair(bytes);
  for (let round = 0; round < 3; round++) {
    assert.deepEqual(column.row(7), wanted.bytes.subarray(wanted.offsets[7], wanted.offsets[8]));
    if (round === 0) column.release();
    // The module's memory exceeds the limit of an idle instance.
    else inspect(new Uint8Array(70 * 2 ** 20));
  }
  column.release();
  column.release();
});

test('refuses wrong arguments at once', () => {
  const bytes = read('cpp/urls_b12.onp');
  const column = openOnPair(bytes);
  for (const row of [-1, 0.5, NaN, '1', 2n, null]) {
    assert.throws(() => column.row(row), TypeError);
    assert.throws(() => column.decode(0, row), TypeError);
  }
  assert.throws(() => column.row(3000), { name: 'RangeOutside', class: 'Misuse' });
  assert.throws(() => column.rows(2, 1), { name: 'RangeOutside' });
  assert.throws(() => column.texts(0, 3001), { name: 'RangeOutside' });
  assert.throws(() => column.texts([0, 3000]), { name: 'RangeOutside' });
  assert.throws(() => column.rows([0, 0.5]), TypeError);
  assert.throws(() => column.decodedLength(0, 3001), { name: 'RangeOutside' });
  for (const query of [undefined, {}, 'https', { equals: 1 }, { contains: null }, { equals: 'a', contains: 'b' }]) {
    assert.throws(() => column.search(query), TypeError);
  }
  for (const source of [null, undefined, 'ONPAIR01', 7, []]) assert.throws(() => openOnPair(source), TypeError);
  const [plain, packed] = buffersOf(cases[0]);
  for (const [change, words] of [
    [{ codes: undefined }, /codes or packedCodes/],
    [{ packedCodes: packed.packedCodes, bits: 12 }, /codes or packedCodes/],
    [{ codes: new Uint8Array(4) }, /codes must be a Uint16Array/],
    [{ codeOffsets: new Uint8Array(8) }, /codeOffsets must be a Uint32Array or/],
    [{ dictOffsets: [0, 1] }, /dictOffsets must be/],
    [{ codes: undefined, packedCodes: packed.packedCodes, bits: 17 }, /bits must be 1 to 16/],
    [{ dictBytes: 'abc' }, /must be a Uint8Array/],
  ]) {
    assert.throws(() => openOnPair({ ...plain, ...change }), { name: 'TypeError', message: words });
  }
  refused(() => openOnPair({ ...plain, dictOffsets: plain.dictOffsets.map((offset) => offset + 1) }), 'first offset');
  refused(() => openOnPair({ ...packed, packedCodes: packed.packedCodes.subarray(1) }), 'codes short');
  // A code without a token is detected when its row is decoded.
  const outside = openOnPair({ ...plain, codes: plain.codes.map(() => 0xffff) });
  assert.throws(() => outside.row(0), { name: 'OnPairCode', class: 'Corrupt' });
  assert.throws(() => outside.decode(), { name: 'OnPairCode' });
  assert.throws(() => outside.search({ contains: 'a' }), { name: 'OnPairCode' });
});

test('salvages the rows before an error, and reports the error', () => {
  const bytes = read('cpp/urls_b12.onp');
  const whole = openOnPair(bytes).texts();
  const cut = salvageOnPair(bytes.subarray(0, -101));
  assert.equal(cut.error.name, 'Truncated');
  assert.equal(cut.column.rowCount, whole.length - 26);
  assert.deepEqual(cut.column.texts(), whole.slice(0, -26));
  assert.ok(cut.column.search({ contains: 'http' }).length > 0);
  cut.column.release();
  const flipped = bytes.slice();
  flipped[flipped.length - 401] ^= 0x80;
  const { column, error } = salvageOnPair(flipped);
  assert.equal(error.name, 'OnPairRowOrder');
  assert.throws(() => openOnPair(flipped), { name: error.name, offset: error.offset });
  assert.deepEqual(column.texts(), whole.slice(0, column.rowCount));
  assert.equal(column.rowCount, 2899);
  assert.equal(salvageOnPair(bytes).error, undefined);
  assert.equal(salvageOnPair(bytes).column.rowCount, whole.length);
  // Without all codes nothing can be salvaged.
  assert.throws(() => salvageOnPair(bytes.subarray(0, 20_000)), { name: 'Truncated' });
  assert.throws(() => salvageOnPair('ONPAIR01'), TypeError);
});

/** Bytes as a remote file that counts the bytes read. */
function elsewhere(bytes) {
  const far = {
    size: bytes.length,
    total: 0,
    read({ start, end }) {
      far.total += end - start;
      return Promise.resolve(bytes.subarray(start, end));
    },
  };
  return far;
}

test('reads rows of a remote container like a local one, and only the bytes needed', async () => {
  for (const entry of container) {
    const bytes = read(entry.file);
    const column = openOnPair(bytes);
    const far = elsewhere(new Uint8Array([...bytes, 1, 2, 3]));
    const file = await openOnPairFile(far);
    for (const fact of ['rowCount', 'tokenCount', 'codeCount', 'codeBits', 'isSorted', 'size']) assert.equal(file[fact], column[fact], `${entry.file}: ${fact}`);
    assert.deepEqual(await file.decode(), column.decode(), entry.file);
    assert.deepEqual(await file.rows(), column.rows(), entry.file);
    const opened = far.total;
    for (let row = 0; row < column.rowCount; row += 1 + (column.rowCount >> 6)) {
      const before = far.total;
      assert.deepEqual(await file.row(row), column.row(row), `${entry.file} row ${row}`);
      assert.ok(far.total - before <= 8 + 8 * file.codeBits + 8 + 2 * column.row(row).length, `${entry.file} row ${row}: ${far.total - before}`);
      assert.equal(await file.text(row), column.text(row));
    }
    const middle = [column.rowCount >> 2, column.rowCount >> 1];
    assert.deepEqual(await file.texts(...middle), column.texts(...middle), entry.file);
    assert.deepEqual([await file.decodedLength(), await file.decodedLength(...middle)], [column.decodedLength(), column.decodedLength(...middle)], entry.file);
    const some = [column.rowCount - 1, 0, 0, 1, 2].filter((row) => row >= 0 && row < column.rowCount);
    assert.deepEqual(await file.texts(some), column.texts(some), entry.file);
    if (column.rowCount > 0) {
      const needle = column.row(middle[0]);
      for (const query of [{ equals: needle }, { startsWith: needle.subarray(0, 3) }, { contains: needle.subarray(1, 3) }]) {
        const told = [];
        const found = await file.search(query, { onProgress: (...progress) => void told.push(progress) });
        assert.deepEqual(found, column.search(query), entry.file);
        assert.deepEqual(told.at(-1), [column.rowCount, column.rowCount]);
      }
    }
    assert.ok(opened > 0);
  }
  // Distant rows, nearby rows, any order, repeats: nearby rows share a read, and the dictionary is
  // read once.
  const names = openOnPair(read('cpp/urls_b12.onp'));
  const far = elsewhere(read('cpp/urls_b12.onp'));
  const file = await openOnPairFile(far);
  const wanted = [2999, 0, 5, 300, 2, 900, 901, 901, 1700, 3, 1699];
  let reads = 0;
  const { read: count } = far;
  far.read = (range) => (reads++, count(range));
  assert.deepEqual(await file.texts(wanted), names.texts(wanted));
  assert.deepEqual(await file.rows(new Set(wanted)), names.rows(new Set(wanted)));
  assert.equal(reads, 2 * 2 * 8, 'in eight stretches');
  assert.deepEqual([await file.texts([]), await file.rows(7, 7)], [[], []]);
  // Released, it reads the dictionary once more, even for two calls; after a failure, again.
  file.release();
  far.read = () => Promise.reject(new Error('torn'));
  await assert.rejects(file.text(7), /torn/);
  far.read = (range) => (reads++, count(range));
  reads = 0;
  assert.deepEqual(await Promise.all([file.text(7), file.text(7), file.text(7)]), names.texts([7, 7, 7]));
  assert.equal(reads, 2 + 2 * 3);
  assert.equal(file[Symbol.dispose](), undefined);
  assert.equal(await file.text(7), names.text(7));
  // A Blob.
  const blob = await openOnPairFile(new Blob([read('cpp/urls_b12.onp')]));
  assert.deepEqual(await blob.texts([5, 6, 7]), names.texts([5, 6, 7]));
});

test('searches a long container in steps, and stops when the listener throws', async () => {
  // One token, one code, and enough rows for several steps.
  const rows = 600_000;
  const bytes = new Uint8Array(9 + 4 + 1 + 4 + 8 + 4 + 8 * Math.ceil(rows / 64) + 4 + 4 * (rows + 1));
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode('ONPAIR01'));
  bytes[8] = 1;
  let at = 9;
  const number = (value) => (view.setUint32(at, value, true), (at += 4));
  number(1);
  bytes[at++] = 'a'.charCodeAt(0);
  number(2), number(0), number(1);
  number(Math.ceil(rows / 64)), (at += 8 * Math.ceil(rows / 64));
  number(rows + 1);
  for (let row = 0; row <= rows; row++) number(row);
  const file = await openOnPairFile(elsewhere(bytes));
  const found = await file.search({ equals: 'a' });
  assert.equal(found.length, rows);
  assert.deepEqual([found[0], found[300_000], found.at(-1)], [0, 300_000, rows - 1]);
  await assert.rejects(file.search({ equals: 'a' }, { onProgress: () => Promise.reject(new Error('enough')) }), /enough/);
  await assert.rejects(file.search({ equals: 'a' }, { signal: AbortSignal.abort(new Error('late')) }), /late/);
  assert.deepEqual(await file.texts(599_998), ['a', 'a']);
});

test('reports the same offsets for a broken remote container as for a local one', async () => {
  const whole = read('cpp/utf8_b12.onp');
  const how = async (run) => {
    try {
      await run();
      return 'none';
    } catch (error) {
      assert.ok(error instanceof UnspoolError, error.stack);
      return `${error.name} at ${error.offset}`;
    }
  };
  const both = async (bytes, what) => {
    const near = await how(() => openOnPair(bytes).decode());
    const far = await how(async () => (await openOnPairFile(elsewhere(bytes))).decode());
    assert.equal(far, near, what);
    return near;
  };
  for (let length = 0; length < whole.length; length += length < 40 ? 1 : 97) assert.match(await both(whole.subarray(0, length), `cut at ${length}`), /^Truncated/);
  let state = 7;
  const random = (below) => Math.floor(((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32) * below);
  const seen = new Set();
  for (let round = 0; round < 600; round++) {
    const bytes = whole.slice();
    const at = random(2) === 0 ? random(20) : random(bytes.length);
    bytes[at] ^= 1 << random(8);
    seen.add((await both(bytes, `round ${round}: byte ${at}`)).split(' ')[0]);
  }
  assert.ok(seen.size > 6, [...seen].join(' '));
  const file = await openOnPairFile(whole);
  for (const wrong of [-1, 0.5, NaN, '1', null]) await assert.rejects(file.row(wrong), TypeError);
  for (const call of [file.row(file.rowCount), file.rows(2, 1), file.texts(0, file.rowCount + 1), file.texts([0, file.rowCount])]) {
    await assert.rejects(call, { name: 'RangeOutside', class: 'Misuse' });
  }
  await assert.rejects(file.search({ equals: 1 }), TypeError);
  await assert.rejects(openOnPairFile(whole, { signals: 1 }), TypeError);
});
