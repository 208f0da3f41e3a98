// A file on a server, as much like a `Blob` as the page needs: it is read by ranges, and only where somebody looks.
import { bytes } from '../format';
import type { Address } from './address';

/** Bytes that are read piece by piece: a file of the visitor's, or one on a server. */
export interface Content {
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

export class RemoteFile implements Content {
  constructor(
    readonly url: string,
    readonly size: number,
  ) {}

  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> } {
    return { arrayBuffer: () => this.#read(start, Math.min(end, this.size)) };
  }

  async #read(start: number, end: number): Promise<ArrayBuffer> {
    if (end <= start) return new ArrayBuffer(0);
    const response = await fetch(this.url, { headers: { Range: `bytes=${start}-${end - 1}` } }).catch(() => {
      throw new Error('the server cannot be reached');
    });
    if (response.status !== 206) throw new Error(`the server answers ${response.status} to a range`);
    return response.arrayBuffer().catch(() => {
      throw new Error('the server broke off');
    });
  }
}

/** Files up to this size are read as a whole: the structure is all there then. */
const WHOLE = 64 * 2 ** 20;

/** Opens a file on a server: all of a small one, or of one whose server knows no ranges, or if somebody wants it; of a large one only what is looked at. */
export async function openRemote(url: string, { all }: Pick<Address, 'all'>, signal: AbortSignal, tell: (done: number, total: number) => void): Promise<Blob | RemoteFile> {
  let response = await ask(url, { headers: { Range: 'bytes=0-0' }, signal });
  // Of a file without bytes, no range is right.
  if (response.status !== 416) sound(response);
  const size = Number(/\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1] ?? NaN);
  if (response.status === 206 && size > WHOLE && !all) {
    await response.body?.cancel();
    return new RemoteFile(url, size);
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    response = sound(await ask(url, { signal }));
  }
  const total = Number(response.headers.get('Content-Length') ?? size);
  const parts: Blob[] = [];
  let done = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { value } = (await reader?.read().catch(() => {
      signal.throwIfAborted();
      throw new Error(`The download broke off after ${bytes(done)}${total > 0 ? ` of ${bytes(total)}` : ''}.`);
    })) ?? {};
    if (value === undefined) return new Blob(parts);
    // The browser may keep a `Blob` on disk.
    parts.push(new Blob([value]));
    done += value.length;
    tell(done, total);
  }
}

/** An answer of a server, whatever it says. */
async function ask(url: string, init: RequestInit & { readonly signal: AbortSignal }): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal.aborted) throw error;
    throw new Error('The server cannot be reached, or does not let other pages read its files (it would have to allow this by CORS).');
  }
}

/** An answer that is the file, or a part of it: what comes with any other is a page that says why it is not. */
function sound(response: Response): Response {
  const { ok, status, statusText } = response;
  if (!ok) throw new Error(`The server answers ${`${status} ${statusText}`.trim()}.`);
  return response;
}

/** The last part of an address, to call the file by. */
export function nameOf(url: string): string {
  const path = new URL(url, location.href).pathname;
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name) || url;
  } catch {
    // Whoever called it so meant the percent sign itself.
    return name;
  }
}
