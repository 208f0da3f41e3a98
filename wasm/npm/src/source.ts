// Where bytes come from: memory, a Blob, a server that answers range requests, or whatever else gives parts of a file.

import { checkWhole } from './check.js';
import { refuse, UnspoolError } from './error.js';

/** Bytes at hand. */
export type Bytes = Uint8Array | ArrayBuffer;

/** A file, here or elsewhere. A string is a URL; a `Request` is one with headers, credentials and whatever else `fetch` takes. */
export type Source = Bytes | Blob | URL | string | Request | RangeReader;

/** Bytes `start` up to `end` of a file. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file that the caller reads: through a handle of Node, a client of a store, a cache. */
export interface RangeReader {
  /** How many bytes the file has. */
  readonly size: number;
  /**
   * Gives all bytes of a range, which never leads out of the file. May be called again before it has answered. The signal says when
   * nobody waits for them any more. What it gives must stay as it is: the memory is not copied.
   */
  read(range: ByteRange, signal?: AbortSignal): Uint8Array | Promise<Uint8Array>;
}

/** Numbers as the ranges that they are. */
export const pairs = (numbers: Float64Array): ByteRange[] => Array.from({ length: numbers.length / 2 }, (_, i) => ({ start: numbers[2 * i] ?? 0, end: numbers[2 * i + 1] ?? 0 }));

