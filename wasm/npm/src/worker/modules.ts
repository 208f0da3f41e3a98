// The modules of a worker, which the pool compiles once for all workers. This file and those that
// it imports embed none of them.
import type { WithInit } from '../load.js';
import { ready } from '../ready.js';
import type { SharedModule } from './messages.js';

// Each import is written out: bundlers must see its path.
const MODULES: { readonly [M in SharedModule]: () => Promise<WithInit> } = {
  at1: () => import('../modules/at1-separate.js'),
  'at1-inspect': () => import('../modules/at1-inspect-separate.js'),
  cvc: () => import('../modules/cvc-separate.js'),
  'cvc-inspect': () => import('../modules/cvc-inspect-separate.js'),
  gzip: () => import('../modules/gzip-separate.js'),
  'gzip-inspect': () => import('../modules/gzip-inspect-separate.js'),
  lzma: () => import('../modules/lzma-separate.js'),
  'lzma-inspect': () => import('../modules/lzma-inspect-separate.js'),
  onpair: () => import('../modules/onpair-separate.js'),
  'onpair-inspect': () => import('../modules/onpair-inspect-separate.js'),
  pco: () => import('../modules/pco-separate.js'),
  'pco-inspect': () => import('../modules/pco-inspect-separate.js'),
  xz: () => import('../modules/xz-separate.js'),
  'xz-inspect': () => import('../modules/xz-inspect-separate.js'),
  'xz-stream': () => import('../modules/xz-stream-separate.js'),
  zstd: () => import('../modules/zstd-separate.js'),
  'zstd-inspect': () => import('../modules/zstd-inspect-separate.js'),
  'zstd-stream': () => import('../modules/zstd-stream-separate.js'),
};

/** Loads the JavaScript of a module, and starts the module that `take` returns. */
export async function startModule(name: SharedModule, take: () => Promise<WebAssembly.Module>): Promise<void> {
  if (ready.has(name)) return;
  const [{ init }, compiled] = await Promise.all([MODULES[name](), take()]);
  await init(compiled);
}
