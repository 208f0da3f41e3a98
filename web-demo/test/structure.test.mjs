// The structure of an open file, and its bytes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { describeAt1 } from './unspool.mjs';
import { inspector } from './harness.mjs';
import { chunkHead, PCO_HEAD, vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, heading, classes, cursorAt, pick, hash, tab } = it;

/** Waits until the map is painted, which happens after the rest. */
const drawn = () => page.waitForFunction(() => document.querySelector('.map canvas').height !== 150);

test('goes to an offset, and finds text and bytes with wrap-around', async () => {
  const file = vector('onpair/cpp/urls_b12.onp');
  await open('#sample=strings&view=structure');
  await heading('urls.onp');
  await page.getByLabel('Go to byte').fill('0x1000');
  await page.getByLabel('Go to byte').press('Enter');
  await cursorAt(4096);
  await page.getByLabel('Go to byte').fill('99999999');
  await page.getByLabel('Go to byte').press('Enter');
  await page.getByText('Enter an offset below 53,731').waitFor();
  // A key focuses the field from anywhere.
  await page.getByRole('grid', { name: 'Bytes' }).focus();
  await page.keyboard.press('/');
  await page.keyboard.type('ONPAIR01');
  await page.keyboard.press('Enter');
  await cursorAt(0);
  await page.getByLabel('What to find').selectOption('bytes');
  const needle = file.subarray(20_000, 20_006);
  await page.getByLabel('Find in the file').fill(needle.toString('hex'));
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await cursorAt(file.indexOf(needle, 1));
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await cursorAt(file.lastIndexOf(needle));
  await page.getByLabel('Find in the file').fill('00112233445566778899');
  await page.getByLabel('Find in the file').press('Enter');
  // The search covers stored bytes, and the message says so.
  await page.getByText('Not found. Only compressed bytes were searched.').waitFor();
  assert.deepEqual(await page.getByLabel('What to find').getByRole('option').allTextContents(), ['stored text', 'stored bytes', 'field']);
  await page.getByLabel('Find in the file').fill('xyz');
  await page.getByLabel('Find in the file').press('Enter');
  await page.getByText('Enter bytes as pairs of hexadecimal digits').waitFor();
});

