// The packed package in a fresh project for Node. The browser tests of the inspector build the
// projects for bundlers, and open their pages.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildAll, EXPECTED, reportInNode } from './projects/build.mjs';

let root;

before(async () => {
  root = mkdtempSync(join(tmpdir(), 'unspool-'));
  await buildAll(root, ['node']);
});
after(() => rmSync(root, { recursive: true, force: true }));

test('runs in Node', () => {
  const { shape, numbers, refusal, streamed } = reportInNode(join(root, 'node/dist/page.js'));
  assert.deepEqual({ shape, numbers, refusal, streamed }, EXPECTED);
});
