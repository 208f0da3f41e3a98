import { decodeZstd } from 'unspool';
import { bytes as size } from '../format';
import { contentOf } from './content';
import type { Door } from './door';

export const zstd: Door = {
  outlined: { read: 'headers', remote: false },
  open: (bytes, _, dictionary) =>
    dictionary === undefined ? contentOf(decodeZstd(bytes)) : contentOf(decodeZstd(bytes, { dictionary }), [['Dictionary', size(dictionary.length)]]),
};
