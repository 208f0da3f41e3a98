// A wasm module as text for a string literal. Bundlers leave it unchanged, and it gzips as small as
// the module: a byte is one letter, or two if it is rare. Base64 would split bytes and cost a third
// more.

/** The letters that need no escape in a string. */
const LETTERS = Array.from({ length: 95 }, (_, index) => String.fromCharCode(index + 32)).filter((letter) => !'"$\'<\\`'.includes(letter));

/** Number of letters that start a pair. */
const FIRSTS = 2;
const SINGLE = LETTERS.length - FIRSTS;

/** Length of the prefix: all bytes in hexadecimal, the most frequent first. */
const ORDER = 512;

/** Converts bytes to text. */
export function textOf(bytes: Uint8Array): string {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte]! += 1;
  const order = Array.from(counts.keys()).sort((a, b) => counts[b]! - counts[a]! || a - b);
  const codes: string[] = [];
  order.forEach((byte, rank) => {
    const rare = rank - SINGLE;
    codes[byte] = rare < 0 ? LETTERS[FIRSTS + rank]! : LETTERS[Math.floor(rare / LETTERS.length)]! + LETTERS[rare % LETTERS.length]!;
  });
  return order.map((byte) => byte.toString(16).padStart(2, '0')).join('') + Array.from(bytes, (byte) => codes[byte]).join('');
}

/** Converts text to bytes. */
export function bytesOfText(text: string): Uint8Array {
  const places = new Uint8Array(128);
  LETTERS.forEach((letter, place) => (places[letter.charCodeAt(0)] = place));
  const order = Uint8Array.from({ length: 256 }, (_, rank) => parseInt(text.slice(2 * rank, 2 * rank + 2), 16));
  const bytes = new Uint8Array(text.length);
  let length = 0;
  for (let at = ORDER; at < text.length; at += 1) {
    const place = places[text.charCodeAt(at)]!;
    const rank = place < FIRSTS ? SINGLE + place * LETTERS.length + places[text.charCodeAt((at += 1))]! : place - FIRSTS;
    bytes[length++] = order[rank]!;
  }
  return bytes.slice(0, length);
}
