// Bundles the code of a thread of Node in dist/worker. A thread takes 10 ms more of processor time
// to load its files one by one, and to search for the package.json of each: docs/tried/package.md.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = new URL('../dist/worker/', import.meta.url);
await build({
  absWorkingDir: fileURLToPath(folder),
  entryPoints: ['host-node.js'],
  outdir: '.',
  allowOverwrite: true,
  chunkNames: 'node/[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  logLevel: 'warning',
});
await writeFile(new URL('node/package.json', folder), '{ "type": "module" }\n');
