// Reads a file for a walk over its headers: in larger pieces, and ahead if the headers are evenly
// spaced.
import type { Guess } from './ahead.js';
import type { Reader } from './source.js';

/** Length of a read. Nearby headers share one; on a server it is shorter. */
const [PIECE, REMOTE_PIECE] = [2 ** 22, 2 ** 16];

/** A larger gap counts as far. It exceeds a Zstandard block. */
const FAR = 2 ** 18;

/**
 * Reads in flight if headers are evenly spaced: the limit of a browser for one server. Not for
 * disks.
 */
const AHEAD = 6;

/** A file with the current piece and the pieces read ahead. */
export class Pieces {
  #reader: Reader;
  #local: boolean;
  #onPiece: (done: number) => void;
  #start = 0;
  #bytes: Uint8Array = new Uint8Array();
  /** Distance between the last two pieces. */
  #stride = 0;
  #ahead = new Map<number, Guess>();
  /** Number of reads in flight, including those no longer wanted. */
  #underWay = 0;

  /** Reads larger pieces of a local file. `onPiece` is called with the start of each piece. */
  constructor(reader: Reader, local: boolean, onPiece: (done: number) => void) {
    [this.#reader, this.#local, this.#onPiece] = [reader, local, onPiece];
  }

  /** Reads a range. */
  async read(start: number, end: number): Promise<Uint8Array> {
    const first = this.#start;
    const last = first + this.#bytes.length;
    if (start < first || end > last) {
      if (this.#local && start >= first && start - last <= FAR) await this.#take(this.#guess(start, Math.max(end, start + PIECE)), start, end);
      // A search for an end walks backwards.
      else if (this.#local && start < first && first - end <= FAR) await this.#take(this.#guess(Math.max(0, Math.min(start, end - PIECE)), end), start, end);
      else await this.#jump(start, end);
      this.#onPiece(start);
    }
    return this.#bytes.subarray(start - this.#start, end - this.#start);
  }

  async #read(start: number, end: number): Promise<Uint8Array> {
    this.#underWay++;
    try {
      return await this.#reader.read({ start, end: Math.min(this.#reader.size, end) });
    } finally {
      this.#underWay--;
    }
  }

  #guess(start: number, end: number): Guess {
    const bytes = this.#read(start, end);
    // It may never be awaited.
    bytes.catch(() => undefined);
    return { start, bytes };
  }

  /** Takes a guess as the current piece. If it failed, reads the needed range alone. */
  async #take(piece: Guess, start: number, end: number): Promise<void> {
    try {
      [this.#bytes, this.#start] = [await piece.bytes, piece.start];
    } catch {
      [this.#bytes, this.#start] = [await this.#read(start, end), start];
    }
  }

  /** Reads far from the last piece. If the stride is steady, also starts the next reads. */
  async #jump(start: number, end: number): Promise<void> {
    const stride = start - this.#start;
    const steady = !this.#local && stride === this.#stride && stride > 0;
    this.#stride = stride;
    if (!steady) this.#ahead.clear();
    const known = end - start <= REMOTE_PIECE ? this.#ahead.get(start) : undefined;
    this.#ahead.delete(start);
    const piece = known ?? this.#guess(start, Math.max(end, start + REMOTE_PIECE));
    for (let at = start + stride; steady && at < Math.min(this.#reader.size, start + AHEAD * stride); at += stride) {
      if (!this.#ahead.has(at) && this.#underWay < AHEAD) this.#ahead.set(at, this.#guess(at, at + REMOTE_PIECE));
    }
    await this.#take(piece, start, end);
  }
}
