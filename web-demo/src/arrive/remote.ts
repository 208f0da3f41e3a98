// A remote file with the interface of a `Blob`: reads ranges on demand.
import type { Address } from './address';
import { network } from '../words';

/** Bytes that are read in pieces: a file of the visitor or a remote file. */
export interface Content {
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** ETag and Last-Modified, as far as a server sends and exposes them. */
export type Version = readonly (string | undefined)[];

/** Number of bytes that identify every format. */
export const PROBED = 16;

export class RemoteFile implements Content {
  constructor(
    readonly url: string,
    readonly size: number,
    /** The version that was opened. Other versions are refused. */
    readonly version: Version,
  ) {}

  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> } {
    return { arrayBuffer: () => this.#read(start, Math.min(end, this.size)) };
  }

  async #read(start: number, end: number): Promise<ArrayBuffer> {
    if (end <= start) return new ArrayBuffer(0);
    const response = await fetch(this.url, { headers: { Range: `bytes=${start}-${end - 1}` } }).catch(() => {
      throw new Error(network.unreachable);
    });
    const refuse = (why: string): Error => {
      void response.body?.cancel().catch(() => undefined);
      return new Error(why);
    };
    // A file that has become shorter does not satisfy the range.
    if (response.status === 416) throw refuse(network.changed);
    if (response.status !== 206) throw refuse(network.range(response.status));
    const version = versionOf(response);
    // Compare tags if both answers have one; else dates.
    const both = version.findIndex((tag, at) => tag !== undefined && this.version[at] !== undefined);
    const [, range, size] = /^bytes (.*)\/(.*)$/.exec(response.headers.get('Content-Range') ?? '') ?? [];
    if (size !== String(this.size) || version[both] !== this.version[both]) throw refuse(network.changed);
    if (range !== `${start}-${end - 1}`) throw refuse(network.otherRange);
    const bytes = await response.arrayBuffer().catch(() => {
      throw new Error(network.closed);
    });
    if (bytes.byteLength !== end - start) throw new Error(network.otherRange);
    return bytes;
  }
}

/** Returns the version of an answer. Weak or strong, the quoted part of a tag identifies it. */
function versionOf({ headers }: Response): Version {
  return [headers.get('ETag')?.replace(/^W\//, ''), headers.get('Last-Modified') ?? undefined];
}

/** Files up to this size are read as a whole, so that the whole structure can be shown. */
const WHOLE = 64 * 2 ** 20;

/**
 * Opens a remote file. Reads all of it if it is small, if the server has no ranges, or if `all`;
 * else ranges on demand.
 */
export async function openRemote(url: string, { all }: Pick<Address, 'all'>, signal: AbortSignal, tell: (done: number, total: number) => void): Promise<Blob | RemoteFile> {
  let response = await ask(url, { headers: { Range: 'bytes=0-0' }, signal });
  // For an empty file, no range is valid.
  if (response.status !== 416) sound(response);
  const size = Number(/\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1] ?? NaN);
  if (response.status === 206 && size > WHOLE && !all) {
    await response.body?.cancel();
    return new RemoteFile(url, size, versionOf(response));
  }
  const hasRanges = response.status === 206;
  if (response.status !== 200) {
    await response.body?.cancel();
    response = sound(await ask(url, { signal }));
  }
  const total = Number(response.headers.get('Content-Length') ?? size);
  // The server has ranges, but does not tell this page the size of the file with them.
  if (hasRanges && Number.isNaN(size) && total > WHOLE && !all) {
    await response.body?.cancel();
    throw new Error(network.hidden(total));
  }
  const parts: Blob[] = [];
  let done = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { value } = (await reader?.read().catch(() => {
      signal.throwIfAborted();
      throw new Error(network.stopped(done, total));
    })) ?? {};
    if (value === undefined) return new Blob(parts);
    // The browser may keep a `Blob` on disk.
    parts.push(new Blob([value]));
    done += value.length;
    tell(done, total);
  }
}

/** Sends a request. Returns any answer of the server. */
async function ask(url: string, init: RequestInit & { readonly signal: AbortSignal }): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal.aborted) throw error;
    throw new Error(network.blocked);
  }
}

/** Accepts an answer with the file or a part of it. Any other answer is an error page. */
function sound(response: Response): Response {
  const { ok, status, statusText } = response;
  if (!ok) throw new Error(network.status(`${status} ${statusText}`.trim()));
  return response;
}

/** Returns the last part of an address, as the name of the file. */
export function nameOf(url: string): string {
  const path = new URL(url, location.href).pathname;
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name) || url;
  } catch {
    // The percent sign is part of the name.
    return name;
  }
}
