// UTF-8: which bytes form a character, and whether bytes are text at all.

/** Returns the bytes that follow a lead byte, and the bounds of the first of them. */
function afterLead(lead: number): readonly [length: number, low: number, high: number] | undefined {
  if (lead < 0x80) return [0, 0, 0];
  if (lead < 0xc2 || lead > 0xf4) return undefined;
  if (lead < 0xe0) return [1, 0x80, 0xbf];
  // Longer forms of short characters, halves of pairs and numbers above U+10FFFF are invalid.
  if (lead < 0xf0) return [2, lead === 0xe0 ? 0xa0 : 0x80, lead === 0xed ? 0x9f : 0xbf];
  return [3, lead === 0xf0 ? 0x90 : 0x80, lead === 0xf4 ? 0x8f : 0xbf];
}

/**
 * Returns the number of bytes that a decoder takes for one character: those of a valid one, or
 * those that it replaces by one U+FFFD.
 */
export function widthAt(bytes: Uint8Array, at: number): number {
  const [length, first, last] = afterLead(bytes[at] ?? 0) ?? [0, 0, 0];
  for (let [width, low, high] = [1, first, last]; width <= length; [width, low, high] = [width + 1, 0x80, 0xbf]) {
    const byte = bytes[at + width];
    if (byte === undefined || byte < low || byte > high) return width;
  }
  return length + 1;
}

/** Returns the number of bytes at the start that end a character of the content before. */
export function afterCut(bytes: Uint8Array): number {
  const first = bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return first < 0 ? Math.min(3, bytes.length) : first;
}

/** Removes the start of a character at the end. */
export function beforeCut(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const lead = bytes.at(-back) ?? 0;
    if ((lead & 0xc0) !== 0x80) return (afterLead(lead)?.[0] ?? 0) >= back ? bytes.subarray(0, -back) : bytes;
  }
  return bytes;
}

/** Finds the first byte of content that is not UTF-8. The content comes in pieces. */
export class Utf8Check {
  /** The first bad byte, or -1. */
  bad = -1;
  #size = 0;
  /** The character that the last piece cuts: its start, missing bytes, and bounds of the next. */
  #start = 0;
  #left = 0;
  #low = 0;
  #high = 0;

  add(bytes: Uint8Array): void {
    if (this.bad < 0) this.#check(bytes);
    this.#size += bytes.length;
  }

  #check(bytes: Uint8Array): void {
    const { length } = bytes;
    for (let at = 0; at < length; at++) {
      const byte = bytes[at] ?? 0;
      if (this.#left > 0) {
        if (byte < this.#low || byte > this.#high) return void (this.bad = this.#start);
        [this.#left, this.#low, this.#high] = [this.#left - 1, 0x80, 0xbf];
        continue;
      }
      if (byte < 0x80) {
        // Most text is ASCII, and a short loop skips it fastest.
        while (at + 1 < length && (bytes[at + 1] as number) < 0x80) at++;
        continue;
      }
      const follows = afterLead(byte);
      this.#start = this.#size + at;
      if (follows === undefined) return void (this.bad = this.#start);
      [this.#left, this.#low, this.#high] = follows;
    }
  }

  /** Returns the first bad byte, or -1. A character that the end cuts is bad, unless allowed. */
  end(mayCut: boolean): number {
    return this.bad < 0 && this.#left > 0 && !mayCut ? this.#start : this.bad;
  }
}

/** The encoding of content; only UTF-8 is shown as text. */
export type Encoding = 'utf-8' | 'utf-16' | 'binary';

/** Control characters that no text has. Logs have escapes for colours, and old pages form feeds. */
const CONTROL = /[^\P{Cc}\t\n\r\b\f\v\x1b\x80-\x9f]/u;
/** Bytes that show whether every other one is zero. */
const FEW = 4096;

/** Detects the encoding by the first bytes of content. `isCut` says that more bytes follow. */
export function encodingOf(start: Uint8Array, isCut: boolean): Encoding {
  const [first, second] = start;
  const zeros = [0, 0];
  const few = Math.min(FEW, start.length);
  for (let at = 0; at < few; at++) if (start[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Most letters of most texts in UTF-16 have a zero on the same side.
  const sided = few >= 4 && Math.max(even, odd) > few / 4 && Math.min(even, odd) < few / 50;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || sided) return 'utf-16';
  const check = new Utf8Check();
  check.add(start);
  return check.end(isCut) < 0 && !CONTROL.test(new TextDecoder().decode(start)) ? 'utf-8' : 'binary';
}
