// Lines and tables in decoded text, against readers that are written another way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { source } from './source.mjs';
import { decodeXz, decodeZstd, gzipStream, xzStream, zstdStream } from './unspool.mjs';
import { vector } from './vectors.mjs';

const { RowIndex, STRIDE, eachEnd, fieldsOf, withoutEnd } = await source('text/rows.ts');
const { cellsOf, shapeOf } = await source('text/shape.ts');
const { afterCut, beforeCut, encodingOf, Utf8Check, widthAt } = await source('text/utf8.ts');
const { lettersOf, shownLine, splitAt, byteAt } = await source('text/letters.ts');
const { Searchable, contentOf } = await source('text/content.ts');
const { Streamed } = await source('text/streamed.ts');
const { partsOf } = await source('text/parts.ts');
const { find, findBefore } = await source('bytes/search.ts');

const utf8 = new TextEncoder();
const bytesOf = (text) => utf8.encode(text);
const tell = async () => undefined;
/** Numbers that are the same in each run. */
const dice = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
const inMemory = (bytes) => contentOf(bytes.length, (start, end) => bytes.subarray(start, end));
const searchable = (bytes, how = { isCut: false }) => new Searchable(inMemory(bytes), how);
/** All lines, as another reader splits them. */
const linesOf = (text) => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n').map((line) => line.replace(/\r$/, ''));

/** Reads CSV letter by letter, as RFC 4180 says. */
function recordsOf(text, delimiter) {
  const records = [[]];
  let [field, quoted, closed] = ['', false, false];
  const endField = () => {
    records.at(-1).push(field);
    [field, quoted, closed] = ['', false, false];
  };
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted) {
      if (letter !== '"') field += letter;
      else if (text[at + 1] === '"') field += text[++at];
      else [quoted, closed] = [false, true];
    } else if (letter === '"' && field === '' && !closed) quoted = true;
    else if (letter === delimiter) endField();
    else if (letter === '\n' || (letter === '\r' && text[at + 1] === '\n')) {
      if (letter === '\r') at++;
      endField();
      if (at + 1 < text.length) records.push([]);
    } else field += letter;
  }
  if (!/\n$/.test(text) || quoted) endField();
  return records;
}

