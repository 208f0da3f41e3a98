// Loads modules that are embedded in the package.
import type { Door } from './doors/door.js';
import { type Family, loadDoor, type LoadModule } from './formats.js';
import type { Init } from './init.js';
import type { Format } from './probe.js';
import { ready } from './ready.js';

/** A module that can be compiled off the main thread. */
export interface WithInit {
  /** Compiles it. */
  readonly init: Init;
}

// Each import is written out: bundlers must see its path.
/** @internal Imports the embedded modules of the formats. */
export const MODULES: { readonly [F in Family]: () => Promise<WithInit> } = {
  at1: () => import('./modules/at1.js'),
  cvc: () => import('./modules/cvc.js'),
  gzip: () => import('./modules/gzip.js'),
  lzma: () => import('./modules/lzma.js'),
  onpair: () => import('./modules/onpair.js'),
  pco: () => import('./modules/pco.js'),
  xz: () => import('./modules/xz.js'),
  zstd: () => import('./modules/zstd.js'),
};

/** @internal Returns the function that loads one of these modules. */
export const loaderOf = <N extends string>(modules: { readonly [M in N]: () => Promise<WithInit> }): LoadModule<N> => async (name) => {
  if (!ready.has(name)) await (await modules[name]()).init();
};

/** Loads the embedded module of a format. */
export const loadModule: LoadModule = loaderOf(MODULES);

/** Loads the functions of a format, and its embedded module. */
export const loadFormat = (format: Format): Promise<Door> => loadDoor(format, loadModule);
