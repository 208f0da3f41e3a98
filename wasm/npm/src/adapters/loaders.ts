/**
 * Loaders for loaders.gl. Each loads its decoder with the first file.
 *
 * @module unspool/loaders
 */
import { decode, type Decoded, type DecodeOptions, type DecodeResults } from '../decode.js';
import { type Format, probe } from '../probe.js';
import type { UnspoolPool } from '../worker/index.js';
import { checkPool } from './pool.js';

/** A loader object of loaders.gl. */
export interface Loader<T> {
  /** Name for people. */
  readonly name: string;
  /** Identifies the loader, and its options. */
  readonly id: string;
  /** Name of the package. */
  readonly module: string;
  /** Version of the package. */
  readonly version: string;
  /** Always false: the files are not text. */
  readonly text: false;
  /** Always true. */
  readonly binary: true;
  /** Extensions of its files. */
  readonly extensions: string[];
  /** MIME types of its files. */
  readonly mimeTypes: string[];
  /** Tests the first bytes of a file. */
  readonly tests: ((bytes: ArrayBuffer) => boolean)[];
  /** Default options, by `id`. */
  readonly options: Record<string, DecodeOptions>;
  /** Type of the result, for TypeScript alone. */
  readonly dataType?: T;
  /** Decodes a file. */
  readonly parse: (bytes: ArrayBuffer, options?: Record<string, unknown>) => Promise<T>;
}

const VERSION = '0.1.0';

function loader<F extends Format>(name: string, id: F, extensions: string[], mimeTypes: string[]): Loader<DecodeResults[F]> {
  return {
    name,
    id,
    module: 'unspool',
    version: VERSION,
    text: false,
    binary: true,
    extensions,
    mimeTypes,
    tests: [(bytes) => probe(new Uint8Array(bytes)).format === id],
    options: { [id]: {} },
    parse: parser(id, decode),
  };
}

/** Returns a function that decodes one format. */
function parser<T>(id: string, decode: (bytes: ArrayBuffer, options?: DecodeOptions) => Promise<Decoded>): Loader<T>['parse'] {
  return async (bytes, options = {}) => {
    const decoded = await decode(bytes, options[id] as DecodeOptions | undefined);
    if (decoded.format !== id) throw new TypeError(`expected ${id}, found ${decoded.format}`);
    return decoded as T;
  };
}

/** Returns a loader that decodes in the workers of a pool. */
export function withPool<T>(loader: Loader<T>, pool: UnspoolPool): Loader<T> {
  checkPool(pool);
  return { ...loader, parse: parser(loader.id, (bytes, options) => pool.decode(bytes, options)) };
}

/** Loads Pco: columns of numbers. */
export const PcoLoader = loader('Pco', 'pco', ['pco'], []);
/** Loads CVC: embedding vectors. */
export const CvcLoader = loader('CVC', 'cvc', ['cvc'], []);
/** Loads OnPair: columns of strings. */
export const OnPairLoader = loader('OnPair', 'onpair', ['onp', 'onpair'], []);
/** Loads AT-1: logs and tables. */
export const At1Loader = loader('AT-1', 'at1', ['at1'], []);
/** Loads Zstandard. */
export const ZstdLoader = loader('Zstandard', 'zstd', ['zst'], ['application/zstd']);
/** Loads xz. */
export const XzLoader = loader('xz', 'xz', ['xz'], ['application/x-xz']);
