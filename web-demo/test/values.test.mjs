// Decoded values: statistics, queries, saving; and the insides of codecs.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { statistics } from 'unspool/stats';
import * as unspool from './unspool.mjs';
import { inspector } from './harness.mjs';
import { PCO_HEAD, chunkHead, doubles, floats, halves, vector, zeros } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, heading, fact, summed, pick, tab } = it;

/** Saves with a button of the page. Returns the name and bytes of the file. */
const save = async (name) => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name, exact: true }).click()]);
  return [download.suggestedFilename(), readFileSync(await download.path())];
};

/** Returns the header of a numpy array, and the bytes after it. */
const numpy = (file) => {
  const end = 10 + file.readUInt16LE(8);
  return [file.subarray(10, end).toString(), file.subarray(end)];
};

test('computes statistics of all values', async () => {
  const values = floats('cvc/med_fp16.f32.bin');
  const norms = Array.from({ length: 400 }, (_, row) => Math.hypot(...values.subarray(row * 64, row * 64 + 64)));
  await open('#sample=embeddings');
  await summed('Mean').waitFor();
  const near = async (term, expected) => assert.ok(Math.abs(Number(await summed(term).textContent()) - expected) <= Math.abs(expected) * 1e-3 + 1e-9, term);
  assert.equal(await summed('Values').textContent(), '25,600');
  await near('Min', Math.min(...values));
  await near('Max', Math.max(...values));
  await near('Mean', values.reduce((sum, value) => sum + value, 0) / values.length);
  const shown = await page.locator('figcaption', { hasText: 'Vector norms (L2)' }).textContent();
  const [low, high] = shown.replace('(L2)', '').match(/[\d.]+/g).map(Number);
  assert.ok(Math.abs(low - Math.min(...norms)) < 1e-3 * low && Math.abs(high - Math.max(...norms)) < 1e-3 * high, shown);
  // Every bar has its count, and the counts add up to all values.
  const counted = (await page.locator('.statistics svg title').allTextContents()).reduce((sum, title) => sum + Number(title.split(': ')[1].replaceAll(',', '')), 0);
  assert.equal(counted, 25_600);
  await page.getByLabel('log₂ scale').check();
  await page.getByRole('img', { name: /^Histogram: \d+ bins from 2\^/ }).waitFor();
});

test('returns the same statistics for pieces as for the whole', async () => {
  // Three different pieces of numbers, with some NaN and infinite values.
  const count = 3 * 2 ** 18 - 1000;
  const numbers = Array.from({ length: count }, (_, at) => [at % 10, 1000 + (at % 7), -(at % 3)][Math.floor((3 * at) / count)]);
  [numbers[5], numbers[count - 5], numbers[count / 2]] = [NaN, NaN, Infinity];
  const head = JSON.stringify({ num_vectors: count, dimension: 1, compression: 'fp16', chunks: [{ rows: count }] });
  const bytes = Buffer.alloc(12 + head.length + 2 * count);
  bytes.write('CVCF');
  bytes.writeUInt32LE(head.length, 4);
  bytes.write(head, 8);
  bytes.writeUInt32LE(2 * count, 8 + head.length);
  numbers.forEach((number, at) => bytes.writeUInt16LE(halfOf(number), 12 + head.length + 2 * at));
  await open();
  await pick('pieces.cvc', bytes);
  await heading('pieces.cvc');
  const finite = numbers.filter(Number.isFinite);
  const mean = finite.reduce((sum, number) => sum + number, 0) / finite.length;
  const deviation = Math.sqrt(finite.reduce((sum, number) => sum + (number - mean) ** 2, 0) / finite.length);
  await summed('Mean').waitFor();
  const shown = async (term) => Number((await summed(term).textContent()).replaceAll(',', ''));
  assert.deepEqual(await Promise.all(['Values', 'Min', 'Max', 'Not a number', 'Infinite'].map(shown)), [count, -2, Infinity, 2, 1]);
  assert.equal(await shown('Mean'), Number(mean.toPrecision(5)));
  assert.equal(await shown('Std. dev.'), Number(deviation.toPrecision(5)));
  // Each bar counts the values in it.
  const bars = (await page.locator('.statistics figure').first().locator('title').allTextContents()).map((title) => title.match(/^(\S+) to (\S+): (\S+)$/).slice(1).map((n) => Number(n.replaceAll(',', ''))));
  for (const [low, high, held] of bars) assert.equal(held, finite.filter((n) => n >= low && n < high).length, `${low} to ${high}`);
  assert.ok(bars.length <= 64 && bars.reduce((sum, [, , held]) => sum + held, 0) === finite.length);
});

test('shows long integers and floats with all their digits', async () => {
  // 64-bit integers closer together than doubles.
  const numbers = Array.from({ length: 8 }, (_, at) => 2n ** 60n + 129n * BigInt(at) + 1n);
  const bytes = zeros(8);
  numbers.forEach((number, at) => bytes.writeBigUInt64LE(number, bytes.length - 1 - 8 * (8 - at)));
  await open();
  await pick('long.pco', bytes);
  await heading('long.pco');
  await page.locator('.preview tbody td').first().waitFor();
  assert.deepEqual(await page.locator('.preview tbody td').allTextContents(), numbers.map(String));
  await summed('Min').waitFor();
  assert.deepEqual([await summed('Min').textContent(), await summed('Max').textContent()], [String(numbers[0]), String(numbers[7])]);
  const bars = await page.locator('.statistics svg title').allTextContents();
  assert.ok(bars.length > 1);
  for (const [low, high] of bars.map((title) => title.match(/\d{4,}/g).map(BigInt))) assert.ok(low < high, `${low} to ${high}`);
  // A float shows its first digits, and all of them on hover.
  const [first] = floats('cvc/med_fp16.f32.bin');
  await open('#sample=embeddings');
  const cell = page.locator('.preview .values tbody td').first();
  await cell.waitFor();
  assert.notEqual(Number(await cell.textContent()), first);
  assert.equal(Number(await cell.getAttribute('title')), first);
  const mean = Number(await summed('Mean').getAttribute('title'));
  assert.equal(Number(await summed('Mean').textContent()), Number(mean.toPrecision(5)));
  assert.notEqual(mean, Number(mean.toPrecision(5)));
  // A non-integer never looks like an integer, however large.
  const large = { 12345.678: '12345.7', 123456.789: '123456.8', 99999.96: '100000.0', 1.00000001: '1.0', 0.25: '0.25', 123456: '123456', '-987654321.25': '-987654321.3' };
  await pick('large.pco', doubles(Object.keys(large).map(Number)));
  await heading('large.pco');
  await cell.waitFor();
  assert.deepEqual((await page.locator('.preview .values tbody td').allTextContents()).sort(), Object.values(large).sort());
  assert.equal(await page.locator('.preview .values td', { hasText: '123456.8' }).getAttribute('title'), '123456.789');
});

