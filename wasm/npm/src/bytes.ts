// Bytes in memory, as arguments and as outputs.

/** Bytes in memory. */
export type Bytes = Uint8Array | ArrayBuffer;

/** Checks that an argument is bytes, and returns a view of them. */
export function bytesOf(bytes: unknown, name = 'bytes'): Uint8Array {
  // The usual class first: asking an array for its name takes a tenth of the time of 256 numbers.
  const array = isArray(bytes);
  const known = array || isBuffer(bytes);
  if (known && !isDetached(array ? bytes.buffer : bytes)) {
    if (!array) return new Uint8Array(bytes);
    // A plain Uint8Array: a Node Buffer has a `slice` that does not copy.
    return Object.getPrototypeOf(bytes) === Uint8Array.prototype ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  throw new TypeError(known ? `${name}: the memory was transferred` : `${name} must be a Uint8Array or an ArrayBuffer, not ${described(bytes)}`);
}

/**
 * Tests for bytes. By name too, because bytes of another realm (a frame, a test runner) have
 * another class.
 */
export const isArray = (thing: unknown): thing is Uint8Array => thing instanceof Uint8Array || kindOf(thing) === 'Uint8Array';
/** Tests for an ArrayBuffer, by name too. */
export const isBuffer = (thing: unknown): thing is ArrayBuffer => thing instanceof ArrayBuffer || kindOf(thing) === 'ArrayBuffer';

/** Returns the name of a class, such as `Uint8Array` or `Blob`. */
export const kindOf = (thing: unknown): string => Object.prototype.toString.call(thing).slice('[object '.length, -1);

/** Tests whether a buffer was transferred. */
export function isDetached(buffer: ArrayBufferLike): boolean {
  if (buffer.byteLength > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

/** Describes a wrong argument, and how to get bytes from it. */
export function described(thing: unknown): string {
  if (thing === null || typeof thing === 'undefined') return String(thing);
  if (typeof thing !== 'object') return `a ${typeof thing}`;
  const name = kindOf(thing);
  const hint =
    /^(Blob|File|Response)$/.test(name) ? `; pass await ${name.toLowerCase()}.arrayBuffer()`
    : name === 'Promise' ? '; await it first'
    : name === 'SharedArrayBuffer' ? '; pass new Uint8Array(it)'
    : ArrayBuffer.isView(thing) ? '; pass new Uint8Array(it.buffer, it.byteOffset, it.byteLength)'
    : '';
  return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}${hint}`;
}
