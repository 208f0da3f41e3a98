// Bundles the code of a thread of Node into dist/worker/host-node.cjs. As modules in files of their
// own, it takes a thread 8 ms more of processor time to load: docs/tried/package.md.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

await build({
  absWorkingDir: fileURLToPath(new URL('../dist/worker/', import.meta.url)),
  entryPoints: ['host-node.js'],
  outfile: 'host-node.cjs',
  bundle: true,
  minify: true,
  format: 'cjs',
  platform: 'node',
  logLevel: 'warning',
});
