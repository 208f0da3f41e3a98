// Bytes of a file for the lines in sight.
import { usePieces } from '../tools/pieces';
import type { Content } from '../arrive/remote';

const PIECE = 1 << 16;

/** Reads the bytes from `start` to `end` and some around them; what is not here yet is `undefined`. */
export function useBytes(blob: Content, start: number, end: number): (at: number) => number | undefined {
  const read = async (piece: number): Promise<Uint8Array> => new Uint8Array(await blob.slice(piece * PIECE, (piece + 1) * PIECE).arrayBuffer());
  const pieces = usePieces(read, Math.floor(start / PIECE), Math.ceil(end / PIECE) - 1, [blob]);
  return (at) => pieces.get(Math.floor(at / PIECE))?.here?.[at % PIECE];
}
