// Checks a file of any size: decodes all of it, and keeps nothing.
import { UnspoolError, type DecodeStream } from 'unspool';
import type { Content } from '../arrive/remote';
import type { Tell } from '../tools/progress';
import { piecesOf, type Column } from './column';

/** Result of a check. */
export interface Checked {
  /** The first error, if there is one. */
  readonly error?: UnspoolError;
  /** Decoded bytes, or 0 if values are not counted in bytes. */
  readonly decoded: number;
  /** Rows that cannot be decoded. */
  readonly badRows?: number;
}

/** Bytes read at a time; from a server, each is one request. */
export const AT_ONCE = 2 ** 22;

/** Decodes a file with a stream, and counts its content. */
export async function checkStream(content: Content, { readable, writable }: DecodeStream, tell: Tell): Promise<Checked> {
  let decoded = 0;
  const counting = readable.pipeTo(new WritableStream({ write: ({ length }) => void (decoded += length) }));
  // The writer sees the error, too.
  counting.catch(() => undefined);
  const writer = writable.getWriter();
  try {
    for (let at = 0; at < content.size; at += AT_ONCE) {
      const end = Math.min(content.size, at + AT_ONCE);
      await writer.write(new Uint8Array(await content.slice(at, end).arrayBuffer()));
      await tell({ done: end, total: content.size });
    }
    await writer.close();
    await counting;
    return { decoded };
  } catch (error) {
    if (error instanceof UnspoolError) return { decoded, error };
    await writer.abort(error).catch(() => undefined);
    throw error;
  }
}

/** Decodes all columns, and counts the rows that fail. */
export async function checkColumns(columns: readonly Column[], tell: Tell): Promise<Checked> {
  let [decoded, badRows] = [0, 0];
  let error: UnspoolError | undefined;
  const total = columns.reduce((sum, { rows }) => sum + rows, 0);
  let before = 0;
  for (const column of columns) {
    const step: Tell = ({ done }) => tell({ done: before + done, total });
    const bad = (start: number, end: number, why: UnspoolError): void => {
      badRows += end - start;
      error ??= why;
    };
    for await (const { data } of piecesOf(column, step, 0, column.rows, bad)) decoded += data.byteLength;
    before += column.rows;
  }
  return error === undefined ? { decoded } : { decoded, error, badRows };
}

/** Runs a walk over a whole file that throws at the first error. */
export async function checkWalk(walk: AsyncIterable<Uint8Array>): Promise<Checked> {
  let decoded = 0;
  try {
    for await (const { length } of walk) decoded += length;
    return { decoded };
  } catch (error) {
    if (error instanceof UnspoolError) return { decoded, error };
    throw error;
  }
}
