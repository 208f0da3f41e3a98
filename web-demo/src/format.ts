// Numbers and names for people.
import * as Name from 'unspool/names';

const integers = new Intl.NumberFormat('en');

export function count(n: number): string {
  return integers.format(n);
}

const UNITS = ['KB', 'MB', 'GB', 'TB', 'PB', 'EB'];

export function bytes(n: number): string {
  // A part may end within a byte.
  if (n < 10_000) return `${count(n < 10 ? Math.round(10 * n) / 10 : Math.round(n))} ${n === 1 ? 'byte' : 'bytes'}`;
  let [size, unit] = [n / 1000, 0];
  // What is rounded up to a thousand is one of the next unit.
  for (; size >= 999.5 && unit < UNITS.length - 1; unit++) size /= 1000;
  return `${size.toPrecision(3)} ${UNITS[unit]}`;
}

/** How many bytes that many bits are, or how many bits where they are no whole byte and few. */
export function bits(n: number): string {
  return n % 8 === 0 || n >= 1000 ? bytes(Math.round(n / 8)) : plural(n, 'bit');
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (100 * part) / whole : 0;
  if (share > 0 && share < 0.1) return '< 0.1 %';
  // All of it is said only where it is all of it.
  return share < 10 || (share > 99 && share < 100) ? `${Math.min(99.9, share).toFixed(1)} %` : `${share.toFixed(0)} %`;
}

/** A value in a dozen characters or so. What is no integer never looks like one. */
export function value(n: number | bigint): string {
  if (typeof n === 'bigint' || (Number.isInteger(n) && Math.abs(n) < 1e15)) return Object.is(n, -0) ? '-0' : String(n);
  if (!Number.isFinite(n)) return String(n);
  const size = Math.abs(n);
  if (size < 1e-4 || size >= 1e12) return n.toExponential(3);
  // Five digits, or as many as it takes to one behind the point.
  return n.toFixed(Math.max(1, 4 - Math.floor(Math.log10(size)))).replace(/(\.\d+?)0+$/, '$1');
}

/** A value with all of its digits. */
export function exact(n: number | bigint): string {
  // Long integers end in zeros that are none of theirs where they are written as numbers; longer ones are written with an exponent.
  const long = Number.isInteger(n) && Math.abs(Number(n)) > Number.MAX_SAFE_INTEGER && Math.abs(Number(n)) < 1e21;
  return Object.is(n, -0) ? '-0' : String(long ? BigInt(n) : n);
}

/** What to call numbers in order: as `short` does, unless that calls two of them the same, which takes all of their digits to tell them apart. */
export function apart(numbers: readonly number[], short: (n: number) => string = value): (n: number) => string {
  const words = numbers.map((number) => short(number));
  return words.some((word, at) => word === words[at - 1]) ? exact : short;
}

/** All digits of a value, for those who point at it; nothing where it is shown with all of them. */
export function rest(n: number | bigint): string | undefined {
  return exact(n) === value(n) ? undefined : exact(n);
}

/** Groups whose number says how many things are in them. */
const COUNTS: ReadonlySet<number> = new Set([Name.Codes, Name.Literals, Name.Sequences, Name.Tokens]);

/** What tells a group from its siblings: a number, unless it counts what is in the group, or a word. */
export function whichOf(id: number, value: string): string {
  return /^\d+$/.test(value) && !COUNTS.has(id) ? `#${value}` : value;
}

/** What a field holds. */
export function heldBy(id: number, value: string): string {
  return id === Name.Token ? readable(value) : value;
}

/** Hexadecimal bytes as a quoted text, if they are one that can be read; else as they are. */
function readable(bytes: string): string {
  const letters = (bytes.match(/../g) ?? []).map((digits) => parseInt(digits, 16));
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(letters));
    return /^[^\p{C}]+$/u.test(text) ? `“${text}”` : bytes;
  } catch {
    return bytes;
  }
}

/** A text of several lines as one: what ends a line is a sign. */
export function inOneLine(text: string): string {
  return text.replace(/[\n\r\u2028\u2029]/g, (end) => (end === '\r' ? '␍' : '␤'));
}

export function hex(n: number, digits: number): string {
  return n.toString(16).padStart(digits, '0');
}

/** A half float out of its bits. */
export function half(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction > 0 ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** Why something went wrong, as the end of a sentence: some browsers and servers end theirs with a full stop, and some do not. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
