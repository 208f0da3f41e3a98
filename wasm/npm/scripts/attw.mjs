// Checks the types of every entry of the package; wasm modules have none.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const modules = Object.keys(exports).filter((path) => path.endsWith('.wasm')).map((path) => path.slice(2));
const args = ['--pack', '.', '--profile', 'esm-only', '--exclude-entrypoints', ...modules, '--no-emoji', '--no-color'];
process.exitCode = spawnSync('attw', args, { stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1;
