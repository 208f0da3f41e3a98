// Writes dist/inlined/*.js: the modules as text, so that importing needs no fetch and no bundler
// plugin.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { textOf } from '../dist/text.js';

const wasm = new URL('../wasm/', import.meta.url);
const inlined = new URL('../dist/inlined/', import.meta.url);

await mkdir(inlined, { recursive: true });
for (const entry of await readdir(wasm, { withFileTypes: true })) {
  if (!existsSync(new URL(`../src/inlined/${entry.name}.d.ts`, import.meta.url))) continue;
  await inline(entry.name, new URL(`${entry.name}/unspool_bg.wasm`, wasm));
}
// Bundlers and edge runtimes import a module as a `WebAssembly.Module`.
await writeFile(
  new URL('../dist/wasm.d.ts', import.meta.url),
  "import type { WasmModule } from './init.js';\n/** The module, for `init`. */\ndeclare const module: WasmModule;\nexport default module;\n",
);

async function inline(name, module) {
  const text = textOf(await readFile(module));
  await writeFile(new URL(`${name}.js`, inlined), `// The wasm module, made by scripts/inline.mjs.\nexport const text =\n  '${text}';\n`);
}
