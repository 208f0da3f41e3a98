// Bits of single symbols, read in the worker.
import { pcoLatents, zstdBlockLengths, zstdLiterals, type PcoLatent, type PcoLatentsWanted, type ZstdLiterals } from 'unspool/inspect';
import type { ZstdFormat } from 'unspool';
import type { Content } from '../arrive/remote';
import type { SequencesWanted } from '../formats/zstd-inside';

/** Latents of a Pco chunk, which the bytes from `start` to `end` hold. */
export interface LatentsWanted {
  /** Length of the file header. */
  readonly header: number;
  readonly start: number;
  readonly end: number;
  /** Numbers of the chunk, or bits of the header and the chunk after it. */
  readonly wanted: PcoLatentsWanted;
}

/** The content lengths of the blocks of a Zstandard frame. */
export interface LengthsWanted {
  readonly start: number;
  readonly end: number;
  readonly version: ZstdFormat | undefined;
}

export type TraceWanted = { readonly latents: LatentsWanted } | { readonly literals: SequencesWanted } | { readonly lengths: LengthsWanted };

export async function inside(content: Content, wanted: TraceWanted, dictionary: Uint8Array | undefined): Promise<PcoLatent[] | ZstdLiterals | Float64Array> {
  const read = async (start: number, end: number): Promise<Uint8Array> => new Uint8Array(await content.slice(start, end).arrayBuffer());
  if ('latents' in wanted) {
    const { header, start, end, wanted: which } = wanted.latents;
    const file = new Uint8Array(header + end - start);
    file.set(await read(0, header));
    file.set(await read(start, end), header);
    return pcoLatents(file, header, which);
  }
  const { start, end, version } = 'literals' in wanted ? wanted.literals : wanted.lengths;
  const options = { ...(version && { format: version }), ...(dictionary && { dictionary }) };
  const bytes = await read(start, end);
  return 'literals' in wanted ? zstdLiterals(bytes, wanted.literals.index, options) : zstdBlockLengths(bytes, options);
}
