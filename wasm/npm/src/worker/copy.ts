// Copies memory without blocking the thread.
import { isDetached } from '../bytes.js';
import { pauses, restByTimer } from './pause.js';

/** Bytes between two looks at the clock. */
const PIECE = 2 ** 18;
/** Milliseconds of copying between two pauses. New memory makes a piece take some, too. */
const SLICE = 2;

/** Copies bytes, with pauses if they are many. */
export async function copyInPieces(from: Uint8Array, to: Uint8Array): Promise<void> {
  const pause = pauses(restByTimer, SLICE);
  for (let at = 0; at < from.length; at += PIECE) {
    if (at > 0) await pause();
    // It may have been transferred meanwhile.
    if (isDetached(from.buffer) || isDetached(to.buffer)) throw new TypeError('the memory was transferred before it was copied');
    to.set(from.subarray(at, at + PIECE), at);
  }
}

/** Returns a copy of bytes. */
export async function copyOf(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(bytes.length);
  await copyInPieces(bytes, copy);
  return copy;
}

/**
 * Returns options with copies of all arrays in them: cloning a view would clone its whole buffer.
 */
export function withOwnArrays<T>(value: T): T {
  if (ArrayBuffer.isView(value)) return new Uint8Array(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)) as T;
  if (Array.isArray(value)) return value.map((part: unknown) => withOwnArrays(part)) as T;
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withOwnArrays(part)])) as T;
}
