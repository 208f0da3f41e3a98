// A wasm module as text that a string literal of any bundler leaves as it is, and that gzip makes as small as the module: each
// byte is a letter, or two if it is rare, where base64 would cut bytes apart and cost a third more.

/** All letters that nobody escapes. */
const LETTERS = Array.from({ length: 95 }, (_, index) => String.fromCharCode(index + 32)).filter((letter) => !'"$\'<\\`'.includes(letter));

/** The first letters are each the first of two. */
const FIRSTS = 2;
const SINGLE = LETTERS.length - FIRSTS;

/** In front of all stands how the bytes are ordered, the most frequent first: in hexadecimal digits. */
const ORDER = 512;

/** Bytes to text. */
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

/** Text to bytes. */
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
