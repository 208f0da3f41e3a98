// Writes dist/inlined.js: the wasm module as text, so that importing the package needs no fetch and no bundler plugin.
import { readFile, writeFile } from 'node:fs/promises';

const wasm = await readFile(new URL('../wasm/unspool_bg.wasm', import.meta.url));
await writeFile(
  new URL('../dist/inlined.js', import.meta.url),
  `// The wasm module, made by scripts/inline.mjs.\nexport const base64 =\n  '${wasm.toString('base64')}';\n`,
);
