import { decodeZstd } from 'unspool';
import { contentOf } from './content';
import type { Door } from './door';

export const zstd: Door = { open: (bytes) => contentOf(decodeZstd(bytes)) };
