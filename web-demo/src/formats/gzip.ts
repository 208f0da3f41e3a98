import { decodeGzip } from 'unspool';
import { contentOf } from './content';
import type { Door } from './door';

/** What is wrapped and of no format that the page knows. Everything else is unwrapped before. */
export const gzip: Door = { open: (bytes) => contentOf(decodeGzip(bytes)) };
