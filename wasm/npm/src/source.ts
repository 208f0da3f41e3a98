// Sources of bytes: memory, a Blob, a server with range requests, or a reader of the caller's.

import { anySignal, unlessAborted } from './abort.js';
import { bodyOf, hangUp, headOf } from './answer.js';
import { type Bytes, bytesOf, described, isArray, isBuffer, kindOf } from './bytes.js';
import { checkWhole } from './check-numbers.js';
import { notFetched } from './instance.js';
import { DEFAULT_LIMITS, type Limits, limitsOf } from './limits.js';
import { SourceError } from './source-error.js';

/**
 * A file in memory or elsewhere. A string is a URL; a `Request` adds headers, credentials and other
 * `fetch` options.
 */
export type Source = Bytes | Blob | URL | string | Request | RangeReader;

/** A range of bytes in a file. */
export interface ByteRange {
  /** First byte. */
  readonly start: number;
  /** End, exclusive. */
  readonly end: number;
}

/** A file that the caller reads, such as a Node file handle, a storage client or a cache. */
export interface RangeReader {
  /** Length of the file in bytes. */
  readonly size: number;
  /**
   * Returns all bytes of a range, which is always inside the file. May be called again before it
   * has resolved. The signal aborts when the bytes are no longer needed. The returned memory must
   * not change: it is not copied.
   */
  read(range: ByteRange, signal?: AbortSignal): Uint8Array | Promise<Uint8Array>;
}

/** Converts pairs of numbers to ranges. */
export const toRanges = (numbers: Float64Array): ByteRange[] => Array.from({ length: numbers.length / 2 }, (_, i) => ({ start: numbers[2 * i] ?? 0, end: numbers[2 * i + 1] ?? 0 }));

/** A file that is read in ranges. */
export interface Reader {
  readonly size: number;
  /** Reads a range. The signal aborts this read alone. */
  read(range: ByteRange, signal?: AbortSignal): Uint8Array | Promise<Uint8Array>;
}

/** What tells the versions of a file on a server apart. It can be cloned and stored. */
export interface SourceVersion {
  /** Length of the file in bytes. */
  readonly size: number;
  /** The quoted part of the header `ETag`, if the server sends and exposes it. */
  readonly etag: string | undefined;
  /** The header `Last-Modified`, if the server sends and exposes it. */
  readonly modified: string | undefined;
}

/** An open file. Any function that takes a file takes it, and reads the same version. */
export interface OpenedSource extends RangeReader {
  /** True if each read takes a round trip. */
  readonly isRemote: boolean;
  /** The version of a file on a server. */
  readonly version: SourceVersion | undefined;
}

