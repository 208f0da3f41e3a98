// Files that come with a Zstandard dictionary.

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
  const starts = await Promise.all(files.map(start));
  const found = (wanted: (start: string) => boolean): File | undefined => files[starts.findIndex((start) => start !== undefined && wanted(start))];
  const [frame, trained] = [found((start) => FRAME.test(start)), found((start) => start === DICTIONARY)];
  const file = frame ?? found((start) => start !== DICTIONARY);
  const except = (...taken: readonly (File | undefined)[]): File[] => files.filter((file) => !taken.includes(file));
  if (trained !== undefined && file !== undefined) return { file, dictionary: trained, others: except(file, trained) };
  if (files.length === 2 && frame !== undefined) {
    const perhaps = found((start) => !FRAME.test(start) && !OTHER.test(start));
    if (perhaps !== undefined) return { file: frame, perhaps, others: except(frame) };
  }
  // An unreadable file is shown first only if there is no other.
  const first = found(() => true) ?? files[0];
  return { file: first, others: except(first) };
}

/** Tests for the magic number of a dictionary. */
export async function isDictionary(file: Blob): Promise<boolean> {
  return (await start(file)) === DICTIONARY;
}

/** Returns the ID of a trained dictionary; others have none. */
export function idOf(dictionary: Uint8Array): number | undefined {
  if (dictionary.length < 8 || hexOf(dictionary.subarray(0, 4)) !== DICTIONARY) return undefined;
  return new DataView(dictionary.buffer, dictionary.byteOffset).getUint32(4, true);
}

/** Tests whether two files are in the same known format. */
export async function areAlike(one: Blob, other: Blob): Promise<boolean> {
  const [first = '', second = ''] = await Promise.all([start(one), start(other)]);
  return (FRAME.test(first) && FRAME.test(second)) || (OTHER.test(first) && first.slice(0, 6) === second.slice(0, 6));
}

const DICTIONARY = '37a430ec';
/** Magic numbers of Zstandard frames of all flavours, and of skippable frames. */
const FRAME = /^(2[78]b52ffd|5.2a4d18)/;
/** Magic numbers of the other formats: xz, Pco, OnPair, CVC, AT-1, gzip. */
const OTHER = /^(fd377a58|70636f21|4f4e5041|43564346|4154310[23]|1f8b08)/;

/** Returns the first bytes of a file in hexadecimal; `undefined` if it cannot be read. */
async function start(file: Blob): Promise<string | undefined> {
  try {
    // The size of a folder may be 0, and reading no bytes always succeeds.
    const head = file.size > 4 ? file.slice(0, 4) : file;
    return hexOf(new Uint8Array(await head.arrayBuffer()));
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

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
