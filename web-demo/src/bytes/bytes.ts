// Bytes of a file for the lines in sight.
import { usePieces } from '../tools/pieces';
import type { Content } from '../arrive/remote';

const PIECE = 1 << 16;

/** Why bytes are missing, and a function that reads them again. */
export interface Unread {
  readonly error: string;
  readonly again: () => void;
}

export interface Bytes extends Unread {
  /** Returns a byte; `undefined` while it is not loaded. */
  readonly at: (byte: number) => number | undefined;
}

/** Reads the bytes from `start` to `end`, and some around them. */
export function useBytes(blob: Content, start: number, end: number): Bytes {
  const read = async (piece: number): Promise<Uint8Array> => new Uint8Array(await blob.slice(piece * PIECE, (piece + 1) * PIECE).arrayBuffer());
  const { get, error, again } = usePieces(read, Math.floor(start / PIECE), Math.ceil(end / PIECE) - 1, [blob]);
  return { at: (byte) => get(Math.floor(byte / PIECE))?.here?.[byte % PIECE], error, again };
}
