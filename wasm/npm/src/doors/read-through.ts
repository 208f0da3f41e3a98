// Reads a file through a decoder.
import type { OpenedSource } from './source.js';
import type { DecodeStream } from './stream.js';

/** Bytes per read. */
const PIECE = 2 ** 18;

/** Returns the decoded bytes of a file as a stream, which reads the file on demand. */
export function readThrough(source: OpenedSource, decoder: DecodeStream, signal: AbortSignal | undefined): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  const compressed = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const start = at;
        at = Math.min(source.size, start + PIECE);
        if (start < at) controller.enqueue(await source.read({ start, end: at }));
        if (at === source.size) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return compressed.pipeThrough(decoder, signal === undefined ? {} : { signal });
}
