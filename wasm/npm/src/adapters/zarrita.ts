/**
 * Codecs for zarrita: `numcodecs.pcodec`, `numcodecs.lzma`, `zstd` and `gzip`. Each loads its
 * decoder with the first chunk.
 *
 * @module unspool/zarrita
 */
import { checkOptions } from '../check.js';
import type { DecodedBytes, DecodeOptions, DecodeResults } from '../decode.js';
import { loadFormat } from '../formats.js';
import type { Limits } from '../limits.js';

/** The `registry` of zarrita. */
export interface CodecRegistry {
  /** Registers a codec by name. */
  set(name: string, load: () => Promise<never>): unknown;
}

/** Options of {@link registerCodecs}. */
export interface CodecOptions {
  /** Limits for each chunk. */
  limits?: Limits | undefined;
}

/** Describes a chunk, as far as it is used. */
interface ChunkMeta {
  readonly dataType: string;
  readonly shape: readonly number[];
}

/** Formats that numcodecs writes, by the names that Zarr 2 and 3 have for them. */
const BYTES = { zstd: ['zstd', 'numcodecs.zstd'], gzip: ['gzip', 'numcodecs.gzip'], xz: ['numcodecs.lzma'] } as const;

/**
 * Registers all codecs, in place of any of the same names. They read arrays of Zarr 2 and 3, and
 * write none.
 */
export function registerCodecs(registry: CodecRegistry, options: CodecOptions = {}): void {
  checkOptions(options, { limits: true });
  registry.set('numcodecs.pcodec', async () => ({ kind: 'array_to_bytes', fromConfig: (_: unknown, meta: ChunkMeta) => numbersOf(meta, options) }) as never);
  for (const [format, names] of Object.entries(BYTES) as [keyof typeof BYTES, readonly string[]][]) {
    for (const name of names) {
      registry.set(name, async () => ({ kind: 'bytes_to_bytes', fromConfig: (configuration: unknown) => bytesOf(format, configuration, options) }) as never);
    }
  }
}

function encode(): never {
  throw new Error('unspool decodes; it has no encoder');
}

/** Decodes chunks of numbers. */
function numbersOf({ dataType, shape }: ChunkMeta, options: DecodeOptions): object {
  const stride = shape.map((_, at) => shape.slice(at + 1).reduce((product, length) => product * length, 1));
  const size = shape.reduce((product, length) => product * length, 1);
  return {
    kind: 'array_to_bytes',
    encode,
    async decode(bytes: Uint8Array): Promise<object> {
      const door = await loadFormat('pco');
      const { arrays } = door.decode(bytes, options) as DecodeResults['pco'];
      const [found, ...others] = arrays;
      if (found === undefined || others.length > 0 || found.dtype !== dataType || found.data.length !== size) {
        const is = arrays.map(({ dtype, data }) => `${data.length} of ${dtype}`).join(' and ');
        throw new TypeError(`the chunk holds ${is || 'no numbers'}; the metadata says ${size} of ${dataType}`);
      }
      return { data: found.data, shape, stride };
    },
  };
}

/** Decodes chunks of bytes. */
function bytesOf(format: keyof typeof BYTES, configuration: unknown, options: DecodeOptions): object {
  const { format: container = 1 } = (configuration ?? {}) as { format?: number };
  if (format === 'xz' && container !== 1) throw new TypeError(`numcodecs.lzma with format ${container} is not supported; format 1, which is .xz, is`);
  return {
    kind: 'bytes_to_bytes',
    encode,
    async decode(bytes: Uint8Array): Promise<Uint8Array> {
      const door = await loadFormat(format);
      return (door.decode(bytes, options) as DecodedBytes).bytes;
    },
  };
}
