import { decodeXz } from 'unspool';
import { contentOf } from './content';
import type { Door } from './door';

export const xz: Door = { outlined: { read: 'headers', remote: true }, open: (bytes) => contentOf(decodeXz(bytes)) };
