// The packed package in fresh projects. The browser tests of the inspector open their pages.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildAll, EXPECTED, reportInNode } from './projects/build.mjs';

let root;
let names;

before(async () => {
  root = mkdtempSync(join(tmpdir(), 'unspool-'));
  names = await buildAll(root);
});
after(() => rmSync(root, { recursive: true, force: true }));

test('builds with every bundler without a warning', () => {
  assert.deepEqual(names, ['vite', 'webpack', 'rspack', 'esbuild', 'rollup', 'html', 'node']);
});

test('runs in Node', () => {
  const { shape, numbers, refusal, streamed } = reportInNode(join(root, 'node/dist/page.js'));
  assert.deepEqual({ shape, numbers, refusal, streamed }, EXPECTED);
});
