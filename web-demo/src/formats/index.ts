// The formats, as the worker uses them. Only the one at hand is loaded.
import type { Format } from 'unspool';
import { loadInspector } from 'unspool/inspect';
import type { Door } from './door';

const zstd = async (): Promise<Door> => (await import('./zstd')).zstd;

const DOORS: Readonly<Record<Format, () => Promise<Door>>> = {
  at1: async () => (await import('./at1')).at1,
  cvc: async () => (await import('./cvc')).cvc,
  gzip: async () => (await import('./gzip')).gzip,
  lzma: async () => (await import('./lzma')).lzma,
  onpair: async () => (await import('./onpair')).onpair,
  pco: async () => (await import('./pco')).pco,
  xz: async () => (await import('./xz')).xz,
  zstd,
  'zstd-v07': zstd,
  'zstd-skippable': zstd,
};

/** Loads what opens files of a format, and its wasm module. */
export async function doorOf(format: Format | undefined): Promise<Door | undefined> {
  if (format === undefined) return undefined;
  const [door] = await Promise.all([DOORS[format](), loadInspector(format)]);
  return door;
}
