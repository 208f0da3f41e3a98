// Letters of shown text, and the bytes of the content that they stand for.
import { inOneLine } from '../format';
import { lastAtMost } from '../trace/tracer';
import { widthAt } from './utf8';

/** A line as it is shown. */
export interface Letters {
  readonly shown: string;
  /** Place of each letter in what is shown, and its first byte; both also of the end. */
  readonly places: readonly number[];
  readonly bytes: readonly number[];
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decodes a line to show it, with its tabs. */
export function shownLine(line: Uint8Array): string {
  return utf8.decode(line).split('\t').map(inOneLine).join('\t');
}

/** Shows a line of UTF-8. Some letters are shown as several, such as those that turn text round. */
export function lettersOf(line: Uint8Array): Letters {
  let shown = '';
  const [places, bytes]: [number[], number[]] = [[], []];
  for (let at = 0, width = 0; at < line.length; at += width) {
    width = widthAt(line, at);
    places.push(shown.length);
    bytes.push(at);
    shown += shownLine(line.subarray(at, at + width));
  }
  return { shown, places: [...places, shown.length], bytes: [...bytes, line.length] };
}

/** Splits a line at the letters from one byte to another: before, between, and after. */
export function splitAt({ shown, places, bytes }: Letters, from: number, to: number): readonly [string, string, string] {
  const first = lastAtMost(bytes, from);
  const start = places[first] ?? 0;
  const after = bytes.findIndex((byte, at) => at > first && byte >= to);
  const end = places[after < 0 ? places.length - 1 : after] ?? 0;
  return [shown.slice(0, start), shown.slice(start, end), shown.slice(end)];
}

/** Returns the byte of a letter of what is shown; -1 before and after the line. */
export function byteAt({ places, bytes }: Letters, letter: number): number {
  const at = lastAtMost(places, letter);
  return at < 0 || at >= bytes.length - 1 ? -1 : (bytes[at] ?? -1);
}

/** Returns the place in the text of an element at a point of the screen, or -1. */
export function letterAt(element: HTMLElement, x: number, y: number): number {
  const position = document.caretPositionFromPoint?.(x, y);
  const [node, offset] = position ? [position.offsetNode, position.offset] : [undefined, 0];
  if (node === undefined || !element.contains(node)) return -1;
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(node, offset);
  const at = before.toString().length;
  // The caret is beside a letter: after it if its right half was clicked.
  before.setStart(node, offset);
  before.collapse(true);
  const caret = before.getBoundingClientRect();
  return caret.width === 0 && caret.left > x ? at - 1 : at;
}
