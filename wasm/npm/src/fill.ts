// Fills arrays of the caller.
import { isDetached } from './bytes.js';
import { refuse, UnspoolError } from './error.js';

/**
 * Fills an array of any type as bytes. Returns the number of elements written, and converts `need`
 * in errors to elements. Refuses bytes that do not fill whole elements.
 */
export function fillBytes(to: unknown, fill: (out: Uint8Array) => number): number {
  if (!ArrayBuffer.isView(to) || to instanceof DataView) throw new TypeError('the output must be a typed array');
  if (isDetached(to.buffer)) throw new TypeError('the memory of the output was transferred');
  const size = (to as Uint8Array).BYTES_PER_ELEMENT;
  try {
    const written = fill(to instanceof Uint8Array ? to : new Uint8Array(to.buffer, to.byteOffset, to.byteLength));
    if (written % size !== 0) throw refuse('WrongType', 0, 0, `${written} bytes are not whole elements of ${size} bytes`);
    return written / size;
  } catch (error) {
    if (!(error instanceof UnspoolError) || error.class !== 'OutputTooSmall') throw error;
    throw new UnspoolError(error.code, { offset: error.offset, need: Math.ceil(error.need / size) });
  }
}
