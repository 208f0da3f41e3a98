// What a bundle gains from the package: minified by esbuild, every loaded file gzipped.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const { build } = createRequire(new URL('./projects/package.json', import.meta.url))('esbuild');
const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const budgets = JSON.parse(readFileSync(new URL('../size-budget.json', import.meta.url), 'utf8'));
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Bundles a program. Returns the gzipped size that it loads at first, and with each of these. */
async function sizes(program, later = []) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: dist },
    bundle: true, minify: true, splitting: true, format: 'esm', write: false, metafile: true, outdir: '/out', logLevel: 'silent', absWorkingDir: '/',
  });
  const chunks = new Map(outputFiles.map(({ path, contents }) => [path.slice(1), gzipSync(contents, { level: 9 }).length]));
  /** Adds the chunks that are loaded with one. */
  const load = (path, loaded = new Set()) => {
    if (loaded.has(path)) return loaded;
    loaded.add(path);
    for (const { path: next, kind } of metafile.outputs[path].imports) if (kind === 'import-statement') load(next, loaded);
    return loaded;
  };
  const sum = (loaded) => [...loaded].reduce((total, path) => total + chunks.get(path), 0);
  const first = load('out/stdin.js');
  const chunkOf = (source) => Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(`dist/${source}.js`))[0];
  return [sum(first), ...later.map((sources) => sum(sources.reduce((loaded, source) => load(chunkOf(source), loaded), new Set(first))))];
}

const formats = Object.keys(exports).flatMap((path) => /^\.\/(\w+)\.wasm$/.exec(path)?.[1] ?? []);
const measured = {};

test('takes little before the first file, and then one format', async () => {
  const [first, ...others] = await sizes("import { decode, open, probe } from './index.js'; globalThis.use = [decode, open, probe];", formats.map((format) => [`doors/${format}`, `modules/${format}`]));
  measured.unspool = first;
  formats.forEach((format, at) => (measured[`decode ${format}`] = others[at]));
  const [before, ...inspectors] = await sizes("import { inspect } from './index.js'; globalThis.use = inspect;", formats.map((format) => ['inspect', `modules/${format}-inspect`]));
  assert.ok(before <= first);
  formats.forEach((format, at) => (measured[`inspect ${format}`] = inspectors[at]));
  assert.ok(first <= 3000, `${first} bytes before the first file`);
});

test('measures every entry', async () => {
  for (const path of Object.keys(exports).filter((path) => exports[`${path}.wasm`] !== undefined)) {
    const name = path.slice(2);
    [measured[`unspool/${name}`]] = await sizes(`import * as all from './entries/${name}.js'; globalThis.use = all;`);
  }
  [measured['unspool/stats']] = await sizes("import * as all from './stats.js'; globalThis.use = all;");
  [measured['unspool/inspect']] = await sizes("import * as all from './inspector.js'; globalThis.use = all;");
});

// The zlib of Node compresses differently on other processors, by a byte in some ten thousand. A
// budget has room for that.
test('keeps every size within its budget', () => {
  if (process.env.UNSPOOL_SIZES !== undefined) console.log(JSON.stringify(measured, null, 2));
  assert.deepEqual(Object.keys(budgets).sort(), Object.keys(measured).sort());
  const wrong = Object.entries(measured).filter(([name, size]) => size > budgets[name] || size <= 0.95 * budgets[name]);
  const lines = wrong.map(([name, size]) => `${name}: ${size} bytes gzipped, budget ${budgets[name]}`);
  assert.deepEqual(lines, [], 'above the budget, or more than a twentieth below it');
});

test('documents the sizes of the budget', () => {
  const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/\| `(unspool\/[\w-]+)`, (\d+) \|$/gm)].map(([, name, size]) => [name, Number(size)]);
  const entries = Object.entries(budgets).filter(([name]) => name.startsWith('unspool/') && name !== 'unspool/inspect');
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(entries.map(([name, size]) => [name, Math.round(size / 1000)])));
  assert.match(page, new RegExp(`takes ${Math.ceil(budgets.unspool / 1000)} KB gzipped`));
});
