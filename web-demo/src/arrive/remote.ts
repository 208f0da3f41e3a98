// A remote file with the interface of a `Blob`: reads ranges on demand.
import type { OpenedSource, SourceVersion } from 'unspool';
import type { Address } from './address';
import { network } from '../words';

/** Bytes that are read in pieces: a file of the visitor or a remote file. */
export interface Content {
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** Number of bytes that identify every format. */
export const PROBED = 16;

/** Address and version of a remote file, for another thread. */
export type Handle = Pick<RemoteFile, 'url' | 'version'>;

export class RemoteFile implements Content {
  private constructor(
    readonly url: string,
    /** Reads the version that was opened, and refuses others. */
    readonly source: OpenedSource,
  ) {}

  static async open({ url, version }: { readonly url: string; readonly version?: SourceVersion | undefined }): Promise<RemoteFile> {
    const { openSource } = await import('unspool');
    return new RemoteFile(url, await openSource(url, { version }));
  }

  get size(): number {
    return this.source.size;
  }

  get version(): SourceVersion | undefined {
    return this.source.version;
  }

  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> } {
    return { arrayBuffer: async () => new Uint8Array(await this.source.read({ start, end })).buffer };
  }
}

/** A file of the visitor, or a remote one. */
export type AnyFile = Blob | RemoteFile;

/** Returns a file as the package takes it. */
export const sourceOf = (file: AnyFile): Blob | OpenedSource => (file instanceof Blob ? file : file.source);

/** Files up to this size are read as a whole, so that the whole structure can be shown. */
const WHOLE = 64 * 2 ** 20;

/**
 * Opens a remote file. Reads all of it if it is small, if the server has no ranges, or if `all`;
 * else ranges on demand.
 */
export async function openRemote(url: string, { all }: Pick<Address, 'all'>, signal: AbortSignal, tell: (done: number, total: number) => void): Promise<AnyFile> {
  let response = await ask(url, { headers: { Range: 'bytes=0-0' }, signal });
  // For an empty file, no range is valid.
  if (response.status !== 416) sound(response);
  const size = Number(/\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1] ?? NaN);
  if (response.status === 206 && size > WHOLE && !all) {
    await response.body?.cancel();
    return RemoteFile.open({ url });
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
