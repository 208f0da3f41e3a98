// Formats numbers and text for people.
import type { SourceError } from 'unspool';

const integers = new Intl.NumberFormat('en');

export function count(n: number): string {
  return integers.format(n);
}

const UNITS = ['KB', 'MB', 'GB', 'TB', 'PB', 'EB'];

export function bytes(n: number): string {
  // A part may end within a byte.
  if (n < 10_000) return `${count(n < 10 ? Math.round(10 * n) / 10 : Math.round(n))} ${n === 1 ? 'byte' : 'bytes'}`;
  let [size, unit] = [n / 1000, 0];
  // A size that rounds up to 1,000 moves to the next unit.
  for (; size >= 999.5 && unit < UNITS.length - 1; unit++) size /= 1000;
  return `${size.toPrecision(3)} ${UNITS[unit]}`;
}

/** Formats bits as bytes, or as bits if they are few and not whole bytes. */
export function bits(n: number): string {
  return n % 8 === 0 || n >= 1000 ? bytes(Math.round(n / 8)) : plural(n, 'bit');
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (100 * part) / whole : 0;
  if (share > 0 && share < 0.1) return '< 0.1%';
  // Show 100% only if it is exact.
  return share < 10 || (share > 99 && share < 100) ? `${Math.min(99.9, share).toFixed(1)}%` : `${share.toFixed(0)}%`;
}

/** Formats a value in about a dozen characters. A non-integer never looks like an integer. */
export function value(n: number | bigint): string {
  if (typeof n === 'bigint' || (Number.isInteger(n) && Math.abs(n) < 1e15)) return Object.is(n, -0) ? '-0' : String(n);
  if (!Number.isFinite(n)) return String(n);
  const size = Math.abs(n);
  if (size < 1e-4 || size >= 1e12) return n.toExponential(3);
  // Five digits, or enough for one decimal.
  return n.toFixed(Math.max(1, 4 - Math.floor(Math.log10(size)))).replace(/(\.\d+?)0+$/, '$1');
}

/** Formats a value with all digits. */
export function exact(n: number | bigint): string {
  // Large integers need all their digits; still larger ones are written with an exponent.
  const long = Number.isInteger(n) && Math.abs(Number(n)) > Number.MAX_SAFE_INTEGER && Math.abs(Number(n)) < 1e21;
  return Object.is(n, -0) ? '-0' : String(long ? BigInt(n) : n);
}

/**
 * Returns `short`, unless it formats two of the numbers alike; then a formatter with all digits.
 */
export function apart(numbers: readonly number[], short: (n: number) => string = value): (n: number) => string {
  const words = numbers.map((number) => short(number));
  return words.some((word, at) => word === words[at - 1]) ? exact : short;
}

/** Returns all digits of a value as a tooltip; `undefined` if it is shown with all of them. */
export function rest(n: number | bigint): string | undefined {
  return exact(n) === value(n) ? undefined : exact(n);
}

/** Scripts whose spelling needs joiners between letters. */
const JOINED = `[${['Arab', 'Syrc', 'Mong', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh'].map((script) => `\\p{Script=${script}}`).join('')}]`;

/** Format letters that are kept. */
const KEPT = [
  // Signs in front of a number, which are shown.
  String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`,
  `(?<=${JOINED})[\\u200c\\u200d](?=${JOINED})`,
  // Joiners of emoji, which may have a colour.
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
];

/** Letters that change how others are shown, or are not shown themselves. */
const UNSEEN = new RegExp(String.raw`[\p{Cc}\p{Cf}](?<!${KEPT.join('|')})`, 'gu');

/**
 * Shows control characters as symbols, and the marks that turn text round by their numbers: a name
 * must not look like another one.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : code === 0x7f ? '␡' : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** The same, but keeps the lines of a text. */
export function visibleText(text: string): string {
  return text.replace(/[^\n\r\t]+/g, visible);
}

/** Joins the lines of a text with a symbol for line breaks. */
export function inOneLine(text: string): string {
  return visible(text.replace(/[\n\u2028\u2029]/g, '␤'));
}

export function hex(n: number, digits: number): string {
  return n.toString(16).padStart(digits, '0');
}

/** Converts the bits of a half float to a number. */
export function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction > 0 ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** Returns the message of an error; of a server, without the address, which the page shows. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? ((error as Partial<SourceError>).reason ?? error.message) : String(error);
}

/** Returns the message of an error without a final full stop, to end a sentence. */
export function reasonOf(error: unknown): string {
  return messageOf(error).replace(/\.$/, '');
}
