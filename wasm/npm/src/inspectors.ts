// Loads the inspector of a format.
import { type Family, familyOf } from './formats.js';
import type { InitOptions } from './init.js';
import type { WithInit } from './load.js';
import type { Format } from './probe.js';
import { ready } from './ready.js';

// Each import is written out: bundlers must see its path.
/** @internal Imports the embedded inspectors. */
export const INSPECTORS: { readonly [F in Family]: () => Promise<WithInit> } = {
  at1: () => import('./modules/at1-inspect.js'),
  cvc: () => import('./modules/cvc-inspect.js'),
  gzip: () => import('./modules/gzip-inspect.js'),
  lzma: () => import('./modules/lzma-inspect.js'),
  onpair: () => import('./modules/onpair-inspect.js'),
  pco: () => import('./modules/pco-inspect.js'),
  xz: () => import('./modules/xz-inspect.js'),
  zstd: () => import('./modules/zstd-inspect.js'),
};

/** Loads the module that inspects a format. It decodes too. */
export async function loadInspector(format: Format, options: InitOptions = {}): Promise<void> {
  const family = familyOf(format);
  if (ready.has(`${family}-inspect`)) return;
  options.signal?.throwIfAborted();
  const { init } = await INSPECTORS[family]();
  await init(undefined, options);
}
