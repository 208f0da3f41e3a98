// The formats that the page opens, a line each: what the worker does with them.
import type { Format } from 'unspool';
import { cvc } from './cvc';
import type { Door } from './door';
import { gzip } from './gzip';
import { onpair } from './onpair';
import { pco } from './pco';

export const DOORS: Partial<Record<Format, Door>> = { cvc, gzip, onpair, pco };