/** CSV of cells, in quotes where they need them, and sometimes where they do not. */
function csvOf(table, delimiter, end, random) {
  const field = (cell) => (/["\n\r]/.test(cell) || cell.includes(delimiter) || random() < 0.2 ? `"${cell.replaceAll('"', '""')}"` : cell);
  return table.map((row) => row.map(field).join(delimiter) + end).join('');
}

test('finds each row of any text, wherever pieces are cut', async () => {
  const random = dice(7);
  for (const delimiter of [undefined, ',']) {
    for (let round = 0; round < 60; round++) {
      const letters = ['a', 'bc', ',', '"', '""', '\n', '\r\n', 'é', '"x\ny"', ','];
      const text = Array.from({ length: 40 }, () => letters[Math.floor(random() * letters.length)]).join('');
      const bytes = bytesOf(text);
      const whole = new RowIndex(delimiter?.charCodeAt(0));
      whole.add(bytes);
      const expected = await whole.bounds(inMemory(bytes), 0, whole.rows);
      if (delimiter === undefined) assert.deepEqual(expected.slice(0, -1), linesOf(text).map((_, at) => (at === 0 ? 0 : nthLineFeed(bytes, at))), text);
      for (let cut = 0; cut <= bytes.length; cut++) {
        const index = new RowIndex(delimiter?.charCodeAt(0));
        index.add(bytes.subarray(0, cut));
        index.add(bytes.subarray(cut));
        assert.equal(index.rows, whole.rows);
        assert.deepEqual(await index.bounds(inMemory(bytes), 0, index.rows), expected);
      }
      for (let byte = 0; byte < bytes.length; byte++) {
        const row = expected.findLastIndex((start, at) => at < expected.length - 1 && start <= byte);
        assert.equal(await whole.rowOf(inMemory(bytes), byte), row, `${JSON.stringify(text)} at ${byte}`);
      }
    }
  }
});

/** The byte after a line feed, counted from 1. */
function nthLineFeed(bytes, n) {
  let at = -1;
  while (n-- > 0) at = bytes.indexOf(10, at + 1);
  return at + 1;
}

test('finds rows across the strides of the index, and rows longer than many', async () => {
  const random = dice(3);
  for (const long of [0, 5, STRIDE - 1, STRIDE, STRIDE + 1, 5 * STRIDE]) {
    const table = Array.from({ length: 12_000 }, (_, at) => [`name ${at}`, at % 50 === 0 ? `two\nlines "${at}"` : `x${at}`, String(at / 4)]);
    if (long > 0) table.splice(6000, 0, ['long', 'y,'.repeat(long), '1\n'.repeat(long % 9)]);
    for (const [end, last] of [['\n', true], ['\r\n', true], ['\n', false]]) {
      let text = csvOf(table, ',', end, random);
      if (!last) text = text.slice(0, -1);
      const bytes = bytesOf(text);
      const index = new RowIndex(','.charCodeAt(0));
      for (let at = 0; at < bytes.length; at += 100_000) index.add(bytes.subarray(at, at + 100_000));
      assert.equal(index.rows, table.length);
      for (const row of [0, 1, 2, 3000, 5999, 6000, 6001, 11_000, table.length - 1]) {
        const [start, after] = await index.bounds(inMemory(bytes), row, row + 1);
        assert.deepEqual(fieldsOf(new TextDecoder().decode(withoutEnd(bytes.subarray(start, after))), ','), table[row]);
        for (const byte of [start, after - 1]) assert.equal(await index.rowOf(inMemory(bytes), byte), row);
      }
      const bounds = await index.bounds(inMemory(bytes), 0, index.rows);
      assert.equal(bounds.length, table.length + 1);
      assert.equal(bounds.at(-1), bytes.length);
    }
  }
});

test('reads records and fields of CSV as RFC 4180 says', () => {
  const random = dice(11);
  const cells = ['', 'a', 'a b', ' ', '"', 'a "b" c', ',', ';', 'one\ntwo', 'x\r\ny', 'ü€🎈', '1.5'];
  for (const delimiter of [',', ';', '\t', '|']) {
    for (const end of ['\n', '\r\n']) {
      const table = Array.from({ length: 200 }, () => Array.from({ length: 4 }, () => cells[Math.floor(random() * cells.length)]));
      const text = csvOf(table, delimiter, end, random);
      assert.deepEqual(recordsOf(text, delimiter), table);
      const found = [];
      let from = 0;
      const bytes = bytesOf(text);
      eachEnd(bytes, 0, delimiter.charCodeAt(0), (at) => {
        found.push(fieldsOf(new TextDecoder().decode(withoutEnd(bytes.subarray(from, at + 1))), delimiter));
        from = at + 1;
        return false;
      });
      assert.deepEqual(found, table);
    }
  }
  // Quotes within a field, and after one, are part of it.
  for (const record of ['5" pipe,b', '"a"b,c', '"open, to the end', '""', '"",""', '', 'a,', ',a', '"a""b"', '"a" ,b', 'a"b"c,d']) assert.deepEqual([fieldsOf(record, ',')], recordsOf(record, ','), record);
});

test('reads CSV as the csv module of Python does', () => {
  const random = dice(5);
  const cells = ['', 'plain', 'with "quotes"', 'a, b', 'two\nlines', 'three\r\nlines', 'ñ', '"'];
  const table = Array.from({ length: 300 }, (_, row) => [String(row), ...Array.from({ length: 3 }, () => cells[Math.floor(random() * cells.length)])]);
  const python = 'import csv,io,json,sys; print(json.dumps(list(csv.reader(io.StringIO(sys.stdin.read(), newline="")))))';
  const text = csvOf(table, ',', '\n', random);
  const theirs = JSON.parse(execFileSync('python3', ['-c', python], { input: text, env: { ...process.env, PYTHONIOENCODING: 'utf-8', PYTHONUTF8: '1' } }).toString());
  const shape = shapeOf(bytesOf(`id,a,b,c\n${text}`), false);
  assert.equal(shape.kind, 'csv');
  const found = [];
  let from = 0;
  const bytes = bytesOf(text);
  eachEnd(bytes, 0, ','.charCodeAt(0), (at) => {
    found.push(cellsOf(new TextDecoder().decode(withoutEnd(bytes.subarray(from, at + 1))), shape));
    from = at + 1;
    return false;
  });
  assert.deepEqual(found, theirs);
});

test('detects tables, and does not take logs and prose for one', () => {
  const shape = (text, isCut = false) => shapeOf(bytesOf(text), isCut);
  assert.deepEqual(shape('a,b\n1,2\n'), { kind: 'csv', columns: ['a', 'b'], more: 0, delimiter: ',', hasHead: true });
  assert.deepEqual(shape('a;b\r\n1,5;2,5\r\n3,5;4,5'), { kind: 'csv', columns: ['a', 'b'], more: 0, delimiter: ';', hasHead: true });
  assert.deepEqual(shape('1\t2\t3\n4\t5\t6\n')?.columns, ['0', '1', '2']);
  assert.equal(shape('1\t2\t3\n4\t5\t6\n').hasHead, false);
  assert.deepEqual(shape('\ufeffa,b\n1,2\n').columns, ['a', 'b'], 'a byte order mark is no part of a name');
  assert.deepEqual(shape('{"a":1,"b":[1,2]}\n{"c":null,"a":"x"}\n').columns, ['a', 'b', 'c']);
  assert.equal(shape('{"a":1}\r\n{"a":2}\r\n').kind, 'json');
  // A row that the cut ends says nothing.
  assert.equal(shape('a,b\n1,2\n3', true).kind, 'csv');
  assert.equal(shape('{"a":1}\n{"a":2}\n{"a', true).kind, 'json');
  const wide = Array.from({ length: 250 }, (_, at) => `c${at}`);
  for (const text of [
    '', '\n', 'a,b', 'a,b\n1,2,3\n', 'one line', 'Some text, with a comma.\nAnother, also.\n'.replace('Another', '2 others'),
    '2026-01-01 12:00:00,123 INFO a\n2026-01-01 12:00:01,456 INFO b\n', '{"a":1}\n', '{\n"a": 1\n}\n', '[1,2]\n[3,4]\n'.replace(/,/g, ' '), '{}\n{}\n', '1,2\n3,4\n',
  ]) assert.equal(shape(text), undefined, JSON.stringify(text));
  const json = shape('{"a":1,"b":"x"}\n{"a":{"c":[true]},"b":null}\n');
  assert.deepEqual(cellsOf('{"b":"two\\nlines","a":{"c":[true,1.50]}}', json), ['{"c":[true,1.5]}', 'two\nlines']);
  assert.deepEqual(cellsOf('{"toString":1}', json), ['', '']);
  for (const row of ['', 'x', '[1]', 'null', '{"a":1']) assert.equal(cellsOf(row, json), undefined);
  assert.equal(cellsOf('1,2,3', shape('a,b\n1,2\n')), undefined);
  const many = shape(`${wide}\n${wide.map((_, at) => at)}\n`);
  assert.deepEqual([many.columns.length, many.more], [100, 150]);
  assert.deepEqual(cellsOf(wide.map((_, at) => at).join(), many).length, 100);
});

test('checks UTF-8 as TextDecoder does, cut at every byte', () => {
  const random = dice(13);
  const isUtf8 = (bytes, stream) => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream });
      return true;
    } catch {
      return false;
    }
  };
  const parts = ['a', 'é', '€', '🎈', '\u0800', '\uffff', '\u{10ffff}'].map(bytesOf).concat([[0x80], [0xc0, 0x80], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xff], [0xe2, 0x82], [0xf0, 0x9f]]);
  for (let round = 0; round < 400; round++) {
    const bytes = Uint8Array.from(Array.from({ length: 6 }, () => [...parts[Math.floor(random() * (round % 3 === 0 ? 7 : parts.length))]]).flat());
    for (const mayCut of [false, true]) {
      const ends = new Set();
      for (let cut = 0; cut <= bytes.length; cut++) {
        const check = new Utf8Check();
        check.add(bytes.subarray(0, cut));
        check.add(bytes.subarray(cut));
        ends.add(check.end(mayCut));
      }
      assert.equal(ends.size, 1);
      const [bad] = ends;
      assert.equal(bad < 0, isUtf8(bytes, mayCut), `${bytes}`);
      if (bad >= 0) assert.ok(isUtf8(bytes.subarray(0, bad), false) && !isUtf8(bytes.subarray(0, bad + 4), mayCut && bad + 4 > bytes.length), `${bytes}: ${bad}`);
    }
    // Each letter of a decoder is one width.
    let at = 0;
    let shown = '';
    for (; at < bytes.length; at += widthAt(bytes, at)) shown += new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(at, at + widthAt(bytes, at)));
    assert.equal(at, bytes.length);
    assert.equal(shown, new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  }
});

