// The jobs of a worker. Each loads only the code and the module of its format.
import { readBlob } from '../blob.js';
import type { DecodedBytes } from '../decode.js';
import { decodeIntoWith, decodeWith } from '../decode-with.js';
import type { Door } from '../doors/door.js';
import { UnspoolError } from '../error.js';
import { familyOf, loadDoor } from '../formats.js';
import { functionsWith } from '../functions.js';
import { type Format, probe } from '../probe.js';
import { type ByteRange, openSource, type OpenedSource } from '../source.js';
import type { ZstdDecodeOptions } from '../zstd.js';
import type { Job, Jobs, Progress, SentFile, SentOutput, SharedModule } from './messages.js';

/** What a job needs of its thread. */
export interface Host {
  /** Aborts the job. */
  readonly signal: AbortSignal;
  /** Reports progress. */
  readonly report: (progress: Progress) => void;
  /** Lets messages arrive if the last pause is long ago, and throws if the job was aborted. */
  readonly pause: () => Promise<void>;
  /** Reads from the file, which the pool has. */
  readonly read: (range: ByteRange) => Promise<Uint8Array>;
  /** Loads a module, which the pool has. */
  readonly load: (name: SharedModule) => Promise<void>;
}

/** Files from this length on are decoded in steps, if the format has a stream. */
const LARGE = 2 ** 20;

const JOBS: { readonly [N in keyof Jobs]: (job: Jobs[N], host: Host) => Promise<unknown> } = {
  decode: ({ file, options }, host) => whole(file, host, (bytes) => decodeWith((format) => steppedDoor(format, host), bytes, options)),
  decodeInto: ({ file, to, options }, host) =>
    whole(file, host, async (bytes) => {
      const data = outputOf(to);
      const count = await decodeIntoWith((format) => steppedDoor(format, host), bytes, data as never, options);
      return ArrayBuffer.isView(to) ? { count } : { count, data };
    }),
  inspect: ({ file, options }, host) =>
    whole(file, host, async (bytes) => {
      const [{ inspectLoaded }] = await Promise.all([import('../inspection.js'), loadInspector(bytes, host)]);
      const found = inspectLoaded(bytes, options);
      // Cloning would lose the class of the error.
      return { ...found, error: found.error?.toJSON() };
    }),
  decodeAt1: ({ file, options }, host) => whole(file, host, (bytes) => functionsWith(host.load).decodeAt1(bytes, options)),
  async decodeCvc({ file, options: { column, rows, limits, ...options } }, host) {
    const [{ openCvc }] = await Promise.all([import('../cvc.js'), host.load('cvc')]);
    const opened = await openCvc(await ranges(file, host), { limits });
    const [start, end] = rows ?? [];
    return opened.column(column).rows(start, end, options);
  },
  decodeGzip: ({ file, options }, host) =>
    whole(file, host, (bytes) => inSteps('gzip', bytes, options, host, () => functionsWith(host.load).decodeGzip(bytes, options))),
  decodeLzma: ({ file, options }, host) => whole(file, host, (bytes) => functionsWith(host.load).decodeLzma(bytes, options)),
  async decodeOnPair({ file, options }, host) {
    const [{ decodeOnPair }, { openOnPairFile }] = await Promise.all([import('../onpair.js'), import('../onpair-file.js'), host.load('onpair')]);
    if (file instanceof Uint8Array) return decodeOnPair(file, options);
    const { rows, limits } = options;
    const opened = await openOnPairFile(await ranges(file, host), { limits });
    return opened.decode(...(rows ?? []));
  },
  decodePco: ({ file, options }, host) => whole(file, host, (bytes) => functionsWith(host.load).decodePco(bytes, options)),
  async decodePcoPages({ file, options }, host) {
    const [{ decodePcoPages }] = await Promise.all([import('../pco.js'), host.load('pco')]);
    return decodePcoPages(file, options);
  },
  decodeXz: ({ file, options }, host) =>
    whole(file, host, (bytes) => inSteps('xz', bytes, options, host, () => functionsWith(host.load).decodeXz(bytes, options))),
  decodeZstd: ({ file, options }, host) =>
    whole(file, host, (bytes) => inSteps('zstd', bytes, options, host, () => functionsWith(host.load).decodeZstd(bytes, options))),
  async queryAt1({ file, options }, host) {
    const [{ queryPacked }] = await Promise.all([import('../at1-query.js'), host.load('at1')]);
    return queryPacked(await ranges(file, host), options);
  },
};

