import { decodeXz, xzStream } from 'unspool';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, WHOLE, wholeOrStart } from './start';

export const xz: Door = {
  outlined: { read: 'headers', remote: true },
  openLarge: (source) => largeStart(source, () => xzStream()),
  open: (bytes) => wholeOrStart(bytes, () => contentOf(decodeXz(bytes, { limits: WHOLE })), () => xzStream()),
};