/** Checks what a caller passes for bytes. */
export function bytesOf(bytes: unknown, name = 'bytes'): Uint8Array {
  const known = isBuffer(bytes) || isArray(bytes);
  if (known && !isDetached(isBuffer(bytes) ? bytes : bytes.buffer)) {
    if (isBuffer(bytes)) return new Uint8Array(bytes);
    // A view of our own, but of its class alone: a `Buffer` of Node has a `slice` that does not copy. And see `isArray`.
    return Object.getPrototypeOf(bytes) === Uint8Array.prototype ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  throw new TypeError(known ? `${name}: their memory was transferred away` : `${name} must be a Uint8Array or an ArrayBuffer, not ${described(bytes)}`);
}

/** Whether it is bytes. Those of another realm, a frame or what a test runner made for itself, are no instance of the class of this one. */
export const isArray = (thing: unknown): thing is Uint8Array => thing instanceof Uint8Array || kindOf(thing) === 'Uint8Array';
/** The same of the memory under bytes. */
export const isBuffer = (thing: unknown): thing is ArrayBuffer => thing instanceof ArrayBuffer || kindOf(thing) === 'ArrayBuffer';

/** `Uint8Array`, `Blob`, and so on. */
export const kindOf = (thing: unknown): string => Object.prototype.toString.call(thing).slice('[object '.length, -1);

/** Whether a buffer went to another thread, for instance. */
export function isDetached(buffer: ArrayBufferLike): boolean {
  if (buffer.byteLength > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

/** What somebody passed for bytes, and how to get them out of it. */
function described(thing: unknown): string {
  if (thing === null || typeof thing === 'undefined') return String(thing);
  if (typeof thing !== 'object') return `a ${typeof thing}`;
  const name = kindOf(thing);
  const hint =
    name === 'Blob' || name === 'File' ? '; await blob.arrayBuffer() gives them'
    : name === 'Response' ? '; await response.arrayBuffer() gives them'
    : name === 'Promise' ? ': await it'
    : name === 'SharedArrayBuffer' ? '; new Uint8Array(it) gives them'
    : ArrayBuffer.isView(thing) ? '; new Uint8Array(it.buffer, it.byteOffset, it.byteLength) gives them'
    : '';
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}${hint}`;
}

/** At most so often, in milliseconds, somebody is told how far reading is. */
const PAUSE = 50;

/** All bytes of a `Blob`. `tell` hears how many of them have been read, now and then, and at the end that it is all. */
export async function readBlob(blob: Blob, tell: (done: number, total: number) => void = () => undefined): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(blob.size);
  const reader = blob.stream().getReader();
  let [done, told] = [0, 0];
  for (;;) {
    const { value } = await reader.read();
    if (value === undefined) {
      if (done === 0) tell(0, 0);
      return bytes;
    }
    bytes.set(value, done);
    done += value.length;
    const now = performance.now();
    if (now - told < PAUSE && done < blob.size) continue;
    told = now;
    tell(done, blob.size);
  }
}

/**
 * Fills an array of any type as bytes, and gives how many of its elements were written. What it would have needed is counted in them, too.
 * Bytes that are no whole number of elements are refused: there would be no telling how many were written.
 */
export function filled(to: unknown, fill: (out: Uint8Array) => number): number {
  if (!ArrayBuffer.isView(to) || to instanceof DataView) throw new TypeError('what is decoded into must be a typed array');
  if (isDetached(to.buffer)) throw new TypeError('the memory of what is decoded into was transferred away');
  const size = (to as Uint8Array).BYTES_PER_ELEMENT;
  try {
    const written = fill(to instanceof Uint8Array ? to : new Uint8Array(to.buffer, to.byteOffset, to.byteLength));
    if (written % size !== 0) throw refuse('WrongType');
    return written / size;
  } catch (error) {
    if (!(error instanceof UnspoolError) || error.class !== 'OutputTooSmall') throw error;
    throw new UnspoolError(error.code, { offset: error.offset, need: Math.ceil(error.need / size) });
  }
}

/** A file that is read in pieces. */
export interface Reader {
  readonly size: number;
  read(range: ByteRange): Uint8Array | Promise<Uint8Array>;
}

/** An open file, and whether each piece of it takes a while to come. */
export interface OpenSource extends Reader {
  readonly isFar: boolean;
}

/** Opens a file, wherever it is. No range that is read leads out of it, and none is read once the signal has called it off. */
export async function openSource(source: Source, signal?: AbortSignal): Promise<OpenSource> {
  signal?.throwIfAborted();
  const { size, read, isFar } = await found(source, signal);
  return {
    size,
    isFar,
    read(range) {
      signal?.throwIfAborted();
      const end = Math.min(range.end, size);
      return range.start < end ? read({ start: range.start, end }) : new Uint8Array();
    },
  };
}

async function found(source: Source, signal: AbortSignal | undefined): Promise<OpenSource> {
  if (typeof source === 'string' || source instanceof URL || isRequest(source)) return { ...(await openUrl(source, signal)), isFar: true };
  if (typeof Blob !== 'undefined' && source instanceof Blob) {
    return { size: source.size, read: async ({ start, end }) => new Uint8Array(await source.slice(start, end).arrayBuffer()), isFar: false };
  }
  if (isReader(source)) return { ...openReader(source, signal), isFar: true };
  const isBytes = isArray(source) || isBuffer(source);
  if (!isBytes) throw new TypeError(`a file is a Blob, a URL, a Request, a reader of ranges, a Uint8Array or an ArrayBuffer, not ${described(source)}`);
  const bytes = bytesOf(source);
  return { size: bytes.length, read: ({ start, end }) => bytes.subarray(start, end), isFar: false };
}

const isRequest = (source: Source): source is Request => kindOf(source) === 'Request';

const isReader = (source: Source): source is RangeReader => typeof source === 'object' && source !== null && 'size' in source && 'read' in source && typeof source.read === 'function';

function openReader(source: RangeReader, signal: AbortSignal | undefined): Reader {
  const { size } = source;
  checkWhole('size', size);
  const read = async (range: ByteRange): Promise<Uint8Array> => {
    const bytes = bytesOf(await source.read(range, signal), 'what read gives');
    const wanted = range.end - range.start;
    if (bytes.length !== wanted) throw new RangeError(`read gave ${bytes.length} bytes for the ${wanted} from ${range.start} on`);
    return bytes;
  };
  return { size, read };
}

/** Whether it is an address on a server, and no path. Relative ones are, on a page. */
export const isElsewhere = (url: string | URL): boolean => /^https?:/i.test(String(url)) || 'location' in globalThis;

/** Both signals in one, where there are two and the engine can do that; else the first. */
export const either = (one: AbortSignal | undefined, other: AbortSignal): AbortSignal => (one === undefined ? other : 'any' in AbortSignal ? AbortSignal.any([one, other]) : one);

/** How much of a file on a server is fetched before anything is known of it. Most headers fit. */
const FIRST = 16 * 1024;

/** What a server answers for bytes from `start` on: they, how long the whole file is, and which version of it that is. */
interface Answer {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly size: number;
  /** As far as the server says, and a browser lets a page on another one see it. */
  readonly version: readonly (string | null | undefined)[];
  readonly status: number;
}

/** Why a server's answer is of no use: it refuses, or it is not the part of the file that was asked for. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  /** What was asked for. */
  readonly url: string;
  /** The status of the answer, as in 404; with 200 or 206 it is the answer that is wrong. */
  readonly status: number;

  /** @internal */
  constructor(message: string, url: string, status: number) {
    super(message);
    [this.url, this.status] = [url, status];
  }
}

async function openUrl(source: string | URL | Request, signal?: AbortSignal): Promise<Reader> {
  const request = isRequest(source) ? source : undefined;
  const url = isRequest(source) ? source.url : source;
  if (request !== undefined && request.method !== 'GET') throw new TypeError(`a file is read by GET, not ${request.method}`);
  const until = request === undefined ? signal : either(signal, request.signal);
  const refused = (status: number, why: string): SourceError => new SourceError(`${String(url)}: ${why}`, String(url), status);
  const ask = async (start: number, end: number): Promise<Answer> => {
    // Those of a request are replaced by what is said here.
    const headers = new Headers(request?.headers);
    headers.set('Range', `bytes=${start}-${end - 1}`);
    const response = await fetch(source, until === undefined ? { headers } : { headers, signal: until }).catch((cause: unknown) => {
      throw isElsewhere(url) ? cause : new TypeError(`${String(url)} cannot be fetched; in Node, openAsBlob of node:fs opens a path`, { cause });
    });
    const { status, headers: said } = response;
    // Weak or not, what stands in the quotes names the version.
    const version = [said.get('ETag')?.replace(/^W\//, ''), said.get('Last-Modified')];
    const range = said.get('Content-Range');
    // An empty file satisfies no range.
    if (status === 416 && start === 0 && (range === null || /\/0$/.test(range))) return { bytes: new Uint8Array(), start, size: 0, version, status };
    if (!response.ok) {
      void response.body?.cancel();
      throw new SourceError(`${String(url)} cannot be fetched: ${status} ${response.statusText}`, String(url), status);
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    // A server without ranges sends everything.
    if (status === 200) return { bytes, start: 0, size: bytes.length, version, status };
    const [first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(range ?? '')?.slice(1).map(Number) ?? [];
    if (first === undefined || last === undefined || size === undefined) {
      throw refused(status, 'the server does not say which part of how long a file this is; one on another origin must expose Content-Range');
    }
    if (first !== start || last !== Math.min(end, size) - 1) throw refused(status, 'the server sent another range than asked');
    if (bytes.length !== last + 1 - first) throw refused(status, 'the server sent more or less than the range that it names');
    return { bytes, start, size, version, status };
  };
  const { bytes, size, version } = await ask(0, FIRST);
  const read = async ({ start, end }: ByteRange): Promise<Uint8Array> => {
    if (end <= bytes.length) return bytes.subarray(start, end);
    const part = await ask(start, end);
    // Where both have a tag, dates say no more: two machines behind one address may have the same file from two days.
    const both = version.findIndex((then, at) => then && part.version[at]);
    const differs = both >= 0 && part.version[both] !== version[both];
    if (part.size !== size || differs) throw refused(part.status, 'the file has changed since it was opened');
    return part.bytes.subarray(start - part.start, end - part.start);
  };
  return { size, read };
}
