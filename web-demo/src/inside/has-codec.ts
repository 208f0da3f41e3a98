import { chunksOf } from '../formats/pco-bins';
import { blocksOf, tablesOf } from '../formats/zstd-tables';
import type { Structure } from 'unspool/inspect';
import type { Report } from '../model';

/** The streams of an AT-1 file are xz or Zstandard. */
const ZSTD: ReadonlySet<string> = new Set(['zstd', 'zstd-v07', 'at1']);

/** Formats whose symbols are read from the file itself, however much of it is in the structure. */
const SYMBOLS: ReadonlySet<string> = new Set(['gzip', 'lzma', 'xz']);

/** Returns `true` if there are tables or symbols to show. */
export function hasCodec(format: Report['format'], structure: Structure, hasValues: boolean): boolean {
  if (format === 'pco') return hasValues && chunksOf(structure).some(({ variables }) => variables.some(({ bins }) => bins.length > 0));
  if (format !== undefined && SYMBOLS.has(format)) return true;
  return format !== undefined && ZSTD.has(format) && (tablesOf(structure).length > 0 || blocksOf(structure).length > 0);
}
