// Loads the code of a format, and its module unless one is ready.
import type { Door } from './doors/door.js';
import { refuse, registerErrors, type UnspoolError } from './error.js';
import detection from './errors/detection.js';
import type { Init } from './init.js';
import type { Format, Probe } from './probe.js';
import { ready } from './ready.js';

/** A module that can be compiled off the main thread. */
export interface WithInit {
  /** Compiles it. */
  readonly init: Init;
}

interface Loader {
  readonly door: () => Promise<{ readonly door: Door }>;
  readonly module: () => Promise<WithInit>;
}

/** A module's name. The flavours of Zstandard share one. */
export type Family = Exclude<Format, `zstd-${string}`>;

// Each import is written out: bundlers must see its path.
const LOADERS: { readonly [F in Family]: Loader } = {
  at1: { door: () => import('./doors/at1.js'), module: () => import('./modules/at1.js') },
  cvc: { door: () => import('./doors/cvc.js'), module: () => import('./modules/cvc.js') },
  gzip: { door: () => import('./doors/gzip.js'), module: () => import('./modules/gzip.js') },
  onpair: { door: () => import('./doors/onpair.js'), module: () => import('./modules/onpair.js') },
  pco: { door: () => import('./doors/pco.js'), module: () => import('./modules/pco.js') },
  xz: { door: () => import('./doors/xz.js'), module: () => import('./modules/xz.js') },
  zstd: { door: () => import('./doors/zstd.js'), module: () => import('./modules/zstd.js') },
};

/** Returns the name of the module that decodes a format. */
export const familyOf = (format: Format): Family => (format.startsWith('zstd') ? 'zstd' : format) as Family;

/** Loads the functions of a format, and its module. */
export async function loadFormat(format: Format): Promise<Door> {
  const family = familyOf(format);
  const { door, module } = LOADERS[family];
  // An inspector decodes too.
  const isReady = ready.has(family) || ready.has(`${family}-inspect`);
  const [loaded] = await Promise.all([door(), isReady ? undefined : module().then(({ init }) => init())]);
  return loaded.door;
}

/** Creates the error for bytes of `size` without a format. */
export function undetected({ needed }: Probe, size: number): UnspoolError {
  registerErrors(detection);
  return needed === undefined ? refuse('UnknownFormat') : refuse('Truncated', size, needed);
}
