import { decodeXz, xzStream } from 'unspool';
import { contentOf } from './content';
import type { Door } from './door';
import { wholeOrStart } from './start';

export const xz: Door = {
  outlined: { read: 'headers', remote: true },
  open: (bytes) => wholeOrStart(bytes, () => contentOf(decodeXz(bytes)), () => xzStream()),
};
