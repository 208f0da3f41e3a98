// Generates everything that follows from src/public, which has one file per format: an entry with
// the module inside, an entry without it, the exports of the whole package, and `exports` of
// package.json. A format without a built module has no entry: `cargo xtask demo` builds only the
// whole package.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

/** Error tables that a format needs beside its own. */
const ALSO = { cvc: ['json'], at1: ['xz', 'zstd'] };

const src = new URL('../src/', import.meta.url);
const isBuilt = (format) => existsSync(new URL(`../wasm/${format}/unspool_bg.wasm`, src));
const known = (await readdir(new URL('public/', src))).map((file) => file.replace(/\.ts$/, '')).sort();
const formats = known.filter(isBuilt);

for (const folder of ['entries/', 'inlined/']) {
  await rm(new URL(folder, src), { recursive: true, force: true });
  await mkdir(new URL(folder, src));
}
const write = (path, ...lines) => writeFile(new URL(path, src), lines.flat().join('\n') + '\n');

for (const format of formats) {
  const errors = ['general', format.replace('-stream', ''), ...(ALSO[format] ?? [])];
  await write(
    `entries/${format}-separate.ts`,
    `// ${format} alone, without its wasm module: \`await init(url)\` first.`,
    `import * as glue from '../../wasm/${format}/unspool.js';`,
    errors.map((name) => `import ${name} from '../errors/${name}.js';`),
    "import { registerModule } from '../instance.js';",
    '',
    '/** Compiles the wasm module ahead of the first call. See {@link Init}. */',
    `export const init = registerModule('${format}', glue, ${errors.join(', ')});`,
    '',
    "export * from '../common.js';",
    `export * from '../public/${format}.js';`,
  );
  await write(
    `entries/${format}.ts`,
    `// ${format} alone, with a wasm module of its own inside.`,
    `import { text } from '../inlined/${format}.js';`,
    "import { embedModule } from '../instance.js';",
    '',
    `embedModule('${format}', text);`,
    '',
    `export * from './${format}-separate.js';`,
  );
}
for (const name of ['unspool', ...formats]) {
  await write(`inlined/${name}.d.ts`, '/** The wasm module, written by scripts/inline.mjs. */', 'export const text: string;');
}
await write(
  'entries/all.ts',
  '// What each format has for itself.',
  known.map((format) => `export * from '../public/${format}.js';`),
);

const manifest = new URL('../package.json', src);
const old = await readFile(manifest, 'utf8');
const { exports, ...rest } = JSON.parse(old);
const door = (name) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
/** Tests for generated entries; the others are written by hand. */
const isOfFormat = (path, { default: target = path }) => target.startsWith('./dist/entries/') || (path.endsWith('.wasm') && path !== './unspool.wasm');
rest.exports = Object.fromEntries([
  ...Object.entries(exports).filter(([path, target]) => !isOfFormat(path, target)),
  ...known.flatMap((format) => [
    [`./${format}`, door(`entries/${format}`)],
    [`./${format}/separate`, door(`entries/${format}-separate`)],
    [`./${format}.wasm`, `./wasm/${format}/unspool_bg.wasm`],
  ]),
]);
// Keeps the order of the keys.
const now = JSON.stringify(Object.fromEntries(Object.keys(JSON.parse(old)).map((key) => [key, rest[key]])), null, 2) + '\n';
if (now !== old) await writeFile(manifest, now);
