import { decodeLzma, lzmaStream } from 'unspool/lzma/separate';
import { checkStream } from './check';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, WHOLE, wholeOrStart } from './start';

const stream = (): ReturnType<typeof lzmaStream> => lzmaStream();

export const lzma: Door = {
  stream: async () => stream(),
  check: (content, _, tell) => checkStream(content, stream(), tell),
  openLarge: async (source, head) => largeStart(await head(), source, stream),
  open: (bytes) => wholeOrStart(bytes, () => contentOf(decodeLzma(bytes, { limits: WHOLE })), stream),
};
