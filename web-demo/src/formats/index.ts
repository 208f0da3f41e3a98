// The formats that the page opens, a line each.
import type { Format } from 'unspool';
import { cvc } from './cvc';
import type { Door } from './door';
import { onpair } from './onpair';
import { pco } from './pco';

export const DOORS: Partial<Record<Format, Door>> = { cvc, onpair, pco };
