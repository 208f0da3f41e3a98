// Files of bytes that cannot be decoded as a whole: broken files up to the error, and the start of
// large files.
import { UnspoolError, type DecodeStream } from 'unspool';
import type { AnyFile } from '../arrive/remote';
import { AT_ONCE } from './check';
import { contentOf } from './content';
import type { Large, Opened } from './door';

/** Creates a stream, whose module may have to be loaded. */
type Decoder = () => DecodeStream | Promise<DecodeStream>;

/** Error classes of files that are partly readable, and of files that are too large. */
const [BROKEN, TOO_MUCH] = [new Set(['Truncated', 'Corrupt', 'Checksum']), new Set(['Limit', 'Internal'])];

/** Larger content is not decoded as a whole: it would be in memory twice. */
export const WHOLE = { maxOutput: 2 ** 29 };

/** Input decoded for the start of large content, and output kept of it. */
const [READ, KEPT] = [2 ** 23, 2 ** 25];

/** Opens a file as a whole; if it is broken or too large, opens what a stream decodes of it. */
export async function wholeOrStart(bytes: Uint8Array, whole: () => Opened, stream: Decoder): Promise<Opened> {
  try {
    return whole();
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    const large = TOO_MUCH.has(error.class) ? await largeStart(bytes, new Blob([bytes as Uint8Array<ArrayBuffer>]), stream) : undefined;
    if (large !== undefined) return large.opened;
    if (!BROKEN.has(error.class)) throw error;
    const { content } = await startOf(bytes, await stream(), true);
    if (content.length === 0) throw error;
    return opened(content, error);
  }
}

/** Opens a file whose head is in memory. Shows the start of its content, and saves all of it. */
export async function largeStart(head: Uint8Array, file: AnyFile, stream: Decoder): Promise<Large | undefined> {
  const { content, error } = await startOf(head.subarray(0, READ), await stream(), false);
  if (content.length === 0) return undefined;
  const start = opened(content, error);
  if (error !== undefined) return { opened: start };
  return {
    opened: {
      ...start,
      summary: { ...start.summary, startOnly: true },
      async *save(_, tell) {
        let done = 0;
        const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
          async pull(controller) {
            const piece = new Uint8Array(await file.slice(done, done + AT_ONCE).arrayBuffer());
            done += piece.length;
            controller.enqueue(piece);
            if (done >= file.size) controller.close();
          },
        }, { highWaterMark: 0 });
        const reader = packed.pipeThrough(await stream()).getReader();
        try {
          for (let part = await reader.read(); part.value !== undefined; part = await reader.read()) {
            yield part.value;
            await tell({ done, total: file.size });
          }
        } finally {
          await reader.cancel().catch(() => undefined);
        }
      },
    },
  };
}

function opened(content: Uint8Array<ArrayBuffer>, error: UnspoolError | undefined): Opened {
  const whole = contentOf(content);
  return error === undefined ? whole : { ...whole, summary: { ...whole.summary, brokenFrom: error.offset }, error };
}

/**
 * Decodes bytes with a stream up to an error. If they are not `all`, their end is not an error, and
 * `most` bytes or little more are kept.
 */
export async function startOf(bytes: Uint8Array, { readable, writable }: DecodeStream, all: boolean, most = KEPT): Promise<{ content: Uint8Array<ArrayBuffer>; error?: UnspoolError }> {
  const [reader, writer, parts]: [ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, WritableStreamDefaultWriter, Blob[]] = [readable.getReader(), writable.getWriter(), []];
  const written = writer.write(bytes).then(() => (all ? writer.close() : reader.cancel()));
  // The reader sees the error, too.
  written.catch(() => undefined);
  let met;
  try {
    let kept = 0;
    for (let part = await reader.read(); part.value !== undefined; part = await reader.read()) {
      // A `Blob` is outside the memory of the worker.
      parts.push(new Blob([part.value]));
      kept += part.value.length;
      if (!all && kept >= most) await reader.cancel();
    }
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    met = error;
  }
  const content = new Uint8Array(await new Blob(parts).arrayBuffer());
  return met === undefined ? { content } : { content, error: met };
}