test('skips and removes halves of characters', () => {
  const bytes = bytesOf('a€🎈b');
  for (let cut = 0; cut <= bytes.length; cut++) {
    const [before, after] = [bytes.subarray(0, cut), bytes.subarray(cut)];
    assert.ok('a€🎈b'.startsWith(new TextDecoder('utf-8', { fatal: true }).decode(beforeCut(before))));
    assert.ok('a€🎈b'.endsWith(new TextDecoder('utf-8', { fatal: true }).decode(after.subarray(afterCut(after)))));
    assert.ok(before.length - beforeCut(before).length < 4);
  }
});

test('says which content is text', () => {
  const utf16 = (text, big = false) => {
    const bytes = Buffer.from(text, 'utf16le');
    return new Uint8Array(big ? bytes.swap16() : bytes);
  };
  const words = 'A text of some length, with a name: Müller.\n'.repeat(20);
  for (const [bytes, expected] of [
    [bytesOf(words), 'utf-8'], [bytesOf('€'), 'utf-8'], [bytesOf('\ufeffa'), 'utf-8'], [bytesOf(''), 'utf-8'], [bytesOf('tab\tand\r\n'), 'utf-8'], [bytesOf('a\u202eb\ue000'), 'utf-8'],
    [utf16(words), 'utf-16'], [utf16(words, true), 'utf-16'], [utf16('\ufeffä'), 'utf-16'], [utf16('\ufeffä', true), 'utf-16'],
    [new Uint8Array(1000), 'binary'], [Uint8Array.of(0x80), 'binary'], [bytesOf('\x1b[31mred\x1b[0m\f\n'), 'utf-8'], [bytesOf('a\x01b'), 'binary'], [bytesOf('a\0b'), 'binary'], [new Uint8Array(Buffer.from('°C 20', 'latin1')), 'binary'],
    [Uint8Array.from({ length: 256 }, (_, at) => at), 'binary'], [new Uint8Array(Float64Array.from({ length: 500 }, (_, at) => Math.sin(at)).buffer), 'binary'],
  ]) assert.equal(encodingOf(bytes, false), expected, `${bytes.slice(0, 9)}`);
  assert.equal(encodingOf(bytesOf('€').subarray(0, 2), true), 'utf-8');
  assert.equal(encodingOf(bytesOf('€').subarray(0, 2), false), 'binary');
});