/** Options of functions that open a file. */
export interface OpenOptions {
  /** Limits for this file. */
  limits?: Limits | undefined;
  /** Aborts opening, and later reads of the file. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link openSource}. */
export interface OpenSourceOptions extends OpenOptions {
  /** The version that another thread has opened: a server must not send any other. */
  version?: SourceVersion | undefined;
}

/** Opens a file. Reads are clipped to its length, and refused after the signal has aborted. */
export async function openSource(source: Source, options: OpenSourceOptions = {}): Promise<OpenedSource> {
  limitsOf(options, { limits: true, signal: true, version: true });
  const { signal } = options;
  signal?.throwIfAborted();
  const { size, read, isRemote, version } = await openAny(source, options);
  return {
    size,
    isRemote,
    version,
    read(range, own) {
      const until = anySignal(signal, own);
      until?.throwIfAborted();
      const end = Math.min(range.end, size);
      return range.start < end ? read({ start: range.start, end }, until) : new Uint8Array();
    },
  };
}

async function openAny(source: Source, options: OpenSourceOptions): Promise<OpenedSource> {
  if (typeof source === 'string' || source instanceof URL || isRequest(source)) return openUrl(source, options);
  if (typeof Blob !== 'undefined' && source instanceof Blob) {
    const read = async ({ start, end }: ByteRange, signal?: AbortSignal): Promise<Uint8Array> => {
      return new Uint8Array(await unlessAborted(source.slice(start, end).arrayBuffer(), signal));
    };
    return { size: source.size, read, isRemote: false, version: undefined };
  }
  if (isReader(source)) return openReader(source);
  const isBytes = isArray(source) || isBuffer(source);
  if (!isBytes) throw new TypeError(`a file must be a Blob, a URL, a Request, { size, read }, a Uint8Array or an ArrayBuffer, not ${described(source)}`);
  const bytes = bytesOf(source);
  return { size: bytes.length, read: ({ start, end }) => bytes.subarray(start, end), isRemote: false, version: undefined };
}

const isRequest = (source: Source): source is Request => kindOf(source) === 'Request';

const isReader = (source: Source): source is RangeReader => typeof source === 'object' && source !== null && 'size' in source && 'read' in source && typeof source.read === 'function';

function openReader(source: RangeReader): OpenedSource {
  // An open file knows better than its shape.
  const { size, isRemote = true, version } = source as RangeReader & Partial<OpenedSource>;
  checkWhole('size', size);
  const read = async (range: ByteRange, signal?: AbortSignal): Promise<Uint8Array> => {
    const bytes = bytesOf(await unlessAborted(source.read(range, signal), signal), 'the result of read');
    const wanted = range.end - range.start;
    if (bytes.length !== wanted) throw new RangeError(`read returned ${bytes.length} bytes instead of ${wanted} at offset ${range.start}`);
    return bytes;
  };
  return { size, read, isRemote, version };
}

/** Length of the first read from a server. Most headers fit. */
const FIRST_READ = 16 * 1024;

/** Maximum length of a file that a server sends with a `Content-Encoding`, which may be a bomb. */
const MOST_ENCODED = 64 * 2 ** 20;

const CHANGED = 'the file has changed since it was opened';

/** A server's answer: bytes from `start` on, and the version of the file. */
interface Answer {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly version: SourceVersion;
  readonly status: number;
}

/**
 * Compares the tags of two answers if both have one; else their dates. Servers of one cluster may
 * differ in dates.
 */
function isSame(one: SourceVersion, other: SourceVersion): boolean {
  if (one.size !== other.size) return false;
  const tag = (['etag', 'modified'] as const).find((tag) => one[tag] !== undefined && other[tag] !== undefined);
  return tag === undefined || one[tag] === other[tag];
}

async function openUrl(source: string | URL | Request, { limits, signal, version: opened }: OpenSourceOptions): Promise<OpenedSource> {
  const most = limits?.maxInput ?? DEFAULT_LIMITS.maxInput;
  const request = isRequest(source) ? source : undefined;
  const url = isRequest(source) ? source.url : String(source);
  if (request !== undefined && request.method !== 'GET') throw new TypeError(`a file must be requested by GET, not ${request.method}`);
  const refused = (status: number, why: string): SourceError => new SourceError(why, url, status);
  /** Requests a range of the `known` version, of any version if there is none. */
  const ask = async (start: number, end: number, signal: AbortSignal | undefined, known?: SourceVersion): Promise<Answer> => {
    const either = anySignal(signal, request?.signal);
    // The headers here replace those of a Request.
    const headers = new Headers(request?.headers);
    headers.set('Range', `bytes=${start}-${end - 1}`);
    const response = await headOf(url, (over) => fetch(source, { headers, signal: anySignal(either, over) }).catch((cause: unknown) => {
      throw notFetched(url, cause, either, 'openAsBlob of node:fs opens a path');
    }));
    const { status, headers: answered } = response;
    const refuse = (why: string): SourceError => {
      hangUp(response);
      return refused(status, why);
    };
    /** Returns the version of a file of this length, unless another one is known. */
    const versionOf = (size: number): SourceVersion => {
      // Weak or strong, the quoted part of the tag identifies the version.
      const version = { size, etag: answered.get('ETag')?.replace(/^W\//, ''), modified: answered.get('Last-Modified') ?? undefined };
      if (known !== undefined && !isSame(known, version)) throw refuse(CHANGED);
      return version;
    };
    const range = answered.get('Content-Range');
    const encoding = answered.get('Content-Encoding');
    const isEncoded = encoding !== null && encoding !== 'identity';
    // An empty file satisfies no range.
    if (status === 416 && start === 0 && (range === null || /\/0$/.test(range))) {
      hangUp(response);
      return { bytes: new Uint8Array(), start, version: versionOf(0), status };
    }
    // A file that has become shorter does not satisfy the range.
    if (status === 416 && start > 0) throw refuse(CHANGED);
    if (!response.ok) throw refuse(`the server returned ${status} ${response.statusText}`.trim());
    // A server without range requests sends the whole file.
    if (status === 200) {
      // Another version is refused before its body is read.
      if (known !== undefined) versionOf(known.size);
      const limit = isEncoded ? Math.min(most, MOST_ENCODED) : most;
      const bytes = await bodyOf(response, url, Math.min(limit, known?.size ?? limit), either);
      if (bytes === undefined && known !== undefined) throw refused(status, CHANGED);
      if (bytes === undefined) throw refused(status, isEncoded ? `the server sent more than ${limit} bytes in the Content-Encoding ${encoding}` : `the server sent more than limits.maxInput, ${limit} bytes`);
      return { bytes, start: 0, version: versionOf(bytes.length), status };
    }
    if (/^bytes \d+-\d+\/\*$/.test(range ?? '')) throw refuse('the server does not tell the length of the file: its Content-Range ends with *');
    const [first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range ?? '')?.slice(1).map(Number) ?? [];
    if (first === undefined || last === undefined || size === undefined) {
      throw refuse('the server sent no valid Content-Range; from another origin it must also expose that header');
    }
    if (!Number.isSafeInteger(size)) throw refuse(`the server says that the file has ${size} bytes`);
    const version = versionOf(size);
    if (first !== start || last !== Math.min(end, size) - 1) throw refuse('the server sent another range than requested');
    if (isEncoded) throw refuse(`the server sent a range in the Content-Encoding ${encoding}`);
    const length = last + 1 - first;
    if (length > most) throw refuse(`a range has ${length} bytes, more than limits.maxInput, ${most}`);
    const bytes = await bodyOf(response, url, length, either);
    if (bytes?.length !== length) throw refused(status, 'the server sent a body that does not match its Content-Range');
    return { bytes, start, version, status };
  };
  const { bytes, version, status } = await ask(0, FIRST_READ, signal, opened);
  // Applications answer any address with their page. No known format starts like one.
  if (/^\W*<(!doctype html|html)/i.test(String.fromCharCode(...bytes.subarray(0, 64)))) throw refused(status, 'the server sent an HTML page instead of the file');
  const read = async ({ start, end }: ByteRange, signal?: AbortSignal): Promise<Uint8Array> => {
    if (end <= bytes.length) return bytes.subarray(start, end);
    const part = await ask(start, end, signal, opened ?? version);
    return part.bytes.subarray(start - part.start, end - part.start);
  };
  return { size: version.size, read, isRemote: true, version: opened ?? version };
}
