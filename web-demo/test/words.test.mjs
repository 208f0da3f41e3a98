// Every text of the page is in one file, so that one person can read them all.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../src/', import.meta.url);
const sources = readdirSync(root, { recursive: true }).map(String).filter((name) => /\.tsx?$/.test(name) && name !== 'words.ts');
const read = (name) => readFileSync(new URL(name, root), 'utf8').replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');

test('components hold no text of their own', () => {
  assert.ok(sources.length > 60);
  const found = [];
  for (const name of sources.filter((name) => name.endsWith('.tsx'))) {
    const text = read(name);
    // Text between tags, and attributes that are read.
    for (const [, words] of text.matchAll(/<\/?[a-z][^<>]*[^=]>([^<>{}=;()]*[a-z]{2}[^<>{}=;()]*)</gi)) if (words.trim() !== 'unspool') found.push(`${name}: ${words.trim()}`);
    for (const [words] of text.matchAll(/\b(aria-label|title|placeholder|alt|label|what)="[^"]*"/g)) found.push(`${name}: ${words}`);
  }
  assert.deepEqual(found, []);
});