test('relates letters of a line to their bytes', () => {
  const line = 'a€\u202eb🎈\tz';
  const bytes = Uint8Array.of(...bytesOf(line), 0xff, ...bytesOf('é'));
  const letters = lettersOf(bytes);
  assert.equal(letters.shown, shownLine(bytes));
  assert.equal(letters.shown, 'a€⟨U+202E⟩b🎈\tz\ufffdé');
  let byte = 0;
  for (const letter of [...line, '\xff', 'é']) {
    const length = letter === '\xff' ? 1 : bytesOf(letter).length;
    const [before, marked, after] = splitAt(letters, byte, byte + 1);
    assert.equal(before + marked + after, letters.shown);
    assert.equal(byteAt(letters, before.length), byte);
    assert.equal(byteAt(letters, before.length + marked.length - 1), byte);
    if (letter === '\u202e') assert.equal(marked, '⟨U+202E⟩');
    byte += length;
  }
  assert.equal(byteAt(letters, letters.shown.length), -1);
  assert.equal(byteAt(letters, -1), -1);
  assert.deepEqual(splitAt(letters, 0, 4), ['', 'a€', letters.shown.slice(2)]);
});

test('lists lines and rows of content, long and short', async () => {
  for (const end of ['\n', '\r\n']) {
    for (const last of [end, '']) {
      const all = ['first', '', 'y'.repeat(3_000_000), `${'€'.repeat(700)}`, 'end'];
      const content = searchable(bytesOf(all.join(end) + last));
      const { lines, encoding, bad, shape, size } = await content.indexed(tell);
      assert.deepEqual([lines, encoding, bad, shape], [5, 'utf-8', -1, undefined]);
      assert.equal(size, bytesOf(all.join(end) + last).length);
      const found = await content.list(content.content, 0, 99, false);
      assert.equal(found.length, 5);
      found.forEach(({ byte, length, bytes }, at) => {
        assert.equal(byte, bytesOf(all.slice(0, at).map((line) => line + end).join('')).length);
        assert.equal(length, bytesOf(all[at]).length);
        const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
        assert.ok(all[at].startsWith(text) && (bytes.length === length || bytes.length > 1990), `${at}`);
      });
    }
  }
  const table = searchable(bytesOf(`who,what\n"a, ""b""","two\nlines"\nshort\n${'z'.repeat(5000)},1\n${'w'.repeat(2 ** 20)},1`));
  const about = await table.indexed(tell);
  // A row of another form is no row of the table, so this is none.
  assert.equal(about.shape, undefined);
  const rows = Array.from({ length: 70 }, (_, at) => `${at},"x\n${at}"`);
  const csv = searchable(bytesOf(['who,what', ...rows, 'short', `${'z'.repeat(5000)},1`, `${'w'.repeat(2 ** 20)},1`].join('\n')));
  const { shape, rows: total, lines } = await csv.indexed(tell);
  assert.deepEqual([shape.columns, total, lines], [['who', 'what'], 73, 144]);
  const [first, , ...others] = await csv.list(csv.content, 0, 73, true);
  assert.deepEqual([first.cells, first.byte], [['0', 'x\n0'], 9]);
  assert.deepEqual(others.slice(-3).map(({ cells }) => cells?.map((cell) => cell.length)), [undefined, [2001, 1], undefined]);
  // To copy them, rows are read as a whole.
  assert.deepEqual((await csv.list(csv.content, 71, 73, true, true)).map(({ cells }) => cells.map((cell) => cell.length)), [[5000, 1], [2 ** 20, 1]]);
  assert.equal(await csv.rowOf(csv.content, 9, true), 0);
  assert.equal(await csv.rowOf(csv.content, 3, true), -1);
  assert.equal(await csv.rowOf(csv.content, 12, false), 1);
  const bad = searchable(new Uint8Array(Buffer.concat([Buffer.alloc(200_000, 'a\n'), Buffer.from([0xff, 10])])));
  assert.deepEqual(await bad.indexed(tell).then(({ bad, lines, encoding }) => [bad, lines, encoding]), [200_000, 100_001, 'utf-8']);
});