test('uses the singular for a single value', async () => {
  await open();
  await pick('one.pco', doubles([3.25]));
  await heading('one.pco');
  for (const name of ['Histogram: 1 bin from', 'All 1 value in order', '1 value from 3.25 to 3.25']) await page.getByRole('img', { name }).waitFor();
  await page.getByText('The only value').waitFor();
});

test('names the rows of bars', async () => {
  await open();
  await pick('rows.pco', doubles(Array.from({ length: 1300 }, (_, at) => 1000 * at)));
  await heading('rows.pco');
  await page.getByLabel('Go to row of rows').fill('1299');
  await page.getByLabel('Go to row of rows').press('Enter');
  await page.getByText('Rows 1,280 to 1,299').waitFor();
  const titles = await page.locator('.preview .drawings svg[aria-label^="20 values"] title').allTextContents();
  assert.deepEqual([titles.length, titles[0], titles[19]], [20, '1,280: 1280000', '1,299: 1299000']);
});

/** Returns the bits of a half float for a whole number below 2048. */
function halfOf(number) {
  if (Number.isNaN(number)) return 0x7e00;
  const [sign, size] = [number < 0 ? 0x8000 : 0, Math.abs(number)];
  if (size === Infinity) return sign | 0x7c00;
  const exponent = size === 0 ? 0 : Math.floor(Math.log2(size));
  return size === 0 ? sign : sign | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024);
}

test('saves values as CSV, JSON, NPY, raw bytes and TypeScript', async () => {
  const values = floats('cvc/v1_int8.f32.bin');
  await open();
  await pick('mine.cvc', vector('cvc/v1_int8.cvc'));
  await heading('mine.cvc');
  const [rawName, raw] = await save('Raw bytes');
  assert.equal(rawName, 'mine.bin');
  assert.deepEqual(new Float32Array(new Uint8Array(raw).buffer), values);
  const [npyName, npy] = await save('NPY');
  assert.equal(npyName, 'mine.npy');
  const [header, array] = numpy(npy);
  assert.match(header, /^\{'descr': '<f4', 'fortran_order': False, 'shape': \(100, 16\), \} *\n$/);
  assert.equal((10 + header.length) % 64, 0);
  assert.deepEqual(array, raw);
  const [, json] = await save('JSON');
  assert.deepEqual(Float32Array.from(JSON.parse(json).flat()), values);
  const [, csv] = await save('CSV');
  const lines = csv.toString().trimEnd().split('\n');
  assert.equal(lines.length, 101);
  assert.deepEqual(Float32Array.from(lines[100].split(',').slice(1), Number), values.subarray(99 * 16));
  await page.getByText('Show the TypeScript').click();
  assert.match(await page.getByRole('region', { name: 'TypeScript' }).textContent(), /import \{ decodeCvc \} from 'unspool\/cvc';[^]*decodeCvc\(bytes\);$/);
});

test('saves half floats for numpy as half floats', async () => {
  await open();
  assert.ok(await page.evaluate(() => 'Float16Array' in globalThis), 'this browser has the type');
  await pick('halves.pco', vector('pco/m_f16_dict_none.pco'));
  await heading('halves.pco');
  const [header, array] = numpy((await save('NPY'))[1]);
  const halves = vector('pco/m_f16_dict_none.bin');
  assert.match(header, new RegExp(`^\\{'descr': '<f2', 'fortran_order': False, 'shape': \\(${halves.length / 2},\\), \\} *\\n$`));
  assert.deepEqual(array, halves);
  // A CVC column of half floats is saved as half floats, too.
  const file = vector('cvc/v2_none_float16_v.cvc');
  const { data, shape } = unspool.decodeCvc(file);
  const bits = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  await pick('halves.cvc', file);
  await heading('halves.cvc');
  assert.match(await fact('Decodes to').textContent(), new RegExp(`^${bits.length} bytes`));
  assert.deepEqual((await save('Raw bytes'))[1], bits);
  const [head, rows] = numpy((await save('NPY'))[1]);
  assert.match(head, new RegExp(`'descr': '<f2'.*'shape': \\(${shape.join(', ')}\\)`));
  assert.deepEqual(rows, bits);
  const numbers = unspool.decodeCvc(file, { as: 'float32' }).data;
  assert.deepEqual(Float32Array.from(JSON.parse((await save('JSON'))[1]).flat()), numbers);
});

test('saves columns without rows', async () => {
  await open();
  for (const [file, csv, descr, shape] of [
    ['cvc/v1_zero_rows_fp16.cvc', 'row,0,1,2,3\n', '<f4', '(0, 4)'],
    ['pco/empty_u16_typed.pco', 'row,value\n', '<u2', '(0,)'],
  ]) {
    await pick(file.split('/')[1], vector(file));
    await heading(file.split('/')[1]);
    assert.deepEqual(JSON.parse((await save('JSON'))[1]), []);
    assert.equal((await save('CSV'))[1].toString(), csv);
    const [header, array] = numpy((await save('NPY'))[1]);
    assert.equal(header.trimEnd(), `{'descr': '${descr}', 'fortran_order': False, 'shape': ${shape}, }`);
    assert.equal(array.length, 0);
    assert.equal((await save('Raw bytes'))[1].length, 0);
    await page.getByText('This column has no values.').waitFor();
    assert.equal(await page.locator('.refused').count(), 0);
  }
});