test('finds fields by name and value with wrap-around', async () => {
  await open('#sample=embeddings&view=structure');
  await heading('embeddings.cvc');
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  await page.getByLabel('What to find').selectOption('field');
  const field = page.getByLabel('Find in the file');
  await field.fill('CRC-32');
  await field.press('Enter');
  await selected.filter({ hasText: 'crc-320x3d2a91ab' }).waitFor();
  await field.press('Enter');
  await selected.filter({ hasText: 'crc-320xa1f930d6' }).waitFor();
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await selected.filter({ hasText: 'crc-320x3d2a91ab' }).waitFor();
  await page.getByRole('button', { name: 'Previous', exact: true }).click();
  await page.locator('.place', { hasText: /^chunk #3crc-32/ }).waitFor();
  await field.fill('num_vectors 400');
  await field.press('Enter');
  await selected.filter({ hasText: 'num_vectors400' }).waitFor();
  await field.fill('no such thing');
  await field.press('Enter');
  await page.getByText('No field has this name or value.').waitFor();
});

test('reads the bytes at the cursor as every number type', async () => {
  const bytes = vector('cvc/med_fp16.cvc');
  await open('#sample=embeddings&at=9');
  await page.getByText('Byte 9 as').waitFor();
  const row = (name) => page.locator('.readings tr', { has: page.getByRole('rowheader', { name }) }).locator('td').allTextContents();
  const [little, big] = [await row('little-endian'), await row('big-endian')];
  assert.deepEqual(little.slice(0, 6), [
    bytes.readUInt8(9), bytes.readInt8(9), bytes.readUInt16LE(9), bytes.readInt16LE(9), bytes.readUInt32LE(9), bytes.readInt32LE(9),
  ].map(String));
  assert.deepEqual(little.slice(6, 8), [bytes.readBigUInt64LE(9), bytes.readBigInt64LE(9)].map(String));
  assert.deepEqual(big.slice(2, 8), [
    bytes.readUInt16BE(9), bytes.readInt16BE(9), bytes.readUInt32BE(9), bytes.readInt32BE(9), bytes.readBigUInt64BE(9), bytes.readBigInt64BE(9),
  ].map(String));
  assert.equal(Number(big[10]), bytes.readDoubleBE(9));
  // Near the end there are too few bytes for wide types.
  await page.getByLabel('Go to byte').fill(String(bytes.length - 1));
  await page.getByLabel('Go to byte').press('Enter');
  await page.getByText(`Byte ${(bytes.length - 1).toLocaleString('en')} as`).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.readings td')[2]?.textContent === '–');
});

test('shows floats with exactly their digits', async () => {
  const little = () => page.locator('.readings tbody tr').first().locator('td').allTextContents();
  await open();
  for (const [column, type, number, digits] of [
    [10, 'Double', 123456.789, '123456.789'],
    [10, 'Double', 2 ** 65, '36893488147419103232'],
    [9, 'Float', 0.1, '0.1'],
    [9, 'Float', 123456.789, '123456.79'],
    [9, 'Float', 2 ** 31, '2147483648'],
    [9, 'Float', -1e30, '-1e+30'],
    [8, 'UInt16', 0x2e66, '0.1'],
    [8, 'UInt16', 0x7bff, '65504'],
  ]) {
    const bytes = Buffer.alloc(16);
    bytes[`write${type}LE`](number);
    await pick(`${type} ${digits}.bin`, bytes);
    await heading(`${type} ${digits}.bin`);
    await page.locator('#byte-0').click();
    await page.getByText('Byte 0 as').waitFor();
    assert.equal((await little())[column], digits);
  }
});

test('selects fields that share a byte by their bits', async () => {
  await open('#sample=bins&at=16');
  const selected = page.locator('[role=treeitem][aria-selected=true]');
  const bit = (number) => page.getByRole('group', { name: 'Bits' }).getByRole('button', { name: new RegExp(`^Bit ${number % 8} of byte ${number >> 3} is`) });
  // The upper half of the byte is the logarithm 7, the lower half two fields.
  await page.getByText('bits 4 to 7 of byte 16').waitFor();
  assert.match(await selected.textContent(), /^log of table size74 bits$/);
  assert.equal(await page.locator('.bit').evaluateAll((bits) => bits.map(({ textContent }) => textContent).join('')), (0x71).toString(2).padStart(8, '0'));
  for (let at = 4; at < 8; at++) assert.match(await classes(bit(8 * 16 + at)), /part-table selected/);
  await bit(8 * 16 + 3).click();
  assert.match(await selected.textContent(), /^secondary too01 bit$/);
  await bit(8 * 16).hover();
  await page.locator('.node.hovered', { hasText: /^order1/ }).waitFor();
  await bit(8 * 16).click();
  await page.getByText('bits 0 to 2 of byte 16').waitFor();
  // A field across byte boundaries, and one that ends at one.
  await page.getByRole('treeitem', { name: /^n_hint/ }).click();
  await page.getByText('bit 6 of byte 6 to bit 0 of byte 8').waitFor();
  const marked = await page.locator('.bit').evaluateAll((bits) => bits.map((bit) => Number(bit.matches('.selected'))).join(''));
  assert.equal(marked, '110000001111111100000001');
  await page.getByRole('treeitem', { name: /^magic/ }).click();
  await page.getByText('bytes 0 to 3').waitFor();
  assert.equal(await page.locator('.bit').count(), 0);
});

test('shows, zooms and navigates the map', async () => {
  await open('#sample=embeddings&view=structure');
  const map = page.getByRole('slider', { name: 'Place in the file' });
  await map.waitFor();
  await page.getByText('all 51.4 KB').waitFor();
  await drawn();
  // Most of it is data: its colour fills the middle.
  const colours = await map.evaluate((canvas) => {
    const data = pixelsOf(canvas, canvas.height / 2, 1);
    return new Set(Array.from({ length: canvas.width }, (_, x) => data.slice(4 * x, 4 * x + 3).join())).size;
  });
  assert.ok(colours >= 2, `${colours} colours`);
  const box = await map.boundingBox();
  // Hovering highlights in the tree and in the bytes, in both directions.
  await map.hover({ position: { x: box.width / 500, y: 10 } });
  await page.locator('.pointed', { hasText: /^header › chunks/ }).waitFor();
  await page.locator('.byte.hovered').first().waitFor();
  await page.getByRole('treeitem', { name: /^values fp16/ }).nth(1).hover();
  await page.locator('.pointed', { hasText: 'chunk #1 › values fp16' }).waitFor();
  const hint = await page.locator('.strip .hint').boundingBox();
  assert.ok(Math.abs((hint.x - box.x) / box.width - 0.2575) < 0.01 && Math.abs(hint.width / box.width - 0.249) < 0.01, JSON.stringify(hint));
  await map.click({ position: { x: box.width / 2, y: 10 } });
  const middle = Number(await map.getAttribute('aria-valuenow'));
  assert.ok(Math.abs(middle - 51_436 / 2) < 200, `${middle}`);
  await cursorAt(middle);
  await map.press('+');
  await map.press('+');
  await page.locator('.map .facts', { hasText: /^bytes [\d,]+ to [\d,]+, 12.9 KB$/ }).waitFor();
  await map.press('ArrowRight');
  assert.ok(Number(await map.getAttribute('aria-valuenow')) > middle);
  await map.press('End');
  assert.equal(await map.getAttribute('aria-valuenow'), await map.getAttribute('aria-valuemax'));
  await page.getByRole('button', { name: 'Whole file' }).click();
  await page.getByText('all 51.4 KB').waitFor();
});

test('colours the map by kind, ratio or entropy', async () => {
  // Four thousand zeros, then noise, stored in gzip without compression.
  const noise = randomBytes(4096);
  await open();
  await pick('half.gz', gzipSync(Buffer.concat([Buffer.alloc(4096), noise]), { level: 0 }));
  await heading('half.gz');
  const brightness = () => page.getByRole('slider', { name: 'Place in the file' }).evaluate((canvas) => {
    const data = pixelsOf(canvas, canvas.height / 2, 1);
    return [0.25, 0.75].map((share) => data[4 * Math.floor(share * canvas.width) + 1]);
  });
  const colours = page.getByLabel('colours');
  assert.deepEqual(await colours.getByRole('option').allTextContents(), ['kind', 'entropy']);
  await drawn();
  const [left, right] = await brightness();
  assert.equal(left, right);
  await colours.selectOption('entropy');
  await page.getByText('dark: 0, light: 8 bits per byte').waitFor();
  await page.waitForFunction(() => {
    const canvas = document.querySelector('.map canvas');
    const data = pixelsOf(canvas, canvas.height / 2, 1);
    const [left, right] = [0.25, 0.75].map((share) => data[4 * Math.floor(share * canvas.width) + 1]);
    return right > left + 100;
  });
  // Blocks have ratios of their own.
  await open('#sample=xz&view=structure');
  await heading('page.xz');
  await colours.selectOption('ratio');
  await page.getByText('dark: 1×, light: 8× or more').waitFor();
});

test('counts fields and bytes of each part, adding up to the file', async () => {
  await open('#sample=embeddings&view=bytes');
  await page.getByText('Show as a table').click();
  const cells = await page.locator('.parts tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const sum = cells.reduce((sum, [, , bytes]) => sum + Number(bytes.replaceAll(',', '')), 0);
  assert.equal(sum, vector('cvc/med_fp16.cvc').length);
  assert.ok(cells.some(([name, fields]) => name === 'checksum' && fields === '4'));
});

test('shows stored and decoded size of each chunk, block, stream and column', async () => {
  const lines = () => page.locator('.shares tbody tr').evaluateAll((rows) => rows.map(({ children }) => [...children].map(({ textContent }) => textContent)));
  const shown = async (what) => {
    await tab('Bytes');
    await page.getByRole('button', { name: 'piece', exact: true }).click();
    await page.locator('.shares tbody td').first().waitFor();
    assert.deepEqual((await lines())[0], what);
  };
  await open('#sample=xz');
  await heading('page.xz');
  await shown(['block 0', '616 bytes', '35%', '1,500 bytes', '2.44×']);
  await page.getByRole('button', { name: /^Show block 2/ }).click();
  assert.match(await page.locator('[aria-selected=true][role=treeitem]').textContent(), /^block#2/);
  await open('#sample=at1');
  await heading('events.at1');
  // Most of the file is columns, whose decoded sizes are not in it.
  await shown(['stream meta', '75 bytes', '0.5%', '–']);
  // For a table, also the size of each column; they add up to their stream.
  const columns = (await lines()).filter(([name]) => name.startsWith('column '));
  assert.deepEqual(columns.map(([name]) => name.slice(7)), ['type', 'ts', 'val']);
  const { lengths } = await describeAt1(vector('at1/c8_events.at1'));
  const sizes = [0, 1, 2].map((column) => lengths.filter((_, at) => at % 3 === column).reduce((sum, length) => sum + length, 0));
  assert.deepEqual(columns.map(([, size]) => size), sizes.map((size) => `${size.toLocaleString('en')} bytes`));
  await page.getByRole('button', { name: /^Show column val/ }).click();
  assert.match(await page.locator('[aria-selected=true][role=treeitem]').textContent(), /^streamblocks/);
  await open('#sample=columns');
  await heading('columns.cvc');
  await shown(['int32_s', '44 bytes', '1.7%', '44 bytes', '1.00×', '32.00']);
  // The chunks of a single column: 100 rows of 64 values, decoded from two bytes to four.
  await open('#sample=embeddings');
  await heading('embeddings.cvc');
  await shown(['chunk 0', '12.8 KB', '25%', '25.6 KB', '2.00×', '16.01']);
  assert.equal((await lines()).length, 4);
  // Two chunks of four zeros.
  const chunk = Buffer.concat([chunkHead(4), Buffer.alloc(32)]);
  await pick('two.pco', Buffer.concat([PCO_HEAD, chunk, chunk, Buffer.from([0])]));
  await heading('two.pco');
  await shown(['chunk 0 of u64', '49 bytes', '46%', '32 bytes', '0.65×', '98.00']);
});

test('reports bytes after the end of a file', async () => {
  await open();
  for (const file of ['cvc/v1_int8.cvc', 'pco/m_i32_classic_auto.pco', 'onpair/cpp/urls_b12.onp']) {
    const bytes = vector(file);
    const name = file.split('/').at(-1);
    for (const [extra, words] of [['garbage', '7 extra bytes after the end'], ['\0', '1 extra byte after the end'], ['', undefined]]) {
      await pick(`${extra.length} ${name}`, Buffer.concat([bytes, Buffer.from(extra)]));
      await heading(`${extra.length} ${name}`);
      await page.locator('.verdict', { hasText: /Intact|No error found/ }).waitFor();
      if (words === undefined) assert.equal(await page.getByText('after the end').count(), 0);
      else await page.locator('.title').getByText(words).waitFor();
    }
  }
});

test('names the part that an error is in', async () => {
  await open('#sample=broken');
  await page.locator('.problem', { hasText: 'At byte 213, in chunk 0' }).waitFor();
  assert.equal(await page.locator('.verdict').textContent(), 'Damaged in bytes 209 to 1,240');
  // An error in the content of a stream is reported for the stream, although all its bytes were
  // understood.
  await pick('months.at1', vector('at1/bad/c0_months.at1'));
  await page.locator('.problem', { hasText: /in stream \w+ › payload xz.*At1ListShort, error 612/ }).waitFor();
  assert.match(await page.getByRole('treeitem', { name: /broken here/ }).textContent(), /^payload/);
  // The error is in the part that was being read.
  const garbage = vector('xz/blocks.xz');
  garbage.fill(0x5a, 16);
  await pick('garbage.xz', garbage);
  await heading('garbage.xz');
  assert.match(await page.getByRole('treeitem', { name: /does not match/ }).textContent(), /^block#0/);
  // Streams of AT-1 have their lengths before them.
  await pick('cut.at1', vector('at1/c8_events.at1').subarray(0, 7000));
  await page.locator('.problem', { hasText: /It ends after 7,000 bytes, in .*: the next field needs 7,\d\d\d bytes more. More may be missing\./ }).waitFor();
  assert.equal(await page.locator('.verdict').textContent(), 'Incomplete');
  // A truncated file is broken at its last byte.
  await pick('cut.zst', vector('zstd/rfc8878/text-1025.zst').subarray(0, 300));
  await page.locator('#byte-299.broken').waitFor();
  assert.match(await page.getByRole('treeitem', { name: /ends too early/ }).textContent(), /^block/);
  assert.equal(await page.locator('.verdict').textContent(), 'Incomplete');
  await tab('Bytes');
  await page.locator('.parts .legend .percent').first().waitFor();
  const shares = await page.locator('.parts .legend .percent').allTextContents();
  assert.ok(shares.length > 0 && shares.every((share) => parseFloat(share.replace('<', '')) <= 100), shares.join(', '));
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^magic number/ }).click();
  await page.getByRole('button', { name: 'Show where it ends' }).click();
  await cursorAt(299);
});

test('opens the whole tree of a small file', async () => {
  await open('#sample=zstd&view=structure');
  await page.getByRole('treeitem', { name: /^sequence bits/ }).waitFor();
  assert.equal(await page.locator('[role=treeitem][aria-expanded=false]').count(), 0);
  // For a larger file, only the top level.
  await open('#sample=xz&view=structure');
  await heading('page.xz');
  await page.getByRole('treeitem', { name: /^block #1/ }).waitFor();
  assert.ok((await page.locator('[role=treeitem][aria-expanded=false]').count()) > 0);
});

test('flags the part that was being read when a file ends', async () => {
  await open();
  const flagged = page.getByRole('treeitem', { name: /ends too early/ });
  const vectors = vector('cvc/med_fp16.cvc');
  const numbers = vector('pco/m_i32_classic_auto.pco');
  const [strings, text] = [vector('onpair/cpp/urls_b12.onp'), vector('zstd/rfc8878/text-1025.zst')];
  for (const [name, bytes, part, missing] of [
    // After a chunk, before the end chunk, and in the middle of a page.
    ['chunk.cvc', vectors.subarray(0, 13_022), /^chunk#1/, /^It ends after 13.0 KB, in chunk 1: the next field needs 4 bytes more. The header announces 400 rows: 300 \(75%\) are missing.$/],
    ['end.pco', numbers.subarray(0, -1), /^chunk/, /^It ends after 2,768 bytes, in chunk: the next field needs 1 byte more. More may be missing.$/],
    ['page.pco', numbers.subarray(0, 500), /^batch#0/, /in page › batch 0: the next field needs 86 bytes more/],
    ['checksum.zst', text.subarray(0, 636), /^frame#0/, /in frame 0, which is incomplete. More may be missing.$/],
    // After a stream of AT-1, the next part is unknown; OnPair names no part.
    ['stream.at1', vector('at1/c8_events.at1').subarray(0, 980), undefined, /^It ends after 980 bytes: the next field needs 3 bytes more. More may be missing.$/],
    ['offsets.onp', strings.subarray(0, -1), /^row offsets/, /in row offsets: the next field needs 1 byte more. More may be missing.$/],
  ]) {
    await pick(name, bytes);
    await heading(name);
    await page.getByText('The file ends too early.').waitFor();
    assert.match(await page.locator('.problem p').first().textContent(), missing);
    if (part === undefined) assert.equal(await flagged.count(), 0);
    else assert.match(await flagged.textContent(), part);
  }
  // A full-height line on the map that no round corner hides.
  const canvas = page.getByRole('slider', { name: 'Place in the file' });
  await drawn();
  const red = await canvas.evaluate((canvas) => {
    const data = pixelsOf(canvas, canvas.height / 2, 1);
    const probe = document.createElement('span');
    probe.style.color = 'var(--bad)';
    document.body.append(probe);
    const bad = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3).join();
    probe.remove();
    return Array.from({ length: canvas.width }, (_, x) => data.slice(4 * x, 4 * x + 3).join()).filter((pixel) => pixel === bad).length;
  });
  assert.ok(red >= 4, `${red} columns of pixels are red half way down`);
});

test('rounds sizes to the right unit', async () => {
  const table = vector('at1/c8_events.at1');
  // The length of its first stream, beyond any file.
  const long = Buffer.concat([table.subarray(0, 11), Buffer.from('00ffffffffffffff7f', 'hex'), table.subarray(12)]);
  await open();
  for (const [name, bytes, words] of [['million.bin', Buffer.alloc(999_600), '1.00 MB'], ['less.bin', Buffer.alloc(999_400), '999 KB'], ['table.at1', long, 'needs 72.1 PB more']]) {
    await pick(name, bytes);
    await heading(name);
    await page.locator('main', { hasText: words }).waitFor();
  }
});

test('marks all bytes of a mismatching checksum, and no single byte', async () => {
  const text = vector('zstd/rfc8878/text-1025.zst');
  text[70] ^= 1;
  const crc = gzipSync('some text, some text, some text');
  crc[crc.length - 6] ^= 1;
  const block = vector('xz/blocks.xz');
  block[31] ^= 1;
  const index = vector('xz/blocks.xz');
  index[1733] ^= 1;
  const footer = vector('xz/blocks.xz');
  footer[1746] ^= 1;
  const members = Buffer.concat([gzipSync('one'), crc, gzipSync('three')]);
  const hash = vector('at1/bad/stored_flip_with_trailer.at1');
  await open();
  for (const [name, bytes, start, end, field] of [
    ['text.zst', text, 0, 639, /^checksum/],
    ['chunk.cvc', vector('cvc/bad/payload_flip.cvc'), 209, 1240, /^crc-32/],
    ['members.gz', members, 23, 22 + crc.length - 4, /^crc-32/],
    ['block.xz', block, 12, 627, /^check/],
    ['index.xz', index, 1720, 1739, /^index CRC-32/],
    ['footer.xz', footer, 1740, 1751, /^footer CRC-32/],
    ['hash.at1', hash, 0, 747, /^SHA-256/],
  ]) {
    await pick(name, bytes);
    await heading(name);
    const [from, to] = [start, end].map((byte) => byte.toLocaleString('en'));
    await page.locator('.problem', { hasText: `Checksum mismatch: bytes ${from} to ${to} are damaged. A checksum cannot say which byte.` }).waitFor();
    assert.equal(await page.locator('.verdict').textContent(), `Damaged in bytes ${from} to ${to}`);
    assert.match(await page.getByRole('treeitem', { name: /does not match/ }).textContent(), field);
    assert.equal(await page.getByText('broken here').count(), 0);
    assert.equal(await page.locator('.broken[data-byte]').count(), 0);
    for (const [byte, marked] of [[start - 1, 0], [start, 1], [end, 1], [end + 1, 0]]) {
      if (byte < 0 || byte >= bytes.length) continue;
      await page.getByLabel('Go to byte').fill(String(byte));
      await page.getByLabel('Go to byte').press('Enter');
      await cursorAt(byte);
      assert.equal(await page.locator(`#byte-${byte}.covered`).count(), marked, `${name}: byte ${byte}`);
    }
  }
});

test('restores byte, field and column from the address', async () => {
  const columns = () => page.getByRole('tablist', { name: 'Columns' }).getByRole('tab');
  await open('#sample=columns&column=2&at=100');
  await cursorAt(100);
  await tab('Data');
  const third = columns().nth(2);
  await third.waitFor();
  assert.equal(await third.getAttribute('aria-selected'), 'true');
  await columns().nth(4).click();
  await tab('Structure');
  await page.getByRole('treeitem', { name: /^magic/ }).click();
  await page.waitForFunction(() => /column=4/.test(location.hash) && /node=\d/.test(location.hash) && !/at=/.test(location.hash));
  assert.equal(hash().get('sample'), 'columns');
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await page.locator('[role=treeitem][aria-selected=true]', { hasText: /^magic/ }).waitFor();
  await tab('Data');
  assert.equal(await columns().nth(4).getAttribute('aria-selected'), 'true');
  it.forgive((what) => what === 'request: about:blank');
});

test('restores the query and the row from the address', async () => {
  /** Opens the current address in a new page, as if it had been shared. */
  const again = async (said) => {
    await page.waitForFunction((said) => said.every((part) => decodeURIComponent(location.hash).includes(part)), said);
    const address = page.url();
    await page.goto('about:blank');
    await page.goto(address);
  };
  const first = () => page.locator('.preview .rows tbody th').first();
  await open('#sample=at1');
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByLabel('From').fill('1700001000');
  await page.getByRole('button', { name: 'Add a condition' }).click();
  const second = page.getByRole('group', { name: 'Condition 2' });
  await second.getByLabel('Column').selectOption({ label: 'type (text)' });
  await second.getByLabel('Value').fill('"click"');
  await page.getByLabel('Maximum number of rows').fill('200');
  await page.getByText('all columns').click();
  await page.getByLabel('val', { exact: true }).check();
  // A new answer starts at its top.
  await page.locator('.preview .rows tbody tr').first().locator('td').nth(1).waitFor({ state: 'detached' });
  await page.getByText('The first 200 rows that meet all conditions').waitFor();
  await page.getByLabel('Go to row of rows').fill('100');
  await page.getByLabel('Go to row of rows').press('Enter');
  const shown = await page.locator('.preview .rows tbody td').first().textContent();
  await again(['where=1:1700001000:', 'where=0="click"', 'limit=200', 'columns=2', 'row=100']);
  await page.getByText('The first 200 rows that meet all conditions').waitFor();
  assert.equal(await page.getByLabel('From').inputValue(), '1700001000');
  await first().filter({ hasText: /^100$/ }).waitFor();
  assert.equal(await page.locator('.preview .rows tbody td').first().textContent(), shown);

  // A search, and a row of its result.
  await open('#sample=strings');
  await page.getByLabel('Match').selectOption('start with');
  await page.getByLabel('Search').fill('https://');
  await page.getByText(/^[\d,]+ of 3,000 rows$/).waitFor();
  await page.getByRole('region', { name: 'Rows', exact: true }).press('PageDown');
  await first().filter({ hasNotText: /^0$/ }).waitFor();
  const row = await first().textContent();
  await again(['search=startsWith:https://', 'row=']);
  await page.getByText(/^[\d,]+ of 3,000 rows$/).waitFor();
  await first().filter({ hasText: new RegExp(`^${row}$`) }).waitFor();

  // The drawn row of numbers, and the page of a text. An address also works if its file is open
  // already.
  await open('#sample=embeddings');
  await page.getByLabel('Go to chunk').fill('2');
  await page.getByLabel('Go to chunk').press('Enter');
  await again(['row=200', 'drawn=200']);
  await page.getByText('Row 200, all 64 values').waitFor();
  await first().filter({ hasText: /^200$/ }).waitFor();
  await page.evaluate(() => (location.hash = '#sample=embeddings&at=12&row=7&drawn=9&view=data'));
  await page.getByText('Row 9, all 64 values').waitFor();
  await first().filter({ hasText: /^7$/ }).waitFor();
  await tab('Structure');
  await cursorAt(12);
  // Invalid parts of an address are ignored.
  await open('#sample=at1&where=9:1:2&where=x&ask=everything&limit=-1&columns=7,1&row=99999999&where=1:%25:2');
  await page.getByRole('group', { name: 'Condition 1' }).waitFor();
  assert.equal(await page.getByRole('group', { name: /^Condition/ }).count(), 1);
  assert.equal(await page.getByLabel('From').inputValue(), '%');
  it.forgive((what) => what === 'request: about:blank');
});

test('shows data, structure, bytes and codec in tabs, and titles the window with the file', async () => {
  await open('#sample=bins');
  await heading('walk.pco');
  const views = page.getByRole('tablist', { name: 'Views of the file' }).getByRole('tab');
  assert.deepEqual(await views.allTextContents(), ['Data', 'Structure', 'Bytes', 'Codec']);
  // Numbers start with their values; the panel is named by its tab.
  await page.getByRole('tabpanel', { name: 'Data' }).locator('.preview').waitFor();
  await views.first().press('ArrowLeft');
  await page.getByRole('tabpanel', { name: 'Codec' }).getByRole('region', { name: 'Inside the codec' }).waitFor();
  assert.equal(await page.getByRole('tabpanel').count(), 1);
  await page.waitForFunction(() => location.hash.includes('view=codec'));
  await page.reload();
  await page.getByRole('region', { name: 'Inside the codec' }).waitFor();
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('2');
  await page.getByRole('tree').waitFor();
  assert.equal(await page.title(), 'walk.pco – unspool inspector');
  // Name, verdict and tabs stay in sight.
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.evaluate(() => scrollTo(0, 400));
  for (const element of [page.getByRole('heading', { level: 1 }), page.locator('.verdict'), views.first()]) {
    const { y } = await element.boundingBox();
    assert.ok(y >= 0 && y < 110, `${y}`);
  }
  await page.getByRole('link', { name: 'unspool inspector, start' }).click();
  await page.getByText('Drop files here').waitFor();
  assert.equal(await page.title(), 'unspool inspector');
  // Compressed text starts with its lines, other compressed content with its structure.
  await open('#sample=zstd');
  await page.getByRole('tabpanel', { name: 'Data' }).waitFor();
  await pick('binary.gz', gzipSync(Uint8Array.of(0, 255, 254, 65)));
  await page.getByRole('tabpanel', { name: 'Structure' }).waitFor();
});

test('resizes the tree by dragging and by keys', async () => {
  await open('#sample=embeddings&view=structure');
  await heading('embeddings.cvc');
  const split = page.getByRole('separator', { name: 'Width of the tree' });
  const width = async () => (await page.getByRole('tree').boundingBox()).width;
  const [before, box] = [await width(), await split.boundingBox()];
  await page.mouse.move(box.x + 4, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x - 96, box.y + 100, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await width()) - (before - 100)) < 12, `${before} ${await width()}`);
  const dragged = await width();
  await split.press('ArrowRight');
  assert.ok((await width()) > dragged + 20);
});

test('sorts sizes, draws them as areas, and leads to their bytes', async () => {
  await open('#sample=columns&view=bytes');
  const names = () => page.locator('.shares tbody th').allTextContents();
  await page.locator('.shares tbody th').first().waitFor();
  // The largest come first.
  assert.deepEqual((await names()).slice(0, 3), ['int64_v', 'int32_v', 'int64_s']);
  assert.equal(await page.getByRole('columnheader', { name: 'stored' }).getAttribute('aria-sort'), 'descending');
  await page.getByRole('button', { name: 'piece', exact: true }).click();
  assert.equal((await names())[0], 'int32_s');
  await page.getByRole('button', { name: 'bits per value' }).click();
  const bits = (await page.locator('.shares tbody td:last-child').allTextContents()).map(Number);
  assert.deepEqual(bits, [...bits].sort((a, b) => b - a));
  await page.getByRole('button', { name: 'bits per value' }).click();
  assert.equal(await page.getByRole('columnheader', { name: 'bits per value' }).getAttribute('aria-sort'), 'ascending');
  // Areas are in proportion to the sizes: 264 and 132 bytes.
  const tiles = await page.locator('.treemap span').evaluateAll((all) => all.map((tile) => {
    const { width, height } = tile.getBoundingClientRect();
    return [tile.title.split(':')[0], width * height];
  }));
  const area = Object.fromEntries(tiles);
  assert.ok(Math.abs(area.int64_v / area.int32_v - 2) < 0.05, JSON.stringify(area));
  await page.locator('.treemap span').first().click();
  await page.locator('[role=treeitem][aria-selected=true]', { hasText: 'int64_v' }).waitFor();
  // A file without columns or chunks shows its parts.
  await open('#sample=strings&view=bytes');
  await heading('urls.onp');
  await page.locator('.shares tbody th').first().waitFor();
  assert.deepEqual((await names()).slice(0, 2).map((name) => name.split(' ')[0]), ['codes', 'row']);
});

test('saves the structure, and the bytes of a field', async () => {
  const save = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return [download.suggestedFilename(), readFileSync(await download.path())];
  };
  await open('#sample=zstd&view=structure');
  await heading('text.zst');
  const [name, text] = await save('Save the structure as JSON');
  assert.equal(name, 'text.zst.structure.json');
  const nodes = JSON.parse(text.toString());
  assert.equal(nodes[0].name, 'frame');
  const leaves = nodes.filter(({ part }) => part !== undefined);
  assert.equal(leaves.reduce((sum, { startBit, endBit }) => sum + endBit - startBit, 0), 640 * 8);
  assert.ok(await page.getByRole('button', { name: 'Save the bytes of this field' }).isDisabled());
  await page.getByRole('treeitem', { name: /^checksum 0x05f574ca/ }).click();
  const [field, bytes] = await save('Save the bytes of this field');
  assert.equal(field, 'text.zst.636-640.bin');
  assert.deepEqual(bytes, vector('zstd/rfc8878/text-1025.zst').subarray(636));
});
