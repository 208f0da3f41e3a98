// docs/broken-input.md says what this package does with broken files; it still does. The other columns are those of `cargo xtask peers`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { damage, expected, FORMATS, ownOutcome, words } from './peers/cases.mjs';

const page = readFileSync(new URL('../../../docs/broken-input.md', import.meta.url), 'utf8');

/** The first column of the table of a format, by row. */
function documented(format) {
  const section = page.split(/^## /m).find((section) => section.startsWith(`${format}\n`)) ?? '';
  return new Map([...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].map(([, title, outcome]) => [title, outcome]));
}

for (const format of Object.keys(FORMATS)) {
  test(`broken ${format} files do what the table says, and nothing breaks down`, () => {
    const known = documented(format);
    const wanted = expected(format);
    assert.equal(ownOutcome(format, FORMATS[format].file, wanted), 'right');
    const cases = [...damage(format)];
    assert.ok(cases.length > 0 && cases.every(([, files]) => files.length > 0));
    for (const [title, files] of cases) {
      const found = words(files.map((bytes) => ownOutcome(format, bytes, wanted)));
      assert.equal(found, known.get(title), `${title}; cargo xtask peers writes the table anew`);
      assert.doesNotMatch(found, /breaks down|hangs/);
    }
  });
}