test('saves the intact rows of a broken CVC file', async () => {
  await open('#sample=broken');
  await heading('broken.cvc');
  await tab('Data');
  // The first of its four chunks of 32 rows is broken; the last one has four rows.
  const file = await unspool.openCvc(vector('cvc/bad/payload_flip.cvc'));
  const { data } = await file.column().rows(32, 100, { as: 'float32' });
  const csv = (await save('CSV'))[1].toString().trimEnd().split('\n').slice(1).map((line) => line.split(',').map(Number));
  await page.getByText('Saved as broken.csv, without the rows that cannot be decoded.').waitFor();
  assert.deepEqual(csv.map(([row]) => row), Array.from({ length: 68 }, (_, at) => 32 + at));
  assert.deepEqual(Float32Array.from(csv.flatMap(([, ...values]) => values)), data);
  const [header, array] = numpy((await save('NPY'))[1]);
  assert.match(header, /'shape': \(68, 16\)/);
  assert.deepEqual(new Float32Array(new Uint8Array(array).buffer), data);
  assert.deepEqual(Float32Array.from(JSON.parse((await save('JSON'))[1]).flat()), data);
  // The same for a truncated file.
  await pick('cut.cvc', vector('cvc/med_fp16.cvc').subarray(0, 20_000));
  await heading('cut.cvc');
  await tab('Data');
  assert.equal((await save('Raw bytes'))[1].length, 100 * 64 * 4);
});

test('keeps the sign of zeros in saved files', async () => {
  const values = [...floats('cvc/v1_fp16_edges.f32.bin')];
  assert.ok(values.some((value) => Object.is(value, -0)));
  await open();
  await pick('edges.cvc', vector('cvc/v1_fp16_edges.cvc'));
  await heading('edges.cvc');
  assert.deepEqual(JSON.parse((await save('JSON'))[1]).flat(), values.map((value) => (Number.isFinite(value) ? value : null)));
  const lines = (await save('CSV'))[1].toString().trimEnd().split('\n').slice(1);
  assert.deepEqual(lines.flatMap((line) => line.split(',').slice(1).map(Number)), values);
});

test('saves two columns of the same name', async () => {
  await open();
  await pick('keys.at1', vector('at1/c8_dup_keys.at1'));
  await heading('keys.at1');
  const [first] = (await unspool.queryAt1(vector('at1/c8_dup_keys.at1'), { limit: 1 })).rows;
  await page.locator('.preview tbody td').first().waitFor();
  const json = (await save('Rows as JSON'))[1].toString();
  const names = ['a', 'a (2)', ''];
  assert.equal(json.split('\n')[1], `{${first.map((text, at) => `${JSON.stringify(names[at])}:${JSON.stringify(text)}`).join(',')}},`);
  assert.deepEqual(Object.values(JSON.parse(json)[0]), first);
});

test('saves quoted values with their quotes, and says so', async () => {
  await open();
  const said = page.getByText('CSV and JSON keep the quotes');
  for (const [name, times] of [['c7_embedded_quotes', 1], ['c7_leading_zeros', 0]]) {
    const bytes = vector(`at1/${name}.at1`);
    await pick(`${name}.at1`, bytes);
    await heading(`${name}.at1`);
    await page.locator('.query .rows tbody td').first().waitFor();
    assert.equal(await said.count(), times, name);
    const { rows } = await unspool.queryAt1(bytes, { limit: 1000 });
    assert.deepEqual(JSON.parse((await save('Rows as JSON'))[1]).map((row) => Object.values(row)), rows);
  }
});

