// Files that come with a Zstandard dictionary.
import type { Format } from 'unspool';
import { PROBED } from './remote';

/** Files dropped or picked together: the file to show, and its possible dictionary. */
export interface Sorted {
  readonly file: File | undefined;
  /** The other files, in their order. */
  readonly others: readonly File[];
  /** A trained dictionary, which has a magic number. */
  readonly dictionary?: File;
  /** A single other file in no known format: used as a dictionary if the file needs one. */
  readonly perhaps?: File;
}

export async function sortOut(files: readonly File[]): Promise<Sorted> {
  if (files.length < 2) return { file: files[0], others: [] };
  const kinds = await Promise.all(files.map(kindOf));
  const found = (...wanted: readonly Kind[]): File | undefined => files[kinds.findIndex((kind) => wanted.includes(kind))];
  const [frame, trained] = [found('zstd'), found('dictionary')];
  const file = frame ?? files[kinds.findIndex((kind) => kind !== undefined && kind !== 'dictionary')];
  const except = (...taken: readonly (File | undefined)[]): File[] => files.filter((file) => !taken.includes(file));
  if (trained !== undefined && file !== undefined) return { file, dictionary: trained, others: except(file, trained) };
  if (files.length === 2 && frame !== undefined) {
    const perhaps = found('unknown');
    if (perhaps !== undefined) return { file: frame, perhaps, others: except(frame) };
  }
  // An unreadable file is shown first only if there is no other.
  const first = files[kinds.findIndex((kind) => kind !== undefined)] ?? files[0];
  return { file: first, others: except(first) };
}

/** Tests for the magic number of a dictionary. */
export async function isDictionary(file: Blob): Promise<boolean> {
  const head = await start(file);
  return head !== undefined && startsDictionary(head);
}

/** Returns the ID of a trained dictionary; others have none. */
export function idOf(dictionary: Uint8Array): number | undefined {
  if (dictionary.length < 8 || !startsDictionary(dictionary)) return undefined;
  return new DataView(dictionary.buffer, dictionary.byteOffset).getUint32(4, true);
}

/** Tests whether two files are in the same known format. */
export async function areAlike(one: Blob, other: Blob): Promise<boolean> {
  const [first, second] = await Promise.all([kindOf(one), kindOf(other)]);
  return first !== undefined && first !== 'unknown' && first === second;
}

/** The format of a file. All flavours of Zstandard are one. */
type Kind = Format | 'dictionary' | 'unknown' | undefined;

function startsDictionary(bytes: Uint8Array): boolean {
  return [0x37, 0xa4, 0x30, 0xec].every((byte, at) => bytes[at] === byte);
}

/** Detects the kind of a file; `undefined` if it cannot be read. */
async function kindOf(file: Blob): Promise<Kind> {
  const head = await start(file);
  if (head === undefined) return undefined;
  if (startsDictionary(head)) return 'dictionary';
  // Few visitors open several files at once. If the code cannot be loaded, each has its tab.
  const probed = import('unspool').then(({ probe }) => probe(head).format);
  const format = (await probed.catch(() => undefined)) ?? 'unknown';
  return format.startsWith('zstd') ? 'zstd' : format;
}

/** Returns the first bytes of a file, enough to detect it; `undefined` if it cannot be read. */
async function start(file: Blob): Promise<Uint8Array | undefined> {
  try {
    // The size of a folder may be 0, and reading no bytes always succeeds.
    const head = file.size > PROBED ? file.slice(0, PROBED) : file;
    return new Uint8Array(await head.arrayBuffer());
  } catch {
    return undefined;
  }
}

/**
 * Tests whether a file can be read: a dropped folder looks like a file, and a file may be deleted
 * or changed.
 */
export async function canBeRead(file: Blob): Promise<boolean> {
  return (await start(file)) !== undefined;
}
