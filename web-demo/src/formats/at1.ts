import { decodeAt1Files } from 'unspool';
import { count } from '../format';
import { contentOf } from './content';
import type { Door } from './door';

export const at1: Door = {
  open(bytes) {
    const files = decodeAt1Files(bytes);
    const [only, ...others] = files;
    if (only !== undefined && only.name === '' && others.length === 0) return contentOf(only.bytes);
    // A bundle is shown as one file behind the other.
    return contentOf(joined(files.map(({ bytes }) => bytes)), [['Files', `${count(files.length)}: ${files.map(({ name }) => name).join(', ')}`]]);
  },
};

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
