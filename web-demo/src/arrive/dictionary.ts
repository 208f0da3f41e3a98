// A file that comes with its Zstandard dictionary.

/** Of what was dropped or picked at once: the file to show, and what may be its dictionary. */
export interface Sorted {
  readonly file: File | undefined;
  /** The dictionary that came along: a trained one, which says that it is one. */
  readonly dictionary?: File;
  /** What stands alone beside a Zstandard file, and is no file of another format: a dictionary too, if the file cannot be decoded without one. */
  readonly perhaps?: File;
}

export async function sortOut(files: readonly File[]): Promise<Sorted> {
  const starts = await Promise.all(files.map(start));
  const found = (wanted: (start: string) => boolean): File | undefined => files[starts.findIndex((start) => start !== undefined && wanted(start))];
  const [frame, trained] = [found((start) => FRAME.test(start)), found((start) => start === DICTIONARY)];
  const file = frame ?? found((start) => start !== DICTIONARY);
  if (trained !== undefined) return file === undefined ? { file: trained } : { file, dictionary: trained };
  if (files.length === 2 && frame !== undefined) {
    const perhaps = found((start) => !FRAME.test(start) && !OTHER.test(start));
    if (perhaps !== undefined) return { file: frame, perhaps };
  }
  // What cannot be read is shown as that only if there is nothing else.
  return { file: found(() => true) ?? files[0] };
}

/** Whether a file says of itself that it is a dictionary. */
export async function isDictionary(file: Blob): Promise<boolean> {
  return (await start(file)) === DICTIONARY;
}

/** The number that frames call a trained dictionary by; any other has none. */
export function idOf(dictionary: Uint8Array): number | undefined {
  if (dictionary.length < 8 || hexOf(dictionary.subarray(0, 4)) !== DICTIONARY) return undefined;
  return new DataView(dictionary.buffer, dictionary.byteOffset).getUint32(4, true);
}

const DICTIONARY = '37a430ec';
/** How files of Zstandard begin, of all three kinds, and frames to be skipped. */
const FRAME = /^(2[78]b52ffd|5.2a4d18)/;
/** How files of the other formats begin: xz, Pco, OnPair, CVC, AT-1, gzip. */
const OTHER = /^(fd377a58|70636f21|4f4e5041|43564346|4154310[23]|1f8b08)/;

/** How a file begins; nothing of what cannot be read. */
async function start(file: Blob): Promise<string | undefined> {
  try {
    // The size of a folder may be 0, and no byte of nothing needs to be read.
    const head = file.size > 4 ? file.slice(0, 4) : file;
    return hexOf(new Uint8Array(await head.arrayBuffer()));
  } catch {
    return undefined;
  }
}

/** Whether a file can be read: a folder that was dropped looks like one, and one that was deleted meanwhile or has changed is gone. */
export async function canBeRead(file: Blob): Promise<boolean> {
  return (await start(file)) !== undefined;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
