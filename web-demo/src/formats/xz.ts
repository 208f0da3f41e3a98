import { decodeXz, xzStream } from 'unspool';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, WHOLE, wholeOrStart } from './start';

export const xz: Door = {
  outlined: { read: 'headers', remote: true },
  openLarge: async (source, head) => largeStart(await head(), source, () => xzStream()),
  open: (bytes) => wholeOrStart(bytes, () => contentOf(decodeXz(bytes, { limits: WHOLE })), () => xzStream()),
};
