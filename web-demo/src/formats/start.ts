// Files of bytes, also broken ones: what comes before the place where they break.
import { UnspoolError, type DecodeStream } from 'unspool';
import { contentOf } from './content';
import type { Opened } from './door';

/** A file of these kinds holds something before the error. Of others nothing is right, or all of it is too much. */
const BROKEN = new Set(['Truncated', 'Corrupt', 'Checksum']);

/** Opens a file as a whole, or what a stream makes of it until it meets the error. */
export async function wholeOrStart(bytes: Uint8Array, whole: () => Opened, stream: () => DecodeStream): Promise<Opened> {
  try {
    return whole();
  } catch (error) {
    if (!(error instanceof UnspoolError) || !BROKEN.has(error.class)) throw error;
    const start = await startOf(bytes, stream());
    if (start.length === 0) throw error;
    const opened = contentOf(start);
    return { ...opened, summary: { ...opened.summary, brokenFrom: error.offset }, error };
  }
}

async function startOf(bytes: Uint8Array, { readable, writable }: DecodeStream): Promise<Uint8Array<ArrayBuffer>> {
  const [reader, writer, parts]: [ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, WritableStreamDefaultWriter, Blob[]] = [readable.getReader(), writable.getWriter(), []];
  const written = writer.write(bytes).then(() => writer.close());
  try {
    // A piece is put in a `Blob` at once, which is not in the memory of the worker.
    for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(new Blob([part.value]));
    await written;
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    // Whoever writes hears of it, too.
    await written.catch(() => undefined);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
