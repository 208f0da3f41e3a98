// Statements about a file that must not mislead.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inspector } from './harness.mjs';
import { chunkHead, PCO_HEAD, vector } from './vectors.mjs';

const it = inspector();
let page;
beforeEach(() => ({ page } = it));
const { open, heading, pick, fact } = it;

const verdict = (words) => page.locator('.verdict', { hasText: words }).first().waitFor();
const doubt = () => page.getByRole('note').getByText('The checksum does not match: any part of this content may be wrong.');

test('warns beside content whose checksum does not match', async () => {
  const text = vector('zstd/rfc8878/text-1025.zst');
  text[70] ^= 1;
  const gzip = gzipSync('some text, some text, some text');
  gzip[gzip.length - 6] ^= 1;
  const hash = vector('at1/c5_pop_postext.at1');
  hash[hash.length - 10] ^= 1;
  await open();
  for (const [name, bytes] of [['text.zst', text], ['text.gz', gzip], ['hash.at1', hash]]) {
    await pick(name, bytes);
    await heading(name);
    await it.tab('Data');
    await doubt().waitFor();
    assert.doesNotMatch(await page.locator('.preview .heading .facts').textContent(), /before/);
  }
  // Content that is opened as a file of its own says where it is from.
  const vectors = gzipSync(vector('cvc/v1_int8.cvc'));
  vectors[vectors.length - 6] ^= 1;
  await pick('crc.cvc.gz', vectors);
  await heading('crc.cvc.gz');
  await it.tab('Data');
  await doubt().waitFor();
  await page.getByRole('button', { name: 'Open the content' }).click();
  await heading('crc.cvc');
  await page.getByRole('note').getByText('This is the content of crc.cvc.gz, whose checksum does not match').waitFor();
  await pick('good.zst', vector('zstd/rfc8878/text-1025.zst'));
  await verdict('Intact');
  assert.equal(await page.getByRole('note').count(), 0);
});

test('shows the chunks after a bad one', async () => {
  await open('#sample=broken');
  await it.tab('Structure');
  assert.equal(await page.getByText('not reached').count(), 0);
  await page.getByRole('tree').press('End');
  for (const chunk of [2, 3]) await page.getByRole('treeitem', { name: `chunk #${chunk}` }).waitFor();
  await page.getByRole('treeitem', { name: /^values fp16 128 bytes$/ }).waitFor();
});

test('says how much is missing, not just the next field', async () => {
  const numbers = vector('pco/assets/v1_0_0_conv1.pco');
  const problem = page.locator('.problem p').first();
  await open();
  const chunk = Buffer.concat([chunkHead(4), Buffer.alloc(32)]);
  await pick('cut.cvc', vector('cvc/med_fp16.cvc').subarray(0, 20_000));
  await problem.getByText('the next field needs 5,830 bytes more. The header announces 400 rows: 300 (75%) are missing.').waitFor();
  await pick('cut.pco', vector('pco/m_i32_classic_auto.pco').subarray(0, 1500));
  await problem.getByText(/The header announces 1,323 numbers: \d+ \(\d\d%\) are missing\.$/).waitFor();
  // Nothing announces the rest.
  await pick('cut.zst', vector('zstd/rfc8878/text-1025.zst').subarray(0, 300));
  await problem.getByText(/More may be missing\.$/).waitFor();
  for (const [name, bytes] of [['numbers.pco', numbers.subarray(0, -1)], ['two.pco', Buffer.concat([PCO_HEAD, chunk, chunk.subarray(0, 20)])]]) {
    await pick(name, bytes);
    await heading(name);
    assert.equal(await page.getByText(/is missing|at least/).count(), 0);
  }
});

test('gives compressed bytes a colour of their own', async () => {
  await open('#sample=at1');
  await heading('events.at1');
  await it.tab('Bytes');
  const packed = page.locator('.legend').getByRole('button', { name: /^packed 13.1 KB/ });
  await packed.waitFor();
  assert.match(await packed.getAttribute('title'), /compressed/);
  // The same bytes have this colour in a large file, too: there, no block is taken apart.
  const text = vector('zstd/rfc8878/text-1025.zst');
  await withSparse('large.zst', [[0, text], [640, Buffer.from('502a4d1800000060', 'hex')], [648 + 0x6000_0000, text]], async (path) => {
    await page.locator('input[type=file]').first().setInputFiles(path);
    await heading('large.zst');
    await it.tab('Bytes');
    await page.locator('.legend').getByRole('button', { name: /^packed 1,252 bytes/ }).waitFor();
  });
});