test('copies TypeScript that returns what the page shows', async () => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: it.server.url });
  /** Runs copied TypeScript with the file at its address. Returns its result. */
  const run = async (code, file, name) => {
    // As JavaScript, with a dynamic import and without `using`.
    const body = code.replaceAll(/^import (.*) from 'unspool\/[\w-]+';$/gm, 'const $1 = unspool;').replace('using ', 'const ');
    const fetched = async (asked) => new Response(file.name === asked ? file.bytes : file[asked]);
    return Object.getPrototypeOf(async () => undefined).constructor('unspool', 'fetch', `${body}\nreturn ${name};`)(unspool, fetched);
  };
  const copied = async () => {
    await page.getByRole('button', { name: 'Copy TypeScript' }).click();
    await page.getByText('Copied.').waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  for (const [id, file, name, expected] of [
    ['embeddings', 'cvc/med_fp16.cvc', 'data', floats('cvc/med_fp16.f32.bin')],
    ['wrapped', 'gzip/v1_int8.cvc.gz', 'data', floats('cvc/v1_int8.f32.bin')],
    ['broken', 'cvc/bad/payload_flip.cvc', 'parts.map(({ shape }) => shape)', [[32, 16], [32, 16], [4, 16]]],
    ['numbers', 'pco/assets/v1_0_0_conv1.pco', 'data', new Int32Array(new Uint8Array(vector('pco/assets/v1_0_0_conv1.bin')).buffer)],
    ['strings', 'onpair/cpp/urls_b12.onp', 'texts.length', 3000],
    ['zstd', 'zstd/rfc8878/text-1025.zst', 'content', unspool.decodeZstd(vector('zstd/rfc8878/text-1025.zst'))],
    ['xz', 'xz/blocks.xz', 'content', unspool.decodeXz(vector('xz/blocks.xz'))],
    ['at1', 'at1/c8_events.at1', 'rows[0]', ['"click"', '1700000000', '5.183']],
  ]) {
    await open(`#sample=${id}`);
    await page.locator('.inspector').waitFor();
    await tab('Data');
    assert.deepEqual(await run(await copied(), { name: await page.getByRole('heading', { level: 1 }).textContent(), bytes: vector(file) }, name), expected, id);
  }
  // The content before an error.
  const chunk = Buffer.concat([chunkHead(4), Buffer.alloc(32)]);
  const [zstd, draft] = [vector('zstd/rfc8878/text-1025.zst'), vector('zstd/draft/text-1025.zst')];
  const whole = unspool.decodeZstd(zstd);
  const at1 = vector('at1/c5_pop_postext.at1');
  at1[at1.length - 10] ^= 1;
  for (const bytes of [zstd, draft]) bytes[bytes.length - 1] ^= 1;
  for (const [file, bytes, name, expected] of [
    ['twice.gz', gzipSync(gzipSync('some text')), 'Buffer.from(content)', Buffer.from('some text')],
    ['flipped.zst', zstd, 'content', whole],
    ['draft.zst', draft, 'content', whole],
    ['short.onp', vector('onpair/cpp/urls_b12.onp').subarray(0, -100), 'texts.length', 2975],
    ['hash.at1', at1, 'Buffer.from(content)', vector('at1/c5_pop_postext.orig')],
    ['short.pco', Buffer.concat([PCO_HEAD, chunk, chunk, chunk.subarray(0, 20)]), 'numbers', new BigUint64Array(8)],
  ]) {
    await pick(file, bytes);
    await heading(file);
    await tab('Data');
    await page.locator('.preview').waitFor();
    // Removes the types.
    const code = (await copied()).replace(': Uint8Array<ArrayBuffer>[]', '');
    assert.deepEqual(await run(code, { name: file, bytes }, name), expected, file);
  }
  // With a dictionary: as a whole, before an error, and as a stream of large content.
  const [words, lines] = ['dict-id40000', 'dict-json-s1.zst'].map((name) => vector(`zstd/rfc8878/${name}`));
  const bomb = Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), ...Array(20_000).fill(Buffer.from([2, 0, 16, 0x2e])), Buffer.from([1, 0, 0])]);
  const dictionaryFile = { name: 'words.dict', mimeType: '', buffer: words };
  const lend = async (name, buffer) => {
    await page.locator('input[type=file]').first().setInputFiles([{ name, mimeType: '', buffer: Buffer.from(buffer) }, dictionaryFile]);
    await heading(name);
    await tab('Data');
    await page.locator('.preview').waitFor();
    return copied();
  };
  const content = unspool.decodeZstd(lines, { dictionary: words });
  const cut = Buffer.concat([lines, lines.subarray(0, -3)]);
  for (const [file, bytes] of [['lines.zst', lines], ['lines.zst.gz', gzipSync(lines)], ['cut.zst', cut]]) {
    const code = (await lend(file, bytes)).replace(': Uint8Array<ArrayBuffer>[]', '');
    assert.deepEqual((await run(code, { name: file, bytes, 'words.dict': words }, 'content')).subarray(0, content.length), content, file);
  }
  const stream = await run(await lend('lines.zst', bomb), { name: 'lines.zst', bytes: lines, 'words.dict': words }, 'content');
  assert.deepEqual(new Uint8Array(await new Response(stream).arrayBuffer()), content);
});

test('shows the notes of sections, and goes to their rows', async () => {
  await open('#sample=sections');
  await page.getByText('4 sections of rows').click();
  const sections = page.getByRole('region', { name: 'Sections' }).locator('tbody tr');
  await sections.nth(3).waitFor();
  const { sections: expected } = await unspool.openCvc(vector('cvc/v1_sections.cvc'));
  for (const [at, { start, end, metadata }] of expected.entries()) {
    assert.deepEqual(await sections.nth(at).locator('td').allTextContents(), [end > start ? `${start} to ${end - 1}` : 'none', JSON.stringify(metadata)]);
  }
  await page.getByRole('button', { name: 'Show the rows of section 2' }).click();
  await page.getByText(`Row ${expected[2].start}, all 8 values`).waitFor();
});

test('shows content as text only if it is text', async () => {
  await open();
  const content = page.getByRole('region', { name: 'Decoded bytes' });
  const utf16 = Buffer.from('some text, and a name', 'utf16le');
  // Latin-1, text that starts within a character, and text that ends within one; a bad byte far
  // from the start; other encodings.
  for (const [bytes, said, shown, note] of [
    [Buffer.from('°C 20', 'latin1'), '5 bytes', 'b0 43 20 32 30', 'This is not text in UTF-8.'],
    [Buffer.from([0x80, 0x80]), '2 bytes', '80 80', 'This is not text in UTF-8.'],
    [Buffer.from('abc\u20ac').subarray(0, 5), '5 bytes', '61 62 63 e2 82', 'This is not text in UTF-8.'],
    [utf16, '42 bytes', '73 00 6f 00', 'This is text in UTF-16.'],
    [Buffer.concat([Buffer.from(`${'a'.repeat(99)}\n`.repeat(20_000)), Buffer.from([0xff])]), '2.00 MB of text, 20,001 lines', 'aaa', 'Byte 2,000,000 is not UTF-8.'],
    [Buffer.from('abc\u20ac'), '6 bytes of text, 1 line', 'abc€'],
    [Buffer.from(`${'a'.repeat(4095)}€b`), '4,099 bytes of text, 1 line', 'aaa'],
  ]) {
    const name = `${said}.gz`;
    await pick(name, gzipSync(bytes));
    await heading(name);
    await tab('Data');
    await (said.includes('text') ? it.lines() : content).filter({ hasText: shown }).waitFor();
    assert.equal(await page.locator('.preview .heading .facts').textContent(), said);
    if (note === undefined) assert.equal(await page.getByText('UTF-8').count(), 0);
    else await page.getByText(note).waitFor();
  }
  // Text has its bytes, too, and other content has pages.
  await page.getByRole('tablist', { name: 'Content as' }).getByRole('tab', { name: 'Bytes' }).click();
  await content.filter({ hasText: /^00000000 +61 61 / }).waitFor();
  await page.getByRole('button', { name: 'Next page' }).click();
  await content.filter({ hasText: /^00001000 +82 ac 62 +··b$/ }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled());
  // A click on digits selects their byte, and the field goes to one.
  await page.getByLabel('Byte of the content').fill('4097');
  await page.getByLabel('Byte of the content').press('Enter');
  await content.locator('mark', { hasText: /^ac$/ }).waitFor();
});

