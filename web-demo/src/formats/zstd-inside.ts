// Tables and sequences of Zstandard blocks, read in the worker.
import type { ZstdFormat } from 'unspool';
import * as Name from 'unspool/names';
import { zstdCodeLengths, zstdSequences, zstdStateCounts, type ZstdSequences } from 'unspool/inspect';
import type { Content } from '../arrive/remote';
import type { BlockPlace, TablePlace } from './zstd-tables';

/** A request with the flavour of the file, if known. */
interface Versioned {
  readonly version: ZstdFormat | undefined;
}

export type CodesWanted = Pick<TablePlace, 'kind' | 'start' | 'end'> & Versioned;
export type SequencesWanted = Pick<BlockPlace, 'start' | 'end' | 'index'> & Versioned;

const read = async (content: Content, { start, end }: { start: number; end: number }): Promise<Uint8Array> =>
  new Uint8Array(await content.slice(start, end).arrayBuffer());

const told = ({ version }: Versioned): { format?: ZstdFormat } => (version === undefined ? {} : { format: version });

/** Returns the code length of each literal, or the state count of each code of an FSE table. */
export async function codes(content: Content, wanted: CodesWanted): Promise<Uint8Array | Int16Array> {
  const description = await read(content, wanted);
  return wanted.kind === Name.HuffmanCode ? zstdCodeLengths(description, told(wanted)) : zstdStateCounts(description);
}

/** Returns the sequences of a block. */
export async function sequences(content: Content, wanted: SequencesWanted, dictionary: Uint8Array | undefined): Promise<ZstdSequences> {
  return zstdSequences(await read(content, wanted), wanted.index, { ...told(wanted), ...(dictionary && { dictionary }) });
}