test('has no sum where no row is a number', async () => {
  await open('#sample=at1&ask=sum&of=0');
  await page.locator('.result', { hasText: 'No matching row has a number.' }).waitFor();
  assert.equal(await page.locator('.result strong').count(), 0);
  await open('#sample=at1&ask=sum&of=1');
  await page.locator('.result strong', { hasText: /^\d{10,}$/ }).waitFor();
});

test('accepts extra bytes after the end of every format', async () => {
  await open();
  for (const [name, bytes] of [
    ['a.zst', vector('zstd/rfc8878/text-1025.zst')], ['a.xz', vector('xz/blocks.xz')], ['a.gz', gzipSync('some text')],
    ['a.cvc', vector('cvc/v1_int8.cvc')], ['a.pco', vector('pco/m_i32_classic_auto.pco')], ['a.onp', vector('onpair/cpp/urls_b12.onp')],
  ]) {
    for (const [extra, words] of [['twenty-one bytes more', '21 extra bytes after the end'], ['x', '1 extra byte after the end'], ['xyz', '3 extra bytes after the end']]) {
      await pick(`${extra.length} ${name}`, Buffer.concat([bytes, Buffer.from(extra)]));
      await heading(`${extra.length} ${name}`);
      await verdict(words);
      await verdict(/^(Intact|No error found)$/);
      assert.equal(await page.locator('.problem').count(), 0);
      await it.tab('Data');
      await page.locator('.preview').waitFor();
    }
  }
  // After a payload of AT-1 without a hash, fewer bytes than one may be a hash that was cut.
  for (const [name, bytes] of [['events.at1', vector('at1/c8_events.at1')], ['log.at1', vector('at1/c0_ssh.at1')]]) {
    for (const [extra, words] of [[36, '36 extra bytes after the end'], [35, 'Incomplete']]) {
      await pick(`${extra} ${name}`, Buffer.concat([bytes, Buffer.alloc(extra, 'x')]));
      await heading(`${extra} ${name}`);
      await verdict(words);
    }
  }
  // The start of another frame is an error, and so is its lack of a checksum.
  const text = vector('zstd/rfc8878/text-1025.zst');
  for (const left of [3, 4, 100]) {
    await pick(`${left}.zst`, Buffer.concat([text, text.subarray(0, left)]));
    await heading(`${left}.zst`);
    await verdict('Incomplete');
  }
});

test('shows letters that hide or turn text by their numbers', async () => {
  await open();
  const name = 'a\u202egnp.exe.zst';
  await pick(name, vector('zstd/rfc8878/text-1025.zst'));
  await heading('a⟨U+202E⟩gnp.exe.zst');
  assert.doesNotMatch(await page.title(), /\u202e/);
  for (const [hidden, shown] of [
    ['a\u200bb\u2060\u00ad.zst', 'a⟨U+200B⟩b⟨U+2060⟩⟨U+00AD⟩.zst'], ['a\u200db\u180e\ufff9.zst', 'a⟨U+200D⟩b⟨U+180E⟩⟨U+FFF9⟩.zst'], ['a\u{e0061}.zst', 'a⟨U+E0061⟩.zst'],
    // Spelling and emoji need joiners.
    ...['می\u200cخواهم.zst', 'क्\u200dष.zst', '👩🏽\u200d💻❤️\u200d🔥.zst'].map((name) => [name, name]),
  ]) {
    await pick(hidden, vector('zstd/rfc8878/text-1025.zst'));
    await heading(shown);
  }
  // In cells, too.
  await pick('text.gz', gzipSync('a\u202eb\nc\n'));
  await heading('text.gz');
  await it.tab('Data');
  await it.lines().filter({ hasText: 'a⟨U+202E⟩b' }).waitFor();
  const strings = Buffer.concat([
    Buffer.from('ONPAIR01'), Buffer.from([12]), word(4), Buffer.from('\0\x1bab'), word(5), ...[0, 1, 2, 3, 4].map(word),
    word(1), Buffer.from(codes([0, 1, 2, 3])), word(2), word(0), word(4),
  ]);
  await pick('strings.onp', strings);
  await page.locator('.preview td.text', { hasText: '␀␛ab' }).waitFor();
});

const word = (number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
};

/** Packs codes of twelve bits into a word of 64 bits. */
const codes = (list) => new Uint8Array(BigUint64Array.of(list.reduce((sum, code, at) => sum | (BigInt(code) << BigInt(12 * at)), 0n)).buffer);

test('counts the rows of a table from 0', async () => {
  await open('#sample=at1');
  await page.locator('.preview .rows tbody th', { hasText: /^0$/ }).waitFor();
  await page.getByLabel('Go to row of rows').fill('500');
  await page.getByLabel('Go to row of rows').press('Enter');
  await page.locator('.preview .rows tbody th', { hasText: /^500$/ }).waitFor();
});

