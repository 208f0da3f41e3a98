import type { DecodeStream } from 'unspool';
import { decodeXz } from 'unspool/xz/separate';
import { checkStream } from './check';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, WHOLE, wholeOrStart } from './start';

const stream = async (): Promise<DecodeStream> => (await import('unspool/xz-stream')).xzStream();

export const xz: Door = {
  stream,
  outlined: { read: 'headers', remote: true },
  check: async (file, _, tell) => checkStream(file, await stream(), tell),
  openLarge: async (file, head) => largeStart(await head(), file, stream),
  open: (bytes) => wholeOrStart(bytes, () => contentOf(decodeXz(bytes, { limits: WHOLE })), stream),
};
