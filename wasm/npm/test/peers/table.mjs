// Writes recipes/broken-input.md: how this package and other decoders handle broken files. Run by
// `cargo xtask peers`.
import { readFileSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { damage, expected, FORMATS, ownOutcome, same, words } from './cases.mjs';
import { PEERS } from './decoders.mjs';

/** A decoder silent for this long is considered hung. */
const PATIENCE = 10_000;

/** A peer in a thread, which is restarted after it was terminated. */
class Peer {
  constructor(format, name) {
    Object.assign(this, { format, name, restarts: 0 });
  }

  async start() {
    this.worker = new Worker(new URL('./worker.mjs', import.meta.url), { workerData: { format: this.format, name: this.name }, stdout: true, stderr: true });
    await this.#answer();
  }

  /** Returns the reply, or how the thread ended. */
  #answer() {
    return new Promise((resolve) => {
      const { worker } = this;
      const timer = setTimeout(() => done({ hangs: true }), PATIENCE);
      const done = (answer) => {
        clearTimeout(timer);
        worker.off('message', done).off('error', failed).off('exit', failed);
        resolve(answer);
      };
      const failed = (error) => done({ gone: String(error) });
      worker.on('message', done).on('error', failed).on('exit', failed);
    });
  }

  async ask(bytes, room) {
    const answer = this.#answer();
    this.worker.postMessage({ bytes, room });
    const found = await answer;
    if (found.hangs || found.gone !== undefined) {
      await this.worker.terminate();
      this.restarts++;
      await this.start();
    }
    return found;
  }

  async outcome(bytes, wanted) {
    const { found, none, error, trap, hangs, gone } = await this.ask(bytes);
    if (hangs) return 'hangs';
    if (gone !== undefined || trap) return 'breaks down';
    if (error !== undefined) return 'refused';
    return !none && same(found, wanted) ? 'right' : 'wrong bytes';
  }
}

const version = (name) => JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url))).version;
const code = (text) => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').slice(0, 110)}\``;

async function table(format) {
  const { file, into } = FORMATS[format];
  const wanted = expected(format);
  const cases = damage(format);
  const columns = [];

  const own = { name: '**unspool**', rows: new Map() };
  own.rows.set('intact', ownOutcome(format, file, wanted));
  for (const [title, files] of cases) own.rows.set(title, words(files.map((bytes) => ownOutcome(format, bytes, wanted))));
  if (into !== undefined) own.rows.set('output buffer of half the size', roomOf(() => into(file, new Uint8Array(wanted.length >> 1))));
  own.rows.set('message for a file cut in half', code(messageOf(() => FORMATS[format].own(file.slice(0, file.length >> 1)))));
  own.rows.set('decodes the intact file afterwards', ownOutcome(format, file, wanted) === 'right' ? 'yes' : '**no**');
  columns.push(own);

  for (const name of Object.keys(PEERS[format] ?? {})) {
    const peer = new Peer(format, name);
    await peer.start();
    const rows = new Map([['intact', await peer.outcome(file, wanted)]]);
    let works = 'yes';
    for (const [title, files] of cases) {
      const outcomes = [];
      for (const bytes of files) {
        outcomes.push(await peer.outcome(bytes, wanted));
        const restarts = peer.restarts;
        if ((await peer.outcome(file, wanted)) === 'right' && restarts === peer.restarts) continue;
        works = `no, not after *${title}*`;
        await peer.worker.terminate();
        await peer.start();
      }
      rows.set(title, words(outcomes));
    }
    if (into !== undefined) {
      const { found, none, error } = await peer.ask(file, wanted.length >> 1);
      rows.set('output buffer of half the size', error !== undefined ? `refused: ${code(error)}` : none ? 'not possible' : said(found, wanted));
    }
    const { error } = await peer.ask(file.slice(0, file.length >> 1));
    rows.set('message for a file cut in half', error === undefined ? 'nothing' : code(error));
    rows.set('decodes the intact file afterwards', works);
    await peer.worker.terminate();
    columns.push({ name: `${name} ${version(name)}`, rows });
  }
  const titles = [...own.rows.keys()];
  return [
    `## ${format}`,
    '',
    `A file of ${file.length} bytes that decodes to ${wanted.length}.`,
    '',
    `| | ${columns.map(({ name }) => name).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...titles.map((title) => `| ${title} | ${columns.map(({ rows }) => rows.get(title) ?? '').join(' | ')} |`),
    '',
  ];
}

function said(found, wanted) {
  return same(found, wanted) ? 'allocates more, right' : `**${found.length} bytes, no error**`;
}

function roomOf(decode) {
  const message = messageOf(decode);
  return message === '' ? '**short output, no error**' : `refused: ${code(message)}`;
}

function messageOf(decode) {
  try {
    decode();
    return '';
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

const lines = [
  '# Broken input',
  '',
  'This page shows what unspool and other npm packages do with damaged files. `cargo xtask peers`',
  'makes it with `wasm/npm/test/peers`; the versions are those of its lock file. Every decoder gets',
  'the same files, and the intact one after each of them.',
  '',
  '- *refused*: an error.',
  '- *right*: the content of the intact file. The damage does not matter, or was not noticed.',
  '- *wrong bytes*: other content, and no error.',
  '- *breaks down*: a trap of the wasm module, an error of memory, or the end of the thread.',
  `- *hangs*: no answer within ${PATIENCE / 1000} seconds.`,
  '',
  'No npm package was found that decodes Pco, OnPair, CVC or AT-1; their tables have one column. Pco',
  'and OnPair have no checksums, and that of CVC covers the values but not the metadata. A flipped',
  'bit that leaves such a file consistent changes its values, whatever decodes it.',
  '',
];
for (const format of Object.keys(FORMATS)) lines.push(...(await table(format)));
const path = new URL('../../recipes/broken-input.md', import.meta.url);
writeFileSync(path, `${lines.join('\n').trimEnd()}\n`);
console.log(`${path.pathname} is written`);