test('takes the columns of a later part from the start of the content', async () => {
  const start = inMemory(bytesOf('who,what\na,1\nb,2\n'));
  const whole = bytesOf('é,"5\nc,6\nd,7"\ne,8\n');
  for (let cut = 0; cut < 4; cut++) {
    const part = searchable(whole.subarray(cut), { isCut: true, startOf: start });
    const { encoding, bad, shape, rows } = await part.indexed(tell);
    assert.deepEqual([encoding, bad, shape.columns, shape.hasHead, rows], ['utf-8', -1, ['who', 'what'], false, 2]);
    const [first, second] = await part.list(part.content, 0, 2, true);
    assert.deepEqual(first.cells, cut < 3 ? [['é', '\ufffd', ''][cut], '5\nc,6\nd,7'] : undefined);
    assert.deepEqual(second.cells, ['e', '8']);
  }
});

/** Content that is decoded on demand, and the ranges of the file that were read. */
async function streamed(format, file, { isOne = false, kept } = {}) {
  const { inspect } = await import('unspool/inspect');
  const reads = [];
  const content = { size: file.length, slice: (start, end) => (reads.push([start, end]), { arrayBuffer: async () => new Uint8Array(file.subarray(start, end)).buffer }) };
  const found = isOne ? [] : partsOf(format, (await inspect(new Uint8Array(file))).structure);
  const parts = found.length > 0 ? found : [{ head: [0, 0], start: 0, end: file.length }];
  return { content: new Streamed({ content, parts, ends: format !== 'xz' || isOne, decoder: async () => ({ xz: xzStream, zstd: zstdStream, gzip: gzipStream })[format](), kept }), parts, reads };
}

test('decodes large content on demand, from the start of a part', async () => {
  const random = dice(17);
  const text = Array.from({ length: 30_000 }, (_, at) => `line ${at} ${'z'.repeat(at % 37)}`).join('\n');
  for (const [format, file, expected, kept] of [
    ['xz', vector('xz/blocks.xz'), decodeXz(vector('xz/blocks.xz')), 700],
    ['zstd', vector('zstd/page-seekable.zst'), decodeZstd(vector('zstd/page-seekable.zst')), 700],
    ['zstd', Buffer.concat(Array(3).fill(vector('zstd/page-seekable.zst'))), Buffer.concat(Array(3).fill(decodeZstd(vector('zstd/page-seekable.zst')))), 4000],
    ['gzip', gzipSync(text), bytesOf(text), 300_000],
  ]) {
    for (const isOne of [false, true]) {
      const { content, parts, reads } = await streamed(format, file, { kept, isOne });
      assert.equal(content.size, Infinity);
      const at = (start, end) => content.slice(start, end).arrayBuffer().then((found) => Buffer.from(found));
      for (let round = 0; round < 40; round++) {
        const start = Math.floor(random() * expected.length);
        const end = start + Math.floor(random() * 600);
        assert.ok((await at(start, end)).equals(Buffer.from(expected.subarray(start, end))), `${format} ${start} to ${end}`);
      }
      assert.equal((await at(expected.length - 1, expected.length + 5)).length, 1);
      assert.equal(content.size, expected.length);
      assert.equal((await at(expected.length, expected.length + 5)).length, 0);
      // Each part is found by itself.
      if (parts.length === 1) continue;
      await at(0, 1);
      reads.length = 0;
      await at(expected.length - 10, expected.length);
      const last = parts.at(-1);
      for (const [start, end] of reads) assert.ok(start >= last.start || (start >= last.head[0] && end <= last.head[1]), `${start} to ${end}`);
      assert.ok(reads.length > 0);
    }
  }
});

