// Deno, Bun, `workerd` and Jest run the package.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const { build } = createRequire(new URL('./projects/package.json', import.meta.url))('esbuild');
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const vector = (path) => here(`../../../tests/vectors/${path}`);
const bin = (name) => here(`runtimes/node_modules/.bin/${name}`);
const run = async (command, args, cwd) => (await promisify(execFile)(command, args, { cwd, timeout: 60_000, env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' } })).stdout;
let project;

before(() => {
  project = mkdtempSync(join(tmpdir(), 'unspool-'));
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(here('..'), join(project, 'node_modules/unspool'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "dependencies": { "unspool": "*" } }');
  for (const file of ['server.mjs', 'edge.mjs']) copyFileSync(here(`runtimes/${file}`), join(project, file));
  const base64 = readFileSync(vector('pco/assets/v1_0_0_conv1.pco')).toString('base64');
  writeFileSync(join(project, 'files.js'), `export const pco = Uint8Array.from(atob('${base64}'), (letter) => letter.charCodeAt(0));`);
});
after(() => rmSync(project, { recursive: true, force: true }));

for (const [name, args] of [['deno', ['run', '--no-remote', '--node-modules-dir=manual', '--allow-all']], ['bun', ['run']], ['node', []]]) {
  test(`decodes, inspects and aborts in ${name}`, async () => {
    const files = ['pco/assets/v1_0_0_conv1.pco', 'cvc/v1_int8.cvc', 'xz/unspool.xz'].map(vector);
    const report = JSON.parse(await run(name === 'node' ? process.execPath : bin(name), [...args, 'server.mjs', ...files], project));
    assert.deepEqual(report, {
      numbers: 2000,
      lazy: 'int32',
      fields: true,
      rows: [2, 16],
      streamed: 'unspool unspool unspool',
      aborted: 'AbortError',
      fromWorker: [100, 16],
      refused: [true, 'Truncated'],
      terminated: 'AbortError',
    });
  });
}

test('decodes in Jest, from ESM and from CommonJS', async () => {
  const folder = join(project, 'jest');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', jest: { transform: {}, testMatch: ['**/*.test.js', '**/*.test.cjs'] } }));
  for (const file of ['esm.test.js', 'commonjs.test.cjs']) copyFileSync(here(`runtimes/jest/${file}`), join(folder, file));
  const env = { ...process.env, NODE_OPTIONS: '--experimental-vm-modules', FILE: vector('pco/assets/v1_0_0_conv1.pco') };
  const { stdout } = await promisify(execFile)(process.execPath, [here('runtimes/node_modules/jest/bin/jest.js'), '--json', '--cacheDirectory', join(folder, 'cache')], { cwd: folder, env, timeout: 120_000 });
  const { numPassedTests, numTotalTests } = JSON.parse(stdout);
  assert.deepEqual([numPassedTests, numTotalTests], [3, 3]);
});

// Before 2025-05-05, `workerd` had no FinalizationRegistry.
for (const date of ['2024-01-01', '2026-01-01']) {
  test(`decodes in workerd with the compatibility date ${date}`, async () => {
    const folder = join(project, date);
    await build({ absWorkingDir: project, entryPoints: ['edge.mjs'], outfile: join(folder, 'main.js'), bundle: true, format: 'esm', external: ['*.wasm'], logLevel: 'error' });
    copyFileSync(here('../wasm/pco/unspool_bg.wasm'), join(folder, 'pco.wasm'));
    const modules = '(name = "main.js", esModule = embed "main.js"), (name = "unspool/pco.wasm", wasm = embed "pco.wasm")';
    writeFileSync(
      join(folder, 'config.capnp'),
      `using Workerd = import "/workerd/workerd.capnp";\nconst config :Workerd.Config = (services = [(name = "main", worker = (modules = [${modules}], compatibilityDate = "${date}"))]);\n`,
    );
    assert.match(await run(bin('workerd'), ['test', 'config.capnp'], folder), /^int32,2000,2000,true,Truncated$/m);
  });
}
