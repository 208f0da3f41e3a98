/**
 * Codecs with the interface of numcodecs.js, for zarr.js and others: `pcodec`, `lzma`, `zstd` and
 * `gzip`. Each loads its decoder with the first chunk.
 *
 * @module unspool/numcodecs
 */
import { functionsWith } from '../functions.js';
import { loadModule } from '../load.js';
import { lzmaCall, type LzmaCall } from './lzma-call.js';

const functions = functionsWith(loadModule);

/** A codec that decodes. */
abstract class Codec {
  /** Decodes a chunk. With `out`, fills its start and returns it. */
  async decode(data: Uint8Array, out?: Uint8Array): Promise<Uint8Array> {
    const bytes = await this.decodeChunk(data);
    if (out === undefined) return bytes;
    out.set(bytes);
    return out;
  }

  /** Refuses: there is no encoder. */
  encode(_: Uint8Array): never {
    throw new Error('unspool decodes; it has no encoder');
  }

  /** @internal */
  protected abstract decodeChunk(data: Uint8Array): Promise<Uint8Array>;
}

/** Columns of numbers, as their bytes. */
export class PCodec extends Codec {
  /** The id in metadata. */
  static readonly codecId = 'pcodec';

  /** Creates a codec. Decoding needs none of the configuration. */
  static fromConfig(_: object): PCodec {
    return new PCodec();
  }

  /** @internal */
  protected async decodeChunk(data: Uint8Array): Promise<Uint8Array> {
    const { buffer, byteOffset, byteLength } = (await functions.decodePco(data, {})).data;
    return new Uint8Array(buffer, byteOffset, byteLength);
  }
}

/** LZMA in the formats 1, 2 and 3: xz, `.lzma` and raw streams. */
export class LZMA extends Codec {
  /** The id in metadata. */
  static readonly codecId = 'lzma';
  #call: LzmaCall;

  /** Creates a codec. */
  constructor(configuration: object = {}) {
    super();
    this.#call = lzmaCall(configuration);
  }

  /** Creates a codec for the chunks of a configuration. */
  static fromConfig(configuration: object): LZMA {
    return new LZMA(configuration);
  }

  /** @internal */
  protected decodeChunk(data: Uint8Array): Promise<Uint8Array> {
    const [name, options] = this.#call;
    return functions[name](data, options);
  }
}

/** Zstandard. */
export class Zstd extends Codec {
  /** The id in metadata. */
  static readonly codecId = 'zstd';

  /** Creates a codec. Decoding needs none of the configuration. */
  static fromConfig(_: object): Zstd {
    return new Zstd();
  }

  /** @internal */
  protected decodeChunk(data: Uint8Array): Promise<Uint8Array> {
    return functions.decodeZstd(data, {});
  }
}

/** Gzip. */
export class GZip extends Codec {
  /** The id in metadata. */
  static readonly codecId = 'gzip';

  /** Creates a codec. Decoding needs none of the configuration. */
  static fromConfig(_: object): GZip {
    return new GZip();
  }

  /** @internal */
  protected decodeChunk(data: Uint8Array): Promise<Uint8Array> {
    return functions.decodeGzip(data, {});
  }
}
