// The table in recipes/broken-input.md matches this package. `cargo xtask peers` writes the other
// columns. Each refusal has an offset in the file; `verdicts.test.mjs` compares it with the core's.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { damage, expected, FORMATS, ownOutcome, words } from './peers/cases.mjs';

const page = readFileSync(new URL('../recipes/broken-input.md', import.meta.url), 'utf8');

/** Reads the first column of a format's table, by row. */
function documented(format) {
  const section = page.split(/^## /m).find((section) => section.startsWith(`${format}\n`)) ?? '';
  return new Map([...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(([, title, outcome]) => [title, outcome]));
}

for (const format of Object.keys(FORMATS)) {
  test(`handles broken ${format} files as the table says`, () => {
    const known = documented(format);
    const wanted = expected(format);
    assert.equal(ownOutcome(format, FORMATS[format].file, wanted), 'right');
    const cases = [...damage(format)];
    assert.ok(cases.length > 0 && cases.every(([, files]) => files.length > 0));
    for (const [title, files] of cases) {
      const found = words(files.map((bytes) => ownOutcome(format, bytes, wanted)));
      assert.equal(found, known.get(title), `${title}; update the table with cargo xtask peers`);
      assert.doesNotMatch(found, /breaks down|hangs|misplaced/);
    }
  });
}
