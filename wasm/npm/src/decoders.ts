// Loads every module that decodes. The first call of `decode` needs no streams.
import type { Decoder, LoadModule } from './formats.js';
import { loaderOf, MODULES, type WithInit } from './load.js';

/** @internal Imports the embedded modules that decode. */
export const DECODERS: { readonly [D in Decoder]: () => Promise<WithInit> } = {
  ...MODULES,
  'xz-stream': () => import('./modules/xz-stream.js'),
  'zstd-stream': () => import('./modules/zstd-stream.js'),
};

/** Loads an embedded module that decodes. */
export const loadDecoder: LoadModule<Decoder> = loaderOf(DECODERS);