/** Makes a sparse file for a while. */
async function withSparse(name, parts, use) {
  const folder = mkdtempSync(join(tmpdir(), 'unspool-'));
  const path = join(folder, name);
  try {
    const handle = openSync(path, 'w');
    for (const [at, bytes] of parts) writeSync(handle, bytes, 0, bytes.length, at);
    closeSync(handle);
    await use(path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('checks a whole file that is too large to open, and finds a flipped byte', async () => {
  const text = vector('zstd/rfc8878/text-1025.zst');
  const broken = Buffer.from(text);
  broken[100] ^= 4;
  const gap = Buffer.from('502a4d1800000060', 'hex');
  const far = 648 + 0x6000_0000;
  const button = page.getByRole('button', { name: 'Check whole file (1.61 GB)' });
  await open();
  for (const [name, last, words] of [['good.zst', text, 'Intact'], ['bad.zst', broken, /^(Damaged|Broken)/], ['more.zst', Buffer.concat([text, Buffer.from('more')]), '4 extra bytes after the end']]) {
    await withSparse(name, [[0, text], [640, gap], [far, last]], async (path) => {
      await page.locator('input[type=file]').first().setInputFiles(path);
      await heading(name);
      assert.equal(await page.locator('.verdict').filter({ hasNotText: 'extra' }).count(), 0);
      await button.click();
      await page.getByRole('progressbar', { name: 'checking the file' }).waitFor();
      if (name === 'good.zst') {
        await page.getByRole('button', { name: 'Cancel checking the file' }).click();
        await button.click();
      }
      await page.locator('.verdict', { hasText: words }).waitFor({ timeout: 60_000 });
      if (name !== 'bad.zst') return;
      await page.locator('.problem', { hasText: /At byte 1,610,61[34],/ }).waitFor();
      await it.tab('Structure');
      assert.ok(Number(await page.locator('.byte.cursor').getAttribute('data-byte')) > far);
    });
  }
});

test('checks a remote file, and offers a retry wherever the network failed', async () => {
  const small = vector('cvc/med_fp16.cvc');
  const bytes = Buffer.alloc(70_000_000);
  small.copy(bytes);
  bytes[30_000] ^= 1;
  let down = false;
  const other = createServer((request, response) => {
    const cors = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Range', 'Access-Control-Expose-Headers': 'Content-Range' };
    if (down) return request.socket.destroy();
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end();
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range);
    const body = bytes.subarray(Number(start), Number(end) + 1);
    response.writeHead(206, { ...cors, 'Content-Range': `bytes ${start}-${Number(start) + body.length - 1}/${bytes.length}`, 'Content-Length': body.length }).end(body);
  });
  await new Promise((resolve) => other.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${other.address().port}/vectors.cvc`;
  try {
    await open(`#url=${encodeURIComponent(url)}`);
    await heading('vectors.cvc');
    await page.locator('.preview tbody td').first().waitFor();
    down = true;
    const refused = page.getByRole('alert').filter({ hasText: 'Rows in sight cannot be shown: the server cannot be reached.' });
    await page.getByLabel('Go to row of rows').fill('399');
    await page.getByLabel('Go to row of rows').press('Enter');
    await refused.waitFor();
    await page.getByRole('button', { name: /^Check whole file/ }).click();
    const stopped = page.getByRole('alert').filter({ hasText: 'The check stopped: the server cannot be reached.' });
    await stopped.waitFor();
    down = false;
    await refused.getByRole('button', { name: 'Retry' }).click();
    await page.locator('.preview tbody th', { hasText: /^399$/ }).waitFor();
    await page.locator('.preview tbody td').first().waitFor();
    // The third chunk has a flipped byte.
    await stopped.getByRole('button', { name: 'Retry' }).click();
    await verdict('Damaged: 100 rows cannot be decoded');
  } finally {
    other.closeAllConnections();
    other.close();
  }
  it.forgive((what) => what.includes(url) || what.includes('ERR_'));
});

test('reads the date and system of gzip', async () => {
  const bytes = gzipSync('some text');
  bytes.writeUInt32LE(1_795_632_485, 4);
  bytes[9] = 3;
  await open();
  await pick('a.gz', bytes);
  await it.tab('Structure');
  await page.getByRole('treeitem', { name: /^modified 2026-11-25 18:48:05 UTC/ }).waitFor();
  await page.getByRole('treeitem', { name: /^operating system Unix/ }).waitFor();
  assert.equal(await fact('Size').textContent(), `${bytes.length} bytes`);
});
