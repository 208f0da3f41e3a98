// Decodes any format, with the loader of this thread.
import { type Bytes, bytesOf } from './bytes.js';
import type { CvcData } from './cvc.js';
import type { Decoded, DecodedBytes, DecodeOptions } from './decode.js';
import type { Door } from './doors/door.js';
import { undetected } from './formats.js';
import type { PcoData } from './pco.js';
import { type Format, probe } from './probe.js';

/** Loads the functions of a format, and its module. */
export type LoadFormat = (format: Format) => Promise<Door>;

/** Decodes everything. */
export async function decodeWith(load: LoadFormat, bytes: Bytes, options: DecodeOptions): Promise<Decoded> {
  const view = bytesOf(bytes);
  const format = formatOf(view);
  const door = await prepared(load, format, options);
  const decoded = { format, ...(await door.decode(view, options)) } as Decoded;
  if (decoded.format !== 'gzip') return decoded;
  return isWrapped(decoded.bytes) ? decodeWith(load, decoded.bytes, options) : decoded;
}

/** Decodes to the start of `to`. Returns the number of elements written. */
export async function decodeIntoWith(load: LoadFormat, bytes: Bytes, to: CvcData<ArrayBufferLike> | PcoData<ArrayBufferLike>, options: DecodeOptions): Promise<number> {
  const view = bytesOf(bytes);
  const format = formatOf(view);
  const door = await prepared(load, format, options);
  if (format !== 'gzip') return door.into(view, to as never, options);
  const { bytes: content } = (await door.decode(view, options)) as DecodedBytes;
  return isWrapped(content) ? decodeIntoWith(load, content, to, options) : door.into(content, to as never, options);
}

/** Returns `true` if the content of a gzip file is itself in a known format. */
export function isWrapped(content: Uint8Array): boolean {
  const { format } = probe(content);
  return format !== undefined && format !== 'gzip';
}

/** Loads a format, and checks the options. */
async function prepared(load: LoadFormat, format: Format, options: DecodeOptions): Promise<Door> {
  // They are not checked yet.
  (options as DecodeOptions | null)?.signal?.throwIfAborted();
  const door = await load(format);
  door.check(options);
  options.signal?.throwIfAborted();
  return door;
}

/** Returns the format of a file, or throws. */
export function formatOf(bytes: Uint8Array): Format {
  const found = probe(bytes);
  if (found.format === undefined) throw undetected(found, bytes.length);
  return found.format;
}