/** Runs a job. */
export function runJob(job: Job, host: Host): Promise<unknown> {
  return JOBS[job.name](job as never, host);
}

/** Reads a whole file, and works on it. */
async function whole<T>(file: SentFile, host: Host, work: (bytes: Uint8Array) => Promise<T>): Promise<T> {
  const { signal, report } = host;
  const onProgress = (done: number, total: number): void => report({ phase: 'read', done, total });
  let bytes;
  if (file instanceof Uint8Array) bytes = file;
  else if (file instanceof Blob) bytes = await readBlob(file, { signal, onProgress });
  else {
    const { size } = file;
    bytes = size > 0 ? await host.read({ start: 0, end: size }) : new Uint8Array();
    onProgress(size, size);
  }
  const total = bytes.length;
  report({ phase: 'work', done: 0, total });
  const result = await work(bytes);
  report({ phase: 'work', done: total, total });
  return result;
}

/** Opens a file for reads. Before each of them, messages can arrive. */
async function ranges(file: SentFile, host: Host): Promise<OpenedSource> {
  const isHere = file instanceof Uint8Array || file instanceof Blob;
  const { read, ...opened } = await openSource(isHere ? file : ({ ...file, read: host.read } as OpenedSource), { signal: host.signal });
  return {
    ...opened,
    async read(range, signal) {
      await host.pause();
      return read(range, signal);
    },
  };
}

async function loadInspector(bytes: Uint8Array, host: Host): Promise<void> {
  const { format } = probe(bytes);
  if (format !== undefined) await host.load(`${familyOf(format)}-inspect`);
}

/** Loads the functions of a format. They decode large files in steps. */
async function steppedDoor(format: Format, host: Host): Promise<Door> {
  const door = await loadDoor(format, host.load);
  const family = familyOf(format);
  if (family !== 'gzip' && family !== 'xz' && family !== 'zstd') return door;
  const decode: Door['decode'] = async (bytes, options) => ({
    bytes: await inSteps(family, bytes, options, host, async () => ((await door.decode(bytes, options)) as DecodedBytes).bytes),
  });
  return { ...door, decode };
}

/** Starts the streaming decoders. */
const DECODERS = {
  async gzip(_: Uint8Array, { limits }: ZstdDecodeOptions, host: Host) {
    const [{ gzipDecoder }] = await Promise.all([import('../stream.js'), host.load('gzip')]);
    return gzipDecoder({ limits });
  },
  async xz(_: Uint8Array, { limits }: ZstdDecodeOptions, host: Host) {
    const [{ xzDecoder }] = await Promise.all([import('../stream.js'), host.load('xz-stream')]);
    return xzDecoder({ limits });
  },
  async zstd(bytes: Uint8Array, { limits, dictionary, format }: ZstdDecodeOptions, host: Host) {
    const [{ zstdDecoder }, { zstdFormat }] = await Promise.all([import('../stream.js'), import('../zstd.js'), host.load('zstd'), host.load('zstd-stream')]);
    return zstdDecoder({ limits, dictionary, format: format ?? zstdFormat(bytes) });
  },
};

/** Decodes a large file in steps, a small one at once. */
async function inSteps(
  family: keyof typeof DECODERS, bytes: Uint8Array, options: ZstdDecodeOptions, host: Host, atOnce: () => DecodedBytes['bytes'] | Promise<DecodedBytes['bytes']>,
): Promise<DecodedBytes['bytes']> {
  if (bytes.length < LARGE) return atOnce();
  try {
    const decoder = await DECODERS[family](bytes, options, host);
    const { decodeInSteps } = await import('../stream.js');
    return await decodeInSteps(decoder, bytes, options.limits?.maxOutput ?? Infinity, host.pause);
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    // A stream has a limit for its window, too.
    return atOnce();
  }
}

/** Returns the output of `decodeInto`. */
function outputOf(to: SentOutput): ArrayBufferView {
  if (ArrayBuffer.isView(to)) return to;
  const { kind, length } = to;
  return new (globalThis as unknown as Record<string, new (length: number) => ArrayBufferView>)[kind]!(length);
}
