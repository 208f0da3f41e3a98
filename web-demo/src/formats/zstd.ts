import type { DecodeStream } from 'unspool';
import { decodeZstd, zstdFormat, type ZstdDecodeOptions } from 'unspool/zstd/separate';
import { bytes as size } from '../format';
import { checkStream } from './check';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, WHOLE, wholeOrStart } from './start';
import { facts as words } from '../words';

const stream = async (options?: ZstdDecodeOptions): Promise<DecodeStream> => (await import('unspool/zstd-stream')).zstdStream(options);

export const zstd: Door = {
  stream: (dictionary, format) => stream({ dictionary, format }),
  outlined: { read: 'headers', remote: false },
  check: async (file, dictionary, tell) => checkStream(file, await stream(dictionary && { dictionary }), tell),
  // A stream cannot look ahead, so a draft file is not detected if it is large.
  openLarge: async (file, head, dictionary) => largeStart(await head(), file, () => stream(dictionary && { dictionary })),
  async open(bytes, _, dictionary) {
    const format = zstdFormat(bytes);
    const options: ZstdDecodeOptions = { format, ...(dictionary && { dictionary }) };
    const facts: [string, string][] = dictionary === undefined ? [] : [[words.dictionary, size(dictionary.length)]];
    const opened = await wholeOrStart(bytes, () => contentOf(decodeZstd(bytes, { ...options, limits: WHOLE }), facts), () => stream(options));
    return { ...opened, summary: { ...opened.summary, zstd: format } };
  },
};
