// Every function of the package, with all inspectors loaded, and synchronous versions of the lazy
// functions for tests that call them thousands of times. `index.test.mjs` proves that the lazy
// functions return the same.
import { bytesOf } from '../dist/bytes.js';
import { formatOf, isWrapped } from '../dist/decode-with.js';
import { door as at1 } from '../dist/doors/at1.js';
import { door as cvc } from '../dist/doors/cvc.js';
import { door as gzip } from '../dist/doors/gzip.js';
import { door as lzma } from '../dist/doors/lzma.js';
import { door as onpair } from '../dist/doors/onpair.js';
import { door as pco } from '../dist/doors/pco.js';
import { door as xz } from '../dist/doors/xz.js';
import { door as zstd } from '../dist/doors/zstd.js';
import { familyOf } from '../dist/formats.js';
import { inspectLoaded } from '../dist/inspection.js';
import { loadInspector } from 'unspool/inspect';

const DOORS = { at1, cvc, gzip, lzma, onpair, pco, xz, zstd };
for (const format of Object.keys(DOORS)) await loadInspector(format);

export function decode(bytes, options = {}) {
  const view = bytesOf(bytes);
  const format = formatOf(view);
  DOORS[familyOf(format)].check(options);
  const decoded = { format, ...DOORS[familyOf(format)].decode(view, options) };
  return format === 'gzip' && isWrapped(decoded.bytes) ? decode(decoded.bytes, options) : decoded;
}

export function decodeInto(bytes, to, options = {}) {
  const view = bytesOf(bytes);
  const format = formatOf(view);
  DOORS[familyOf(format)].check(options);
  if (format !== 'gzip') return DOORS[familyOf(format)].into(view, to, options);
  const { bytes: content } = gzip.decode(view, options);
  return isWrapped(content) ? decodeInto(content, to, options) : gzip.into(content, to, options);
}

export { inspectLoaded as inspect };
export { probe } from 'unspool';
export * from 'unspool/at1';
export * from 'unspool/cvc';
export * from 'unspool/gzip';
export { gzipBlocks, gzipCodes, gzipSymbols, loadInspector, LZMA_KINDS, lzmaChunks, lzmaCounts, lzmaSymbols, nodeAt, nodes, outline, pcoBinCounts, pcoLatents, zstdBlockLengths, zstdCodeLengths, zstdLiterals, zstdSequences, zstdStateCounts } from 'unspool/inspect';
export * from 'unspool/lzma';
export * from 'unspool/onpair';
export * from 'unspool/pco';
export * from 'unspool/stats';
export * from 'unspool/xz';
export * from 'unspool/xz-stream';
export * from 'unspool/zstd';
export * from 'unspool/zstd-stream';
