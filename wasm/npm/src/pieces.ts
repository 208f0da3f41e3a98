// Reads a file for whoever walks over its headers: in pieces that are worth a read, and ahead where it shows what comes next.
import type { Reader } from './source.js';

/** So much of a file is read at once: headers may lie close together. Where they do not, or on a server, less. */
const [PIECE, PIECE_FAR] = [2 ** 22, 2 ** 16];

/** More bytes than this, which are more than a block of Zstandard has, are far from one header to the next. */
const FAR = 2 ** 18;

/** Where headers are as far from each other as those before were, so many are asked for at once: a browser asks a server for no more. A disk is no faster for it. */
const AHEAD = 6;

/** A file, of which the piece at hand is kept, and those that were asked for ahead. */
export class Pieces {
  #reader: Reader;
  #local: boolean;
  #tell: (done: number) => void;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array();
  /** How far the last piece was from the one before. */
  #stride = 0;
  #ahead = new Map<number, Promise<Uint8Array>>();

  /** A file on this machine is read more at a time. `tell` hears where each piece starts. */
  constructor(reader: Reader, local: boolean, tell: (done: number) => void) {
    [this.#reader, this.#local, this.#tell] = [reader, local, tell];
  }

  /** These bytes of the file. */
  async read(start: number, end: number): Promise<Uint8Array> {
    const first = this.#start;
    const last = first + this.#bytes.length;
    if (start < first || end > last) {
      if (this.#local && start >= first && start - last <= FAR) await this.#take(start, Math.max(end, start + PIECE));
      // Whoever looks for the end of something walks backwards.
      else if (this.#local && start < first && first - end <= FAR) await this.#take(Math.max(0, Math.min(start, end - PIECE)), end);
      else await this.#jump(start, end);
      this.#tell(start);
    }
    return this.#bytes.subarray(start - this.#start, end - this.#start);
  }

  async #take(start: number, end: number): Promise<void> {
    this.#bytes = await this.#reader.read({ start, end: Math.min(this.#reader.size, end) });
    this.#start = start;
  }

  /** Reads far from where it was, and what comes next if the file goes on in steps as wide. */
  async #jump(start: number, end: number): Promise<void> {
    const stride = start - this.#start;
    const steady = !this.#local && stride === this.#stride && stride > 0;
    this.#stride = stride;
    if (!steady) this.#ahead.clear();
    const read = (at: number, to: number): Promise<Uint8Array> => {
      const bytes = Promise.resolve(this.#reader.read({ start: at, end: Math.min(this.#reader.size, to) }));
      // Nobody may come for it.
      bytes.catch(() => undefined);
      return bytes;
    };
    const known = end - start <= PIECE_FAR ? this.#ahead.get(start) : undefined;
    this.#ahead.delete(start);
    const bytes = known ?? read(start, Math.max(end, start + PIECE_FAR));
    for (let at = start + stride; steady && at < Math.min(this.#reader.size, start + AHEAD * stride); at += stride) {
      if (!this.#ahead.has(at)) this.#ahead.set(at, read(at, at + PIECE_FAR));
    }
    this.#bytes = await bytes;
    this.#start = start;
  }
}
