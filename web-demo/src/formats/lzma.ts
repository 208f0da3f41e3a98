import { decodeLzma, lzmaStream } from 'unspool/lzma/separate';
import { checkStream } from './check';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, WHOLE, wholeOrStart } from './start';

const stream = (): ReturnType<typeof lzmaStream> => lzmaStream();

export const lzma: Door = {
  stream: async () => stream(),
  check: (file, _, tell) => checkStream(file, stream(), tell),
  openLarge: async (file, head) => largeStart(await head(), file, stream),
  open: (bytes) => wholeOrStart(bytes, () => contentOf(decodeLzma(bytes, { limits: WHOLE })), stream),
};
