// Writes src/entries and src/inlined: for each format in src/public an entry that has its wasm module inside, and one that has not. A format
// whose module was not built has none: `cargo xtask demo` builds just the whole.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';

/** Whose errors a format can give beside its own. */
const ALSO = { cvc: ['json'], at1: ['xz', 'zstd'] };

const src = new URL('../src/', import.meta.url);
const isBuilt = (format) => existsSync(new URL(`../wasm/${format}/unspool_bg.wasm`, src));
const formats = (await readdir(new URL('public/', src))).map((file) => file.replace(/\.ts$/, '')).filter(isBuilt);

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
    "import { moveIn } from '../instance.js';",
    '',
    '/** Compiles the wasm module ahead of the first call. See {@link Init}. */',
    `export const init = moveIn('${format}', glue, ${errors.join(', ')});`,
    '',
    "export * from '../common.js';",
    `export * from '../public/${format}.js';`,
  );
  await write(
    `entries/${format}.ts`,
    `// ${format} alone, with a wasm module of its own inside.`,
    `import { text } from '../inlined/${format}.js';`,
    "import { carry } from '../instance.js';",
    '',
    `carry('${format}', text);`,
    '',
    `export * from './${format}-separate.js';`,
  );
}
for (const name of ['unspool', ...formats]) {
  await write(`inlined/${name}.d.ts`, '/** The wasm module, written by scripts/inline.mjs. */', 'export const text: string;');
}
