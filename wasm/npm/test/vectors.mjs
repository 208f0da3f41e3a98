// The vectors of the repository, shared with every other build of the decoders.
import { readFileSync } from 'node:fs';

const root = new URL('../../../tests/', import.meta.url);
const folder = new URL('vectors/cvc/', root);

export const read = (path) => new Uint8Array(readFileSync(new URL(path, folder)));
export const text = (path) => readFileSync(new URL(path, root), 'utf8');

export const valid = JSON.parse(readFileSync(new URL('manifest.json', folder), 'utf8')).entries;
export const bad = JSON.parse(readFileSync(new URL('bad/manifest.json', folder), 'utf8')).variants;

/** Returns the columns of a valid vector, with their expected bytes. */
export function expected(entry) {
  if (entry.kind === 'single') {
    return [{ name: '', dtype: 'float32', shape: entry.expected.shape, bytes: read(entry.expected.file) }];
  }
  return entry.columns.map(({ name, expected }) => ({
    name,
    dtype: expected.dtype ?? 'float32',
    shape: expected.shape,
    bytes: read(expected.file),
  }));
}

/** Returns the bytes of a typed array. */
export const bytesOf = (data) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** Waits until all promises that can settle by themselves have settled. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
