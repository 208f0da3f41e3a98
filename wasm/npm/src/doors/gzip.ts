import type { DecodeResults } from '../decode.js';
import { refuse } from '../error.js';
import { fillBytes } from '../fill.js';
import { decodeGzip } from '../gzip.js';
import { gzipStream } from '../stream.js';
import { check, type Door } from './door.js';
import { streamOf } from './read-through.js';

/** The functions of gzip for the lazy entry. */
export const door: Door<DecodeResults['gzip']> = {
  check,
  decode: (bytes, { limits }) => ({ bytes: decodeGzip(bytes, { limits }) }),
  // Its content is decoded already: it may have been in another format.
  into: (content, to) =>
    fillBytes(to, (out) => {
      if (content.length > out.length) throw refuse('OutputTooSmall', 0, content.length);
      out.set(content);
      return content.length;
    }),
  async open(source, options, load) {
    await load('gzip');
    return { stream: streamOf(source, options, gzipStream) };
  },
};