test('goes to the last chunks', async () => {
  await open();
  await pick('ones.cvc', vector('cvc/v1_fp16_chunk1.cvc'));
  await heading('ones.cvc');
  const field = page.getByLabel('Go to chunk');
  for (const [asked, chunk] of [['999', '99'], ['97', '97'], ['3', '3']]) {
    await field.fill(asked);
    await field.press('Enter');
    await page.getByText(`of 100; this one holds row ${chunk}`, { exact: false }).waitFor();
    assert.equal(await field.inputValue(), chunk);
  }
  // It follows the scroll position.
  await page.locator('.preview .rows').press('End');
  await page.getByText(/this one holds row 8\d$/).waitFor();
});

test('reaches every value of a vector', async () => {
  const values = floats('cvc/med_fp16.f32.bin');
  await open('#sample=embeddings');
  const region = page.locator('.preview .values .rows');
  await page.getByText(/to \d+ of 64$/).waitFor();
  assert.equal(await region.locator('table').getAttribute('aria-colcount'), '65');
  const row = page.locator('.preview .values tbody tr').first();
  /** Compares the values in sight, by their numbers, and returns the numbers. */
  const compared = async () => {
    const cells = await row.locator('td').evaluateAll((cells) => cells.map((cell) => [Number(cell.ariaColIndex) - 2, cell.textContent]));
    for (const [place, text] of cells) assert.equal(text, Number(values[place].toPrecision(5)).toString(), `value ${place}`);
    return cells.map(([place]) => place);
  };
  assert.equal((await compared())[0], 0);
  // By scrolling, and by number.
  await region.evaluate((box) => (box.scrollLeft = box.scrollWidth));
  await page.getByRole('columnheader', { name: '63', exact: true }).waitFor();
  assert.equal((await compared()).at(-1), 63);
  const first = page.getByLabel('First value in the table');
  await first.fill('30');
  await first.press('Enter');
  await page.getByText(/to 4\d of 64$/).waitFor();
  assert.equal((await compared())[0], 30);
  await page.waitForFunction(() => location.hash.includes('place=30'));
  await page.reload();
  await page.getByText(/to 4\d of 64$/).waitFor();
  // The last value is in full sight at the end.
  await region.evaluate((box) => (box.scrollLeft = box.scrollWidth));
  const last = page.getByRole('columnheader', { name: '63', exact: true });
  await last.waitFor();
  const [cell, box] = [await last.boundingBox(), await region.boundingBox()];
  assert.ok(cell.x + cell.width <= box.x + box.width + 1, `${cell.x + cell.width} ${box.x + box.width}`);
});

/** Returns the bits of a half float: those from 1,024 on have their lowest bits as they are. */
const wholeAt = (at) => 0x6400 + (at % 1024);

test('shows statistics of a sample first, and then of all values', async () => {
  await open();
  await page.evaluate(() => {
    const note = () => {
      const sample = document.querySelector('.statistics.sampled');
      if (sample !== null) window.sampled ??= [sample.querySelector('[role=status]').textContent, sample.querySelector('dl').textContent];
    };
    new MutationObserver(note).observe(document, { subtree: true, childList: true });
  });
  // A zero in row 100, which is not in the sample.
  const [rows, dimension] = [5000, 1000];
  await pick('long.cvc', halves(rows, dimension, (at) => (at === 100_500 ? 0 : wholeAt(at))));
  await heading('long.cvc');
  await summed('Values').waitFor();
  assert.equal(await summed('Values').textContent(), '5,000,000');
  assert.equal(await summed('Min').textContent(), '0');
  const [said, facts] = await page.evaluate(() => window.sampled);
  assert.match(said, /^Of a sample of 256,000 values\. /);
  assert.match(facts, /Min1,?024/);
  // Several workers have summed up pieces, and together they count each value once.
  assert.ok(Number(await page.locator('.statistics').getAttribute('data-workers')) > 1);
  const values = Float64Array.from({ length: rows * dimension }, (_, at) => (at === 100_500 ? 0 : 1024 + (at % 1024)));
  const { mean, deviation, histogram, norms } = statistics(values, { dimension });
  const digits = async (term) => Number((await summed(term).getAttribute('title') || (await summed(term).textContent())).replaceAll(',', ''));
  assert.ok(Math.abs((await digits('Mean')) / mean - 1) < 1e-4);
  assert.ok(Math.abs((await digits('Std. dev.')) / deviation - 1) < 1e-4);
  const bars = await page.locator('.statistics .stick title').allTextContents();
  assert.deepEqual(bars.map((text) => Number(text.split(': ')[1].replaceAll(',', ''))), histogram.map(({ count }) => count));
  const [, least] = /Vector norms \(L2\): ([\d,.]+) to/.exec(await page.locator('.statistics').textContent());
  assert.ok(Math.abs(Number(least.replaceAll(',', '')) / norms.min - 1) < 1e-4, least);
});

