/**
 * Codecs for zarrita: `numcodecs.pcodec`, `numcodecs.lzma`, `zstd` and `gzip`. Each loads its
 * decoder with the first chunk.
 *
 * @module unspool/zarrita
 */
import { checkOptions } from '../check.js';
import { type Functions, functionsWith } from '../functions.js';
import type { Limits } from '../limits.js';
import { loadModule } from '../load.js';
import type { UnspoolPool } from '../worker/index.js';
import { lzmaCall } from './lzma-call.js';
import { checkPool } from './pool.js';

/** The `registry` of zarrita. */
export interface CodecRegistry {
  /** Registers a codec by name. */
  set(name: string, load: () => Promise<never>): unknown;
}

/** Options of {@link registerCodecs}. */
export interface CodecOptions {
  /** Limits for each chunk. */
  limits?: Limits | undefined;
  /** Decodes the chunks in the workers of this pool. */
  pool?: UnspoolPool | undefined;
}

/** Describes a chunk, as far as it is used. */
interface ChunkMeta {
  readonly dataType: string;
  readonly shape: readonly number[];
}

/** The functions for what numcodecs writes, and the names that Zarr 2 and 3 have for it. */
const BYTES = { decodeZstd: ['zstd', 'numcodecs.zstd'], decodeGzip: ['gzip', 'numcodecs.gzip'], decodeLzma: ['numcodecs.lzma'] } as const;

/** Decodes a chunk with one of the functions. */
type Decode = <N extends keyof Functions>(name: N, bytes: Uint8Array, more?: Parameters<Functions[N]>[1]) => ReturnType<Functions[N]>;

/**
 * Registers all codecs, in place of any of the same names. They read arrays of Zarr 2 and 3, and
 * write none.
 */
export function registerCodecs(registry: CodecRegistry, options: CodecOptions = {}): void {
  checkOptions(options, { limits: true, pool: true });
  const { limits, pool } = options;
  if (pool !== undefined) checkPool(pool);
  const functions: Functions = pool ?? functionsWith(loadModule);
  const decode = (async (name: keyof Functions, bytes: Uint8Array, more: object = {}) => {
    // zarrita asks for all chunks at once.
    while (pool?.room === 0) await pool.ready();
    return functions[name](bytes, { limits, ...more });
  }) as Decode;
  registry.set('numcodecs.pcodec', async () => ({ kind: 'array_to_bytes', fromConfig: (_: unknown, meta: ChunkMeta) => numbersOf(meta, decode, limits) }) as never);
  for (const [name, ids] of Object.entries(BYTES) as [keyof typeof BYTES, readonly string[]][]) {
    for (const id of ids) {
      registry.set(id, async () => ({ kind: 'bytes_to_bytes', fromConfig: (configuration: unknown) => bytesOf(name, configuration, decode) }) as never);
    }
  }
}

function encode(): never {
  throw new Error('unspool decodes; it has no encoder');
}

/** Bytes of the widest number. */
const WIDEST = 8;

/** Decodes chunks of numbers. */
function numbersOf({ dataType, shape }: ChunkMeta, decode: Decode, limits: Limits | undefined): object {
  const stride = shape.map((_, at) => shape.slice(at + 1).reduce((product, length) => product * length, 1));
  const size = shape.reduce((product, length) => product * length, 1);
  // A chunk that claims more numbers is refused before memory is allocated. Of another type, it may
  // be larger than one of `dataType`: the error below says so.
  const capped: Limits = { ...limits, maxOutput: Math.min(limits?.maxOutput ?? Infinity, WIDEST * size) };
  return {
    kind: 'array_to_bytes',
    encode,
    async decode(bytes: Uint8Array): Promise<object> {
      const { dtype, data } = await decode('decodePco', bytes, { limits: capped });
      if (dtype !== dataType || data.length !== size) throw new TypeError(`the chunk holds ${data.length} of ${dtype}; the metadata says ${size} of ${dataType}`);
      return { data, shape, stride };
    },
  };
}

/** Decodes chunks of bytes. */
function bytesOf(name: keyof typeof BYTES, configuration: unknown, decode: Decode): object {
  const bytesToBytes = { kind: 'bytes_to_bytes', encode };
  if (name !== 'decodeLzma') return { ...bytesToBytes, decode: (bytes: Uint8Array) => decode(name, bytes) };
  const [call, options] = lzmaCall(configuration);
  return { ...bytesToBytes, decode: (bytes: Uint8Array) => decode(call, bytes, options) };
}
