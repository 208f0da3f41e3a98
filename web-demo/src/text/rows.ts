// Rows of content: lines, or records of CSV. An index of one entry per 64 KiB finds any of them.
import type { Content } from '../arrive/remote';
import { lastAtMost } from '../trace/tracer';

/** Bytes of content per entry of the index. */
export const STRIDE = 2 ** 16;

const [LINE_FEED, RETURN, QUOTE] = [10, 13, 34];
/** Places in a record of CSV. A line break within quotes does not end it. */
const [FIELD_START, PLAIN, QUOTED, AFTER_QUOTE] = [0, 1, 2, 3];

/**
 * Calls `end` with the place of each line feed that ends a row, until it returns `true`. Returns
 * the state after the bytes. Without a delimiter, each line is a row, and the state is 0.
 */
export function eachEnd(bytes: Uint8Array, state: number, delimiter: number | undefined, end: (at: number) => boolean): number {
  if (delimiter === undefined || (state < QUOTED && !bytes.includes(QUOTE))) {
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) if (end(at)) return FIELD_START;
    const last = bytes.at(-1);
    if (delimiter === undefined || last === LINE_FEED || last === delimiter) return FIELD_START;
    return last === undefined ? state : PLAIN;
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (state === QUOTED) {
      if (byte === QUOTE) state = AFTER_QUOTE;
    } else if (byte === LINE_FEED) {
      state = FIELD_START;
      if (end(at)) return state;
    } else if (byte === delimiter) {
      state = FIELD_START;
    } else if (byte === QUOTE && state !== PLAIN) {
      state = QUOTED;
    } else {
      state = PLAIN;
    }
  }
  return state;
}

/** Splits a record of CSV into its fields, as `eachEnd` reads them. */
export function fieldsOf(record: string, delimiter: string): string[] {
  const fields: string[] = [];
  for (let at = 0; ; at++) {
    let field = '';
    // Two quotes within quotes are one.
    while (record[at] === '"') {
      const close = record.indexOf('"', at + 1);
      const end = close < 0 ? record.length : close;
      field += record.slice(at + 1, end);
      at = end + 1;
      if (record[at] === '"') field += '"';
    }
    const end = record.indexOf(delimiter, at);
    fields.push(field + record.slice(at, end < 0 ? record.length : end));
    if (end < 0) return fields;
    at = end;
  }
}

/** Finds rows of content by their number, and the row of a byte. */
export class RowIndex {
  /** Rows that end before each stride, and the state there. */
  readonly #before: number[] = [];
  readonly #states: number[] = [];
  #ended = 0;
  #state = FIELD_START;
  /** Start of the row that has not ended. */
  #open = 0;
  #size = 0;

  /** Without a delimiter, rows are lines. */
  constructor(readonly delimiter?: number) {}

  /** Number of rows. Nothing follows the line feed at the end of the content. */
  get rows(): number {
    return this.#ended + (this.#open < this.#size ? 1 : 0);
  }

  /** Adds the next bytes of the content. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const within = this.#size % STRIDE;
      if (within === 0) {
        this.#before.push(this.#ended);
        this.#states.push(this.#state);
      }
      const part = bytes.subarray(at, at + STRIDE - within);
      this.#state = eachEnd(part, this.#state, this.delimiter, (place) => {
        this.#ended++;
        this.#open = this.#size + place + 1;
        return false;
      });
      at += part.length;
      this.#size += part.length;
    }
  }

  /** Returns the first byte of each row from `first` to before `after`, and the end of the last. */
  async bounds(content: Content, first: number, after: number): Promise<number[]> {
    const bounds = first === 0 ? [0] : [];
    /** The next row whose end is wanted. */
    let next = Math.max(0, first - 1);
    while (bounds.length <= after - first) {
      if (next >= this.#ended) {
        bounds.push(this.#size);
        break;
      }
      const stride = lastAtMost(this.#before, next);
      let row = this.#before[stride] ?? 0;
      eachEnd(await this.#stride(content, stride), this.#states[stride] ?? 0, this.delimiter, (at) => {
        if (row++ < next) return false;
        next = row;
        return bounds.push(stride * STRIDE + at + 1) > after - first;
      });
    }
    return bounds;
  }

  /** Returns the row of a byte. */
  async rowOf(content: Content, byte: number): Promise<number> {
    const stride = Math.floor(byte / STRIDE);
    let row = this.#before[stride] ?? 0;
    eachEnd((await this.#stride(content, stride)).subarray(0, byte % STRIDE), this.#states[stride] ?? 0, this.delimiter, () => {
      row++;
      return false;
    });
    return Math.max(0, Math.min(row, this.rows - 1));
  }

  async #stride(content: Content, stride: number): Promise<Uint8Array> {
    return new Uint8Array(await content.slice(stride * STRIDE, Math.min(this.#size, (stride + 1) * STRIDE)).arrayBuffer());
  }
}

/** Removes the line end from the bytes of a row. */
export function withoutEnd(bytes: Uint8Array): Uint8Array {
  const end = bytes.at(-1) === LINE_FEED ? -1 : bytes.length;
  const row = bytes.subarray(0, end);
  return row.at(-1) === RETURN && end < 0 ? row.subarray(0, -1) : row;
}
