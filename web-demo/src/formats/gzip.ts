import { decodeGzip } from 'unspool';
import type { Door } from './door';

/** What is wrapped and of no format that the page knows. Everything else is unwrapped before. */
export const gzip: Door = {
  open(bytes) {
    const content = decodeGzip(bytes);
    return {
      summary: { version: '', facts: [], rows: 0, columns: [], shows: 'bytes', hasChecksums: true, decoded: content.length },
      bytes: (start, end) => content.slice(start, end),
      save: () => [content],
    };
  },
};
