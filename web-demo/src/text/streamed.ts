// Decoded content that is too large to keep. Reading decodes from the start of a part, or goes on
// from the last place; a window before that place is kept.
import { UnspoolError, type DecodeStream } from 'unspool';
import type { Content } from '../arrive/remote';
import type { Progress, Tell } from '../tools/progress';
import { lastAtMost } from '../trace/tracer';
import { text as words } from '../words';
import type { Part } from './parts';

/** Compressed bytes read at a time, and decoded bytes to keep. */
const [AT_ONCE, KEPT] = [2 ** 22, 2 ** 25];
/** Requests for rows that are finished: a table has at most two pieces in sight. */
const LATEST = 3;

/** How to decode parts. */
export interface Packed {
  readonly content: Content;
  readonly parts: readonly Part[];
  /** True if the end of a part is that of a stream, which is verified. */
  readonly ends: boolean;
  readonly decoder: () => Promise<DecodeStream>;
  /** Decoded bytes to keep, if not the usual number. */
  readonly kept?: number;
}

export class Streamed implements Content {
  /** Decoded size; infinite until all was read once. */
  size = Infinity;
  /** The error that ends the content. */
  error: UnspoolError | undefined;
  /** First byte of each part that was reached. */
  readonly #starts: number[];
  #part = -1;
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  /** The window: pieces, their places, and the byte after the last. */
  #pieces: { readonly at: number; readonly bytes: Uint8Array }[] = [];
  #to = 0;
  /** Compressed bytes that were read. */
  #done = 0;
  /** Work for rows in sight that waits or runs, and the end of the last work. */
  #asked: AbortController[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly packed: Packed,
    /** Content that was read, to share where its parts start. */
    of?: Streamed,
  ) {
    this.#starts = of === undefined ? [0] : of.#starts;
    if (of !== undefined) [this.size, this.error] = [of.size, of.error];
  }

  /** Progress of reading forward. */
  get progress(): Progress {
    return { done: this.#done, total: this.packed.content.size };
  }

  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> } {
    return { arrayBuffer: () => this.read(start, end) };
  }

  /**
   * Runs work that reads, one at a time. Of work for rows in sight, only the latest is finished:
   * the other rows have been scrolled out of sight.
   */
  turn<T>(work: (content: Content) => Promise<T>, inSight: boolean, tell: Tell): Promise<T> {
    const gone = new AbortController();
    if (inSight) this.#asked.push(gone);
    if (this.#asked.length > LATEST) this.#asked.shift()?.abort(new Error(words.passed));
    const pause = (): Promise<void> => {
      gone.signal.throwIfAborted();
      return tell(this.progress);
    };
    const content = { size: this.size, slice: (start: number, end: number) => ({ arrayBuffer: () => this.read(start, end, pause) }) };
    const done = this.#last.then(() => {
      gone.signal.throwIfAborted();
      return work(content);
    });
    this.#last = done.catch(() => undefined).then(() => (this.#asked = this.#asked.filter((other) => other !== gone)));
    return done;
  }

  /** Reads a range. Ranges are read one at a time. Ends with an error of `pause`. */
  async read(start: number, end: number, pause?: () => Promise<void>): Promise<ArrayBuffer> {
    const part = lastAtMost(this.#starts, start);
    const isAfter = start >= (this.#pieces[0]?.at ?? this.#to);
    const isKept = isAfter && Math.min(end, this.size) <= this.#to;
    // Go on from the last place, unless a part starts nearer.
    if (!isKept && (!isAfter || this.#reader === undefined || part > this.#part)) await this.#open(part, this.#starts[part] ?? 0);
    while (this.#to < Math.min(end, this.size)) {
      await pause?.();
      await this.#more();
      this.#forget(start);
    }
    const found = new Uint8Array(Math.max(0, Math.min(end, this.#to) - start));
    for (const { at, bytes } of this.#pieces) {
      const [from, to] = [Math.max(start, at), Math.min(start + found.length, at + bytes.length)];
      if (from < to) found.set(bytes.subarray(from - at, to - at), from - start);
    }
    return found.buffer;
  }

  /** Drops the oldest pieces that end before a byte, if more than enough are kept. */
  #forget(before: number): void {
    const oldest = this.#to - (this.packed.kept ?? KEPT);
    while ((this.#pieces[1]?.at ?? Infinity) <= Math.min(before, oldest)) this.#pieces.shift();
  }

  /** Decodes the next piece. At the end of the content, sets its size. */
  async #more(): Promise<void> {
    let piece: Uint8Array | undefined;
    try {
      piece = (await this.#reader?.read())?.value;
    } catch (error) {
      this.#reader = undefined;
      if (!(error instanceof UnspoolError)) throw error;
      [this.error, this.size] = [error, this.#to];
      return;
    }
    if (piece !== undefined) {
      this.#pieces.push({ at: this.#to, bytes: piece });
      this.#to += piece.length;
    } else if (this.#part + 1 < this.packed.parts.length) {
      this.#starts[this.#part + 1] = this.#to;
      await this.#open(this.#part + 1, this.#to);
    } else {
      this.size = this.#to;
    }
  }

  /** Starts to decode a part. Keeps the window if the part follows it. */
  async #open(number: number, at: number): Promise<void> {
    const { content, parts, ends, decoder } = this.packed;
    const before = this.#reader;
    // Should a step below fail, the next read starts here again.
    this.#reader = undefined;
    await before?.cancel().catch(() => undefined);
    if (at !== this.#to) this.#pieces = [];
    [this.#part, this.#to] = [number, at];
    const { readable, writable } = await decoder();
    const reader = (this.#reader = readable.getReader());
    const writer = writable.getWriter();
    const { head, start, end } = parts[number] ?? { head: [0, 0], start: 0, end: 0 };
    const feed = async (from: number, to: number): Promise<void> => writer.write(new Uint8Array(await content.slice(from, to).arrayBuffer()));
    const all = async (): Promise<void> => {
      await feed(...head);
      for (let at = start; at < end; at += AT_ONCE) {
        await feed(at, Math.min(end, at + AT_ONCE));
        if (this.#reader === reader) this.#done = Math.min(end, at + AT_ONCE);
      }
      // The reader has read all by then.
      await (ends ? writer.close() : reader.cancel());
    };
    // The reader sees the error, too.
    all().catch((error: unknown) => writer.abort(error).catch(() => undefined));
  }
}
