import { decodeXz } from 'unspool';
import { contentOf } from './content';
import type { Door } from './door';

export const xz: Door = { outlined: 'together', open: (bytes) => contentOf(decodeXz(bytes)) };
