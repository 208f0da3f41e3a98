import { decodeZstd, zstdFormat, zstdStream, type ZstdDecodeOptions } from 'unspool';
import { bytes as size } from '../format';
import { contentOf } from './content';
import type { Door } from './door';
import { wholeOrStart } from './start';

export const zstd: Door = {
  outlined: { read: 'headers', remote: false },
  open(bytes, _, dictionary) {
    const options: ZstdDecodeOptions = { format: zstdFormat(bytes), ...(dictionary && { dictionary }) };
    const facts: [string, string][] = dictionary === undefined ? [] : [['Dictionary', size(dictionary.length)]];
    return wholeOrStart(bytes, () => contentOf(decodeZstd(bytes, options), facts), () => zstdStream(options));
  },
};