test('indexes content while it streams, and says where it breaks off', async () => {
  const all = Array.from({ length: 30_000 }, (_, at) => `${at},"z\n${'z'.repeat(at % 37)}"`);
  const file = gzipSync(`number,text\n${all.join('\n')}\n`);
  const { content } = await streamed('gzip', file, { kept: 2 ** 18 });
  const progress = [];
  const found = new Searchable(content, { isCut: false });
  const about = await found.indexed(async (now) => void progress.push(now));
  assert.deepEqual([about.rows, about.lines, about.error, about.size], [30_000, 60_001, undefined, content.size]);
  assert.deepEqual(progress.at(-1), { done: file.length, total: file.length });
  for (const row of [29_999, 0, 15_000]) assert.deepEqual((await found.list(content, row, row + 1, true))[0].cells, [String(row), `z\n${'z'.repeat(row % 37)}`]);
  // Of many requests at once, the latest are answered.
  const asked = [0, 20_000, 5000, 10_000, 29_000].map((row) => content.turn((from) => found.list(from, row, row + 1, true), true).then(([{ cells }]) => Number(cells[0]), (error) => error.message));
  assert.deepEqual(await Promise.all(asked), ['scrolled past', 'scrolled past', 5000, 10_000, 29_000]);
  for (const [bytes, name] of [[file.subarray(0, -9), 'Truncated'], [Buffer.concat([file.subarray(0, -8), Buffer.alloc(8)]), 'Checksum']]) {
    const broken = new Searchable((await streamed('gzip', bytes)).content, { isCut: false });
    const { error, lines, size } = await broken.indexed(tell);
    assert.equal(error.isChecksum, name === 'Checksum');
    assert.ok(error.words.length > 0 && lines > 50_000 && size > 0);
  }
});

test('lists blocks of xz and frames of Zstandard as parts', async () => {
  const { inspect, outline } = await import('unspool/inspect');
  for (const [format, name, expected] of [['xz', 'xz/blocks.xz', [[12, 628], [628, 1236], [1236, 1720]]], ['zstd', 'zstd/page-seekable.zst', [[0, 456], [456, 901], [901, 1253]]], ['xz', 'xz/page.xz', []], ['zstd', 'zstd/page.zst', []], ['gzip', 'xz/page.xz', []]]) {
    const file = new Uint8Array(vector(name));
    for (const { structure } of [await inspect(file), await outline(new Blob([file]))]) assert.deepEqual(partsOf(format, structure).map(({ start, end }) => [start, end]), expected, name);
  }
  // The second of two streams has its own header, of the blocks after it.
  const twice = new Uint8Array(Buffer.concat(Array(2).fill(vector('xz/blocks.xz'))));
  assert.deepEqual(partsOf('xz', (await inspect(twice)).structure).map(({ head }) => head[0]), [0, 0, 0, 1752, 1752, 1752]);
});

test('finds the last match before a byte, reading forwards', async () => {
  const text = 'xx needle xx needle xx needle';
  const content = inMemory(bytesOf(text));
  for (let from = -1; from <= text.length; from++) {
    const expected = from > 0 && text.lastIndexOf('needle', from - 1) >= 0 ? text.lastIndexOf('needle', from - 1) : text.lastIndexOf('needle');
    const sought = { needle: bytesOf('needle'), from, backwards: true };
    assert.equal(await findBefore(content, sought, tell), expected, `${from}`);
    assert.equal(await find(content, sought, tell), expected, `${from}`);
  }
  assert.equal(await findBefore(content, { needle: bytesOf('no'), from: 9, backwards: true }, tell), -1);
});
