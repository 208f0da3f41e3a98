// Generates everything that follows from src/public, which has one file per entry: an entry with
// its wasm module inside, an entry without it, the modules and inspectors, and `exports` of
// package.json.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';

/** Error tables that an entry needs beside its own. */
const ALSO = { cvc: ['json'], at1: ['xz', 'zstd'], lzma: ['xz'] };

const src = new URL('../src/', import.meta.url);
const names = async (folder, ending) => (await readdir(new URL(folder, src))).filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length)).sort();
const entries = await names('public/', '.ts');
const tables = await names('errors/', '.ts');
const inspectors = entries.filter((name) => tables.includes(name));

for (const folder of ['entries/', 'inlined/', 'modules/']) {
  await rm(new URL(folder, src), { recursive: true, force: true });
  await mkdir(new URL(folder, src));
}
const write = (path, ...lines) => writeFile(new URL(path, src), lines.flat().join('\n') + '\n');

/** Writes the files that register a module, and that embed its bytes. */
async function writeModule(module) {
  const own = module.replace(/-(stream|inspect)$/, '');
  const errors = ['general', ...(tables.includes(own) ? [own] : []), ...(ALSO[own] ?? [])];
  await write(
    `modules/${module}-separate.ts`,
    `import * as glue from '../../wasm/${module}/unspool.js';`,
    errors.map((table) => `import ${table} from '../errors/${table}.js';`),
    "import { registerModule } from '../instance.js';",
    '',
    '/** Compiles the wasm module ahead of the first call. See {@link Init}. */',
    `export const init = registerModule('${module}', glue, ${errors.join(', ')});`,
  );
  await write(
    `modules/${module}.ts`,
    `import { text } from '../inlined/${module}.js';`,
    "import { embedModule } from '../instance.js';",
    `export { init } from './${module}-separate.js';`,
    '',
    `embedModule('${module}', text);`,
  );
}

for (const name of entries) {
  await writeModule(name);
  const exported = ["export * from '../common.js';", `export { init } from '../modules/${name}-separate.js';`, `export * from '../public/${name}.js';`];
  await write(`entries/${name}-separate.ts`, `// ${name} without its wasm module: \`await init(url)\` first.`, exported);
  await write(`entries/${name}.ts`, `// ${name} with its wasm module inside.`, `import '../modules/${name}.js';`, '', exported);
}
for (const name of inspectors) await writeModule(`${name}-inspect`);
for (const name of [...entries, ...inspectors.map((name) => `${name}-inspect`)]) {
  await write(`inlined/${name}.d.ts`, '/** The wasm module, written by scripts/inline.mjs. */', 'export const text: string;');
}

const manifest = new URL('../package.json', src);
const old = await readFile(manifest, 'utf8');
const { exports, ...rest } = JSON.parse(old);
const door = (name) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
/** Tests for generated entries; the others are written by hand. */
const isGenerated = (path, { default: target }) => target.startsWith('./dist/entries/') || path.endsWith('.wasm');
rest.exports = Object.fromEntries([
  ...Object.entries(exports).filter(([path, target]) => typeof target === 'string' || !isGenerated(path, target)),
  ...entries.flatMap((name) => [
    [`./${name}`, door(`entries/${name}`)],
    [`./${name}/separate`, door(`entries/${name}-separate`)],
    [`./${name}.wasm`, { types: './dist/wasm.d.ts', default: `./wasm/${name}/unspool_bg.wasm` }],
  ]),
]);
// Keeps the order of the keys.
const now = JSON.stringify(Object.fromEntries(Object.keys(JSON.parse(old)).map((key) => [key, rest[key]])), null, 2) + '\n';
if (now !== old) await writeFile(manifest, now);
