// The formats, as the worker uses them.
import type { Format } from 'unspool';
import { at1 } from './at1';
import { cvc } from './cvc';
import type { Door } from './door';
import { gzip } from './gzip';
import { onpair } from './onpair';
import { pco } from './pco';
import { xz } from './xz';
import { zstd } from './zstd';

export const DOORS: Readonly<Record<Format, Door>> = {
  at1, cvc, gzip, onpair, pco, xz, zstd, 'zstd-v07': zstd, 'zstd-skippable': zstd,
};
