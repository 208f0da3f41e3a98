// The parts of a file that decode by themselves: frames of Zstandard and blocks of xz.
import type { Format } from 'unspool';
import { nodeAt, type Structure } from 'unspool/inspect';
import * as Name from 'unspool/names';
import { placesNamed } from '../formats/named';

/** A part, in bytes of the file. */
export interface Part {
  /** Bytes that a decoder needs before it: the header of an xz stream. */
  readonly head: readonly [start: number, end: number];
  readonly start: number;
  readonly end: number;
}

/** Length of the header of an xz stream. */
const STREAM_HEADER = 12;

/** Returns the parts in order; none if the file is one. */
export function partsOf(format: Format | undefined, structure: Structure): readonly Part[] {
  if (structure.leftOut > 0) return [];
  const isXz = format === 'xz';
  if (!isXz && format !== 'zstd' && format !== 'zstd-v07') return [];
  const parts: Part[] = [];
  let [first, after] = [0, 0];
  for (const at of placesNamed(structure, [Name.Stream, Name.Frame, Name.Block])) {
    const { id, start, end } = nodeAt(structure, at);
    if (id !== Name.Block) [first, after] = [start / 8, Math.ceil(end / 8)];
    else if (isXz) parts.push({ head: [first, first + STREAM_HEADER], start: start / 8, end: Math.ceil(end / 8) });
    // A frame without blocks is skippable.
    else if (parts.at(-1)?.end !== after) parts.push({ head: [0, 0], start: first, end: after });
  }
  return parts.length > 1 ? parts : [];
}
