// Opens a file of any format without reading it as a whole.
import type { At1Answer, At1QueryOptions } from './at1-query.js';
import type { At1Table } from './at1-table.js';
import { checkOptions } from './check.js';
import type { CvcFile } from './cvc.js';
import { decode, type Decoded, type DecodeOptions } from './decode.js';
import { loadDecoder } from './decoders.js';
import { undetected } from './formats.js';
import { loadFormat } from './load.js';
import type { OnPairFile } from './onpair-file.js';
import type { PcoHeader } from './pco.js';
import { probe, type Format } from './probe.js';
import { type OpenOptions, openSource, type Source } from './source.js';
import type { ZstdDecodeOptions } from './zstd.js';

/** An open file. Checking `format` narrows the type. */
export type OpenedFile = {
  /** Length of the file in bytes. */
  readonly size: number;
  /** Reads the whole file and decodes it. */
  readonly decode: (options?: DecodeOptions) => Promise<Decoded>;
} & (
  | {
      /** The detected format. */
      readonly format: 'at1';
      /** The head of a table; `undefined` if the codec of the file has none. */
      readonly table: At1Table | undefined;
      /** Runs a query on a table. */
      readonly query: (options?: At1QueryOptions & { as?: undefined }) => Promise<At1Answer>;
      /** Decodes a table to text, one row group at a time. */
      readonly text: (options?: OpenOptions) => AsyncGenerator<Uint8Array, void>;
    }
  | {
      /** The detected format. */
      readonly format: 'cvc';
      /** The columns. */
      readonly vectors: CvcFile;
    }
  | {
      /** The detected format. */
      readonly format: 'onpair';
      /** The rows. */
      readonly strings: OnPairFile;
    }
  | {
      /** The detected format. */
      readonly format: 'pco';
      /** Type and count of the numbers. */
      readonly header: PcoHeader;
    }
  | {
      /** The detected format. */
      readonly format: 'gzip' | 'lzma' | 'xz';
      /** Returns the content as a stream. */
      readonly stream: (options?: OpenOptions) => ReadableStream<Uint8Array<ArrayBuffer>>;
    }
  | {
      /** The detected format. */
      readonly format: 'zstd' | 'zstd-v07' | 'zstd-skippable';
      /** Returns the content as a stream. */
      readonly stream: (options?: ZstdDecodeOptions & OpenOptions) => ReadableStream<Uint8Array<ArrayBuffer>>;
    }
);

/** Number of bytes that identify every format. */
const PROBED = 16;

/** @internal Opens a file. */
export async function openFile(file: Source, options: OpenOptions): Promise<OpenedFile> {
  checkOptions(options, { limits: true, signal: true });
  const { limits } = options;
  const source = await openSource(file, options);
  const { size } = source;
  const found = probe(await source.read({ start: 0, end: PROBED }));
  if (found.format === undefined) throw undetected(found, size);
  const format: Format = found.format;
  const door = await loadFormat(format);
  const whole = async (own: DecodeOptions = {}): Promise<Decoded> => {
    checkOptions(own, { limits: true, signal: true, checksums: true, dictionary: true });
    return decode(await source.read({ start: 0, end: size }, own.signal), { ...own, limits: own.limits ?? limits });
  };
  return { format, size, decode: whole, ...(await door.open(source, options, loadDecoder)) } as OpenedFile;
}