test('renders only values in sight of wide vectors', async () => {
  // More values than the browser has pixels for.
  const wide = 100_000;
  await open();
  await pick('wide.cvc', halves(2, wide, wholeAt));
  await heading('wide.cvc');
  const row = page.locator('.preview .values tbody tr').nth(1);
  await row.locator('td').first().waitFor();
  await page.locator('.preview .values .rows').evaluate((box) => (box.scrollLeft = box.scrollWidth));
  await page.getByRole('columnheader', { name: String(wide - 1), exact: true }).waitFor();
  assert.equal(await row.locator('td').last().textContent(), String(1024 + ((2 * wide - 1) % 1024)));
  assert.ok((await row.locator('td').count()) < 40);
});

test('shows no rows for vectors without values', async () => {
  await open();
  await pick('flat.cvc', vector('cvc/v1_zero_dim.cvc'));
  await heading('flat.cvc');
  await page.getByText('4 rows of 0 values').waitFor();
  await page.getByText('This column has no values.').waitFor();
  assert.equal(await page.locator('.preview .drawings, .preview .rows').count(), 0);
  assert.equal((await save('Raw bytes'))[1].length, 0);
});

test('names saved files by their content', async () => {
  await open();
  const numbers = vector('pco/m_i32_classic_auto.pco');
  const zstd = vector('zstd/rfc8878/text-1025.zst');
  for (const [name, bytes, raw] of [
    ['log.txt.gz', gzipSync('some text\n'), 'log.txt'],
    ['numbers.pco.gz', gzipSync(numbers), 'numbers.bin'],
    ['numbers.gz', gzipSync(numbers), 'numbers.bin'],
    ['text.txt.zst.gz', gzipSync(zstd), 'text.txt'],
    ['twice.txt.gz.gz', gzipSync(gzipSync('some text\n')), 'twice.txt'],
    ['twice.txt.gz', gzipSync(gzipSync('some text\n')), 'twice.txt'],
  ]) {
    await pick(name, bytes);
    await heading(name);
    await tab('Data');
    assert.equal((await save('Raw bytes'))[0], raw, name);
  }
  assert.equal(await page.getByRole('button', { name: 'CSV' }).count(), 0);
  await pick('numbers.pco.gz', gzipSync(numbers));
  assert.equal((await save('CSV'))[0], 'numbers.csv');
  // Each column is saved to a file of its own.
  await open('#sample=columns&column=2');
  await heading('columns.cvc');
  assert.deepEqual([(await save('CSV'))[0], (await save('Raw bytes'))[0]], ['columns.int64_s.csv', 'columns.int64_s.bin']);
});

