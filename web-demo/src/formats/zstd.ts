import { decodeZstd, zstdFormat, zstdStream, type ZstdDecodeOptions } from 'unspool';
import { bytes as size } from '../format';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, WHOLE, wholeOrStart } from './start';

export const zstd: Door = {
  outlined: { read: 'headers', remote: false },
  // A stream cannot look ahead, so a draft file is not detected if it is large.
  openLarge: async (source, head, dictionary) => largeStart(await head(), source, () => zstdStream(dictionary && { dictionary })),
  async open(bytes, _, dictionary) {
    const format = zstdFormat(bytes);
    const options: ZstdDecodeOptions = { format, ...(dictionary && { dictionary }) };
    const facts: [string, string][] = dictionary === undefined ? [] : [['Dictionary', size(dictionary.length)]];
    const opened = await wholeOrStart(bytes, () => contentOf(decodeZstd(bytes, { ...options, limits: WHOLE }), facts), () => zstdStream(options));
    return { ...opened, summary: { ...opened.summary, zstd: format } };
  },
};
