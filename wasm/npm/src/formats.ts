// The functions of each format, loaded on demand.
import type { Door } from './doors/door.js';
import { refuse, registerErrors, type UnspoolError } from './error.js';
import detection from './errors/detection.js';
import type { Format, Probe } from './probe.js';
import { ready } from './ready.js';

/** A module's name. The flavours of Zstandard share one. */
export type Family = Exclude<Format, `zstd-${string}`>;

/** The modules that decode. */
export type Decoder = Family | 'xz-stream' | 'zstd-stream';

/** Loads a module and compiles it, unless it is ready. */
export type LoadModule<N = Family> = (name: N) => Promise<void>;

// Each import is written out: bundlers must see its path.
const DOORS: { readonly [F in Family]: () => Promise<{ readonly door: Door }> } = {
  at1: () => import('./doors/at1.js'),
  cvc: () => import('./doors/cvc.js'),
  gzip: () => import('./doors/gzip.js'),
  lzma: () => import('./doors/lzma.js'),
  onpair: () => import('./doors/onpair.js'),
  pco: () => import('./doors/pco.js'),
  xz: () => import('./doors/xz.js'),
  zstd: () => import('./doors/zstd.js'),
};

/** Returns the name of the module that decodes a format. */
export const familyOf = (format: Format): Family => (format.startsWith('zstd') ? 'zstd' : format) as Family;

/** Loads the functions of a format, and its module unless one is ready. */
export async function loadDoor(format: Format, load: LoadModule): Promise<Door> {
  const family = familyOf(format);
  // An inspector decodes too.
  const isReady = ready.has(`${family}-inspect`);
  const [{ door }] = await Promise.all([DOORS[family](), isReady || load(family)]);
  return door;
}

/** Creates the error for bytes of `size` without a format. */
export function undetected({ needed }: Probe, size: number): UnspoolError {
  registerErrors(detection);
  return needed === undefined ? refuse('UnknownFormat') : refuse('Truncated', size, needed);
}
