import { decodeGzip, gzipStream, probe, UnspoolError, type Format } from 'unspool';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, startOf, WHOLE, wholeOrStart } from './start';

/** Wrapped content in no known format. Other content is unwrapped before. */
export const gzip: Door = {
  openLarge: async (source, head) => largeStart(await head(), source, () => gzipStream()),
  open: (bytes) => wholeOrStart(bytes, () => contentOf(decodeGzip(bytes, { limits: WHOLE })), () => gzipStream()),
};

/** Number of bytes that show the format of the content. */
const PROBED = 2 ** 16;

/** Returns the content of a gzip file if its format is `known` and it is intact. */
export async function unwrap(bytes: Uint8Array, known: (format: Format | undefined) => boolean): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (probe(bytes).format !== 'gzip') return undefined;
  const { content } = await startOf(bytes.subarray(0, PROBED), gzipStream(), false);
  if (!known(probe(content).format)) return undefined;
  try {
    return decodeGzip(bytes, { limits: WHOLE });
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    return undefined;
  }
}
