// A file that comes with its Zstandard dictionary.

/** Of what was dropped or picked at once, the file, and the dictionary that came along: a trained one says so, any other stands beside a Zstandard file. */
export async function sortOut(files: readonly File[]): Promise<[file: File | undefined, dictionary: File | undefined]> {
  const [first, second] = files;
  if (first === undefined || second === undefined) return [first, undefined];
  const [one, other] = [await start(first), await start(second)];
  if (one === DICTIONARY || (other === FRAME && one !== FRAME)) return [second, first];
  return other === DICTIONARY || one === FRAME ? [first, second] : [first, undefined];
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

const [DICTIONARY, FRAME] = ['37a430ec', '28b52ffd'];

async function start(file: Blob): Promise<string> {
  return hexOf(new Uint8Array(await file.slice(0, 4).arrayBuffer()));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
