// The functions of single formats, which load their module first.
import type { At1DecodeOptions } from './at1.js';
import type { LoadModule } from './formats.js';
import type { GzipDecodeOptions } from './gzip.js';
import type { LzmaDecodeOptions } from './lzma.js';
import type { PcoArray, PcoDecodeOptions } from './pco.js';
import type { XzDecodeOptions } from './xz.js';
import type { ZstdDecodeOptions } from './zstd.js';

/** Functions with the names of those that load nothing. A pool has them too. */
export interface Functions {
  decodeAt1(bytes: Uint8Array, options: At1DecodeOptions): Promise<Uint8Array<ArrayBuffer>>;
  decodeGzip(bytes: Uint8Array, options: GzipDecodeOptions): Promise<Uint8Array<ArrayBuffer>>;
  decodeLzma(bytes: Uint8Array, options: LzmaDecodeOptions): Promise<Uint8Array<ArrayBuffer>>;
  decodePco(bytes: Uint8Array, options: PcoDecodeOptions): Promise<PcoArray>;
  decodeXz(bytes: Uint8Array, options: XzDecodeOptions): Promise<Uint8Array<ArrayBuffer>>;
  decodeZstd(bytes: Uint8Array, options: ZstdDecodeOptions): Promise<Uint8Array<ArrayBuffer>>;
}

/** Returns the functions, with this loader of modules. */
export const functionsWith = (load: LoadModule): Functions => ({
  async decodeAt1(bytes, options) {
    const [{ decodeAt1 }] = await Promise.all([import('./at1.js'), load('at1')]);
    return decodeAt1(bytes, options);
  },
  async decodeGzip(bytes, options) {
    const [{ decodeGzip }] = await Promise.all([import('./gzip.js'), load('gzip')]);
    return decodeGzip(bytes, options);
  },
  async decodeLzma(bytes, options) {
    const [{ decodeLzma }] = await Promise.all([import('./lzma.js'), load('lzma')]);
    return decodeLzma(bytes, options);
  },
  async decodePco(bytes, options) {
    const [{ decodePco }] = await Promise.all([import('./pco.js'), load('pco')]);
    return decodePco(bytes, options);
  },
  async decodeXz(bytes, options) {
    const [{ decodeXz }] = await Promise.all([import('./xz.js'), load('xz')]);
    return decodeXz(bytes, options);
  },
  async decodeZstd(bytes, options) {
    const [{ decodeZstd }] = await Promise.all([import('./zstd.js'), load('zstd')]);
    return decodeZstd(bytes, options);
  },
});
