// The formats, as the worker uses them. Only the one at hand is loaded.
import type { Format } from 'unspool';
import { loadInspector } from 'unspool/inspect';
import type { Door, OpenValues } from './door';

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

/** Formats whose values are decoded before their structure, with a module of half the size. */
const VALUES: Partial<Record<Format, () => Promise<OpenValues>>> = {
  pco: async () => {
    const [{ openValues }, { init }] = await Promise.all([import('./pco'), import('unspool/pco')]);
    await init();
    return openValues;
  },
};

/** Loads what decodes the values of a format, if that is possible without its structure. */
export async function valuesDoorOf(format: Format | undefined): Promise<OpenValues | undefined> {
  return format && VALUES[format]?.();
}

/** Loads what opens files of a format, and its wasm module. */
export async function doorOf(format: Format | undefined): Promise<Door | undefined> {
  if (format === undefined) return undefined;
  const [door] = await Promise.all([DOORS[format](), loadInspector(format)]);
  return door;
}
