// A file that comes with its Zstandard dictionary.

/** Of what was dropped or picked at once, the file, and the dictionary that came along: a trained one says so, any other stands beside a Zstandard file. */
export async function sortOut(files: readonly File[]): Promise<[file: File | undefined, dictionary: File | undefined]> {
  const [first, second] = files;
  if (first === undefined || second === undefined) return [first, undefined];
  const [one, other] = [await start(first), await start(second)];
  if (one === DICTIONARY || (other === FRAME && one !== FRAME)) return [second, first];
  return other === DICTIONARY || one === FRAME ? [first, second] : [first, undefined];
}

const [DICTIONARY, FRAME] = ['37a430ec', '28b52ffd'];

async function start(file: Blob): Promise<string> {
  return Array.from(new Uint8Array(await file.slice(0, 4).arrayBuffer()), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
