import { probe } from 'unspool';
import { decodeGzip, gzipStream, UnspoolError } from 'unspool/gzip/separate';
import { checkStream } from './check';
import { contentOf } from './content';
import type { Door } from './door';
import { largeStart, startOf, WHOLE, wholeOrStart } from './start';

/** Wrapped content in no known format. Other content is unwrapped before. */
export const gzip: Door = {
  stream: async () => gzipStream(),
  check: (file, _, tell) => checkStream(file, gzipStream(), tell),
  openLarge: async (file, head) => largeStart(await head(), file, () => gzipStream()),
  open: (bytes) => wholeOrStart(bytes, () => contentOf(decodeGzip(bytes, { limits: WHOLE })), () => gzipStream()),
};

/** Number of bytes that show the format of the content. */
const PROBED = 2 ** 16;

/** Returns the content of a gzip file if its format is known and it is intact. */
export async function unwrap(bytes: Uint8Array): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const { content } = await startOf(bytes.subarray(0, PROBED), gzipStream(), false);
  if (probe(content).format === undefined) return undefined;
  try {
    return decodeGzip(bytes, { limits: WHOLE });
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    return undefined;
  }
}