test('saves strings, quoted where needed', async () => {
  await open('#sample=strings');
  await page.getByRole('button', { name: 'CSV' }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV', exact: true }).click()]);
  const lines = readFileSync(await download.path(), 'utf8').trimEnd().split('\n');
  assert.equal(lines.length, 3001);
  assert.match(lines[1], /^0,"http.*"$/);
});

test('shows the content of Zstandard, xz and AT-1 as text', async () => {
  for (const [id, name, start] of [['zstd', 'Zstandard', 'Quoun gisweet'], ['xz', 'xz', 'station,time'], ['at1', 'AT-1 log', vector('at1/c0_ssh.orig').toString().slice(0, 40)]]) {
    // Only some AT-1 tables can be queried; the others are shown as text.
    if (id === 'at1') await pick('log.at1', vector('at1/c0_ssh.at1'));
    else await open(`#sample=${id}`);
    await page.getByRole('heading', { name, exact: true, level: 2 }).waitFor();
    await tab('Data');
    assert.ok((await it.text()).startsWith(start), name);
    if (id !== 'at1') assert.match(await fact('Checksums').textContent(), /verified$/);
  }
  // A longer text scrolls.
  const log = vector('at1/c0_ssh.orig').toString().trimEnd().split('\n');
  const line = page.getByLabel('go to line', { exact: true });
  for (const number of [log.length, 700, 99_999]) {
    await line.fill(String(number));
    await line.press('Enter');
    const at = Math.min(number, log.length);
    const row = it.lines().locator('tbody tr', { has: page.getByRole('rowheader', { name: at.toLocaleString('en'), exact: true }) });
    await row.waitFor();
    assert.equal(await row.locator('td').textContent(), log[at - 1]);
  }
});

test('queries a table, and shows the cost and the skipped row groups', async () => {
  const rows = page.getByRole('region', { name: 'Rows', exact: true }).locator('tbody tr');
  const said = page.locator('.query').getByRole('status').first();
  const fates = (fate) => page.locator(`.zone-chart .zone.${fate}`);
  await open('#sample=at1');
  await heading('events.at1');
  await page.getByText('2,500 rows in 25 groups, 3 columns').waitFor();
  // The first 1,000 rows are in the first ten groups.
  await page.getByText('10 row groups read, 15 not needed').waitFor();
  assert.deepEqual([await fates('read').count(), await fates('unneeded').count()], [10, 15]);
  assert.deepEqual(await rows.first().locator('td').allTextContents(), ['"click"', '1700000000', '5.183']);

  // A range on ascending times rules out all groups but two.
  await page.getByRole('button', { name: 'Add a condition' }).click();
  const first = page.getByRole('group', { name: 'Condition 1' });
  assert.equal(await first.getByLabel('Column').locator('option:checked').textContent(), 'ts (integer)');
  await first.getByLabel('From').fill('1700010480');
  await first.getByLabel('To').fill('1700010520');
  await page.getByText('9 rows that meet all conditions. 2 row groups read, 23 ruled out by their zone maps').waitFor();
  assert.deepEqual([await fates('read').count(), await fates('skipped').count()], [2, 23]);
  assert.match(await said.textContent(), /: [\d,.]+ (bytes|KB) of 13\.1 KB of blocks, (\d|\d\.\d)%\.$/);
  assert.equal(await rows.count(), 9);
  const ts = await rows.locator('td:nth-of-type(2)').allTextContents();
  assert.deepEqual(ts.map(Number), Array.from({ length: 9 }, (_, at) => 1_700_010_480 + 5 * at));

  // Another condition, on text.
  await page.getByRole('button', { name: 'Add a condition' }).click();
  const second = page.getByRole('group', { name: 'Condition 2' });
  await second.getByLabel('Column').selectOption({ label: 'type (text)' });
  const click = (await rows.locator('td:nth-of-type(1)').allTextContents()).filter((type) => type === '"click"').length;
  await second.getByLabel('Value').fill('"click"');
  await page.getByText(`${click} row${click === 1 ? '' : 's'} that meet all conditions`).waitFor();

  // The query as TypeScript, and its rows as a file.
  await page.getByText('Show the TypeScript').click();
  const snippet = await page.getByRole('region', { name: 'TypeScript' }).textContent();
  assert.match(snippet, /where: \[\{ column: "ts", from: "1700010480", to: "1700010520" \}\]/);
  assert.match(snippet, /eq: \[\{ column: "type", value: "\\"click\\"" \}\]/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  const lines = readFileSync(await download.path(), 'utf8').trimEnd().split('\n');
  assert.equal(lines[0], '"type","ts","val"');
  assert.equal(lines.length, click + 1);
  assert.ok(lines.slice(1).every((line) => line.startsWith('"""click""","17000105') || line.startsWith('"""click""","17000104')));

  // Queries for a single number.
  await second.getByRole('button', { name: 'Remove condition 2' }).click();
  await page.getByLabel('Result').selectOption('sum');
  await page.getByLabel('Aggregated column').selectOption('ts');
  await page.locator('.result', { hasText: String(ts.map(BigInt).reduce((a, b) => a + b)) }).waitFor();
  await page.getByLabel('Result').selectOption('min');
  await page.getByLabel('Aggregated column').selectOption('type');
  await page.locator('.result', { hasText: 'No matching row has a number.' }).waitFor();
  await page.getByLabel('Result').selectOption('count');
  await page.getByText('9 rows that meet all conditions').waitFor();
  await first.getByLabel('From').fill('1700010520');
  await page.getByText('1 row that meets all conditions').waitFor();
  await first.getByLabel('From').fill('soon');
  await page.getByRole('alert').getByText('The query failed').waitFor();

  // Original lines of all groups; each group and its zone map.
  await page.getByRole('button', { name: 'Remove condition 1' }).click();
  await page.getByLabel('Result').selectOption('lines');
  await rows.first().getByText('{"type":"click","ts":1700000000,"val":5.183}').waitFor();
  await page.getByText('Show all 25 groups').click();
  const group = page.getByRole('region', { name: 'Row groups' }).locator('tbody tr').nth(1);
  await group.waitFor();
  assert.deepEqual((await group.locator('td').allTextContents()).filter((_, at) => at !== 1), ['100', '1700000500', '1700000995', 'read']);
});

test('queries the intact groups of a broken table', async () => {
  const bytes = vector('at1/c8_events.at1');
  const { blocks } = await unspool.describeAt1(bytes);
  // The second column of the last group.
  bytes[blocks.end.at(-2) - 20] ^= 0x10;
  await open();
  await pick('broken.at1', bytes);
  await page.locator('.verdict', { hasText: /^Broken at byte/ }).waitFor();
  await tab('Data');
  await page.getByText('The first 1,000 rows').waitFor();
  await page.getByLabel('Maximum number of rows').fill('2500');
  await page.getByRole('alert').getByText('The query failed').waitFor();
});

test('compares the bins of Pco with the data', async () => {
  const bins = page.getByRole('region', { name: 'Bins' }).locator('tbody tr');
  const cells = async (column) => (await bins.locator(`td:nth-of-type(${column})`).allTextContents()).map((text) => text.trim());
  const number = (text) => Number(/\(([\d,]+)\)/.exec(text)[1].replaceAll(',', ''));

  // Numbers without deltas: their counts can be computed here.
  await open();
  await pick('classic.pco', vector('pco/assets/v0_0_0_classic.pco'));
  await heading('classic.pco');
  await tab('Codec');
  await page.getByText('2,000 numbers of i32, mode classic, delta none').waitFor();
  await page.getByRole('columnheader', { name: 'in the data' }).waitFor();
  const numbers = new Int32Array(new Uint8Array(vector('pco/assets/v0_0_0_classic.bin')).buffer);
  const [low, high, held] = [await cells(1), await cells(2), await cells(6)];
  assert.equal(low.length, 2);
  for (const [at, text] of held.entries()) {
    assert.equal(number(text), numbers.filter((n) => n >= Number(low[at]) && n <= Number(high[at])).length);
  }
  assert.equal(held.reduce((sum, text) => sum + number(text), 0), numbers.length);

  // Deltas.
  await pick('differences.pco', vector('pco/m_i32_classic_auto.pco'));
  await heading('differences.pco');
  await tab('Codec');
  await page.getByText('delta consecutive of order 1: 6 bins').waitFor();
  await page.getByRole('columnheader', { name: 'in the data' }).waitFor();
  const all = new Int32Array(new Uint8Array(vector('pco/m_i32_classic_auto.bin')).buffer);
  const differences = Array.from(all.subarray(1), (n, at) => (n - all[at]) | 0);
  // Bins are sorted here, and the range of one may overlap the next.
  const starts = (await cells(1)).map(Number);
  for (const [at, text] of (await cells(6)).entries()) {
    assert.equal(number(text), differences.filter((n) => n >= starts[at] && !(n >= starts[at + 1])).length, `bin ${at}`);
  }

  // Other modes are counted by their symbols as well.
  await open('#sample=numbers');
  await heading('numbers.pco');
  await tab('Codec');
  await page.getByText('delta convolution: 3 bins').waitFor();
  await page.getByRole('columnheader', { name: 'in the data' }).waitFor();
  assert.equal(await bins.count(), 3);
  // Except the two values that the convolution starts from.
  assert.equal((await cells(6)).reduce((sum, text) => sum + number(text), 0), 2000 - 2);
});

test('shows the Zstandard tables that code the literals', async () => {
  const rows = page.getByRole('region', { name: 'Codes' }).locator('tbody tr');
  await open('#sample=zstd');
  await heading('text.zst');
  await tab('Codec');
  await page.getByText('codes of').waitFor();
  const table = (await rows.evaluateAll((lines) => lines.map((line) => [...line.children].map(({ textContent }) => textContent)))).map(([symbol, , bits, prefix]) => [Number(symbol), Number(bits), prefix]);
  assert.ok(table.every(([, bits, prefix]) => prefix.length === bits));
  assert.equal(table.reduce((sum, [, bits]) => sum + 2 ** -bits, 0), 1);
  // The first of the four streams is in the bytes 51 to 173, and is read from its last set bit
  // backwards.
  const file = vector('zstd/rfc8878/text-1025.zst');
  const bits = [...file.subarray(51, 174)].reverse().map((byte) => byte.toString(2).padStart(8, '0')).join('');
  let [at, text] = [bits.indexOf('1') + 1, ''];
  while (text.length < 13) {
    const [symbol, length] = table.find(([, , prefix]) => bits.startsWith(prefix, at));
    text += String.fromCharCode(symbol);
    at += length;
  }
  assert.equal(text, 'Quoun gisweet');

  // A table of sequences, selected in the list and in the tree.
  await page.getByLabel('Table', { exact: true }).selectOption({ label: 'block 0: FSE table of match lengths' });
  await page.getByText('32 states of 5 bits').waitFor();
  const states = (await rows.locator('td:nth-of-type(3)').allTextContents()).map(Number);
  assert.equal(states.reduce((sum, share) => sum + share, 0), 32);
  await tab('Structure');
  await page.locator('[role=treeitem][aria-selected=true]', { hasText: 'match lengths' }).waitFor();
  await page.getByRole('treeitem', { name: /^offsets/ }).click();
  await page.locator('.inside select option:checked', { hasText: 'FSE table of offsets' }).waitFor({ state: 'attached' });
});

test('shows the matches of repeated text in Zstandard', async () => {
  await open('#sample=zstd');
  await heading('text.zst');
  await tab('Codec');
  const rows = page.getByRole('table', { name: 'Sequences' }).getByRole('row');
  await rows.nth(1).waitFor();
  const text = unspool.decodeZstd(vector('zstd/rfc8878/text-1025.zst'));
  const total = Number(await page.getByRole('table', { name: 'Sequences' }).getAttribute('aria-rowcount')) - 1;
  assert.ok(total > 20);
  const seen = new Set();
  for (let guard = 0; seen.size < total && guard < 50; guard++) {
    for (const line of await rows.evaluateAll((lines) => lines.slice(1).map(({ children }) => [...children].map(({ textContent }) => Number(textContent.replace(/\D/g, '')))))) {
      const [number, start, literals, length, offset] = line;
      if (seen.has(number)) continue;
      seen.add(number);
      const at = start + literals;
      assert.deepEqual(text.subarray(at, at + length), text.subarray(at - offset, at - offset + length), `${line}`);
    }
    // The lines are drawn in the frame after the event.
    await page.getByRole('region', { name: 'Sequences', exact: true }).evaluate((box) => {
      box.scrollBy(0, 200);
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    });
  }
  assert.equal(seen.size, total);
});

test('shows sequences and tables of the Zstandard draft', async () => {
  await open();
  // Files with the magic numbers of Zstandard 0.7 and of RFC 8878, and one that needs a dictionary.
  for (const [name, sequences] of [['s-wd-exp9', 8], ['csv-60000-flush1000-l19', 6]]) {
    const bytes = vector(`zstd/draft/${name}.zst`);
    await pick(`${name}.zst`, bytes);
    await heading(`${name}.zst`);
    await page.getByRole('heading', { name: 'Zstandard draft 0.2.0' }).waitFor();
    assert.match(await page.locator('.verdict').textContent(), /Intact|No error found/);
    await tab('Codec');
    await page.getByRole('table', { name: 'Sequences' }).getByRole('row').nth(1).waitFor();
    assert.ok(Number(await page.getByRole('table', { name: 'Sequences' }).getAttribute('aria-rowcount')) > sequences);
    await page.getByRole('region', { name: 'Codes' }).waitFor();
    assert.equal(await page.locator('.refused').count(), 0);
  }
  await pick('s-dict1-0.zst', vector('zstd/draft/s-dict1-0.zst'));
  await heading('s-dict1-0.zst');
  await page.getByRole('heading', { name: 'Zstandard draft 0.2.0' }).waitFor();
  await pick('old.zst', vector('zstd/v07/s-wd-mantissa2.zst'));
  await heading('old.zst');
  await page.getByRole('heading', { name: 'Zstandard 0.7' }).waitFor();
});

test('accepts unquoted text and grouped digits in a query', async () => {
  await open('#sample=at1');
  const found = page.locator('.query .facts[role=status]');
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('From').fill('1,700,001,000');
  await page.getByLabel('To', { exact: true }).fill('1 700 001 009');
  await found.filter({ hasText: /^[1-9]\d* rows that meet all conditions/ }).waitFor();
  assert.equal(await page.locator('.refused').count(), 0);
  await page.getByLabel('To', { exact: true }).fill('17,00');
  await page.getByText('The query failed: “17,00” is not a number.').waitFor();
  await page.getByRole('button', { name: 'Remove condition 1' }).click();
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('Column', { exact: true }).selectOption({ label: 'type (text)' });
  await page.getByLabel('Value', { exact: true }).fill('click');
  await found.filter({ hasText: /^0 rows/ }).waitFor();
  await page.getByText('Most JSON tables store text in quotes.').waitFor();
  await page.getByRole('button', { name: 'Search for "click"' }).click();
  await found.filter({ hasText: /^[1-9][\d,]* rows that meet all conditions/ }).waitFor();
  assert.equal(await page.getByLabel('Value', { exact: true }).inputValue(), '"click"');
});
