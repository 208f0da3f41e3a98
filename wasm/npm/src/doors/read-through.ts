// Reads a file through a decoder.
import type { OpenedSource, OpenOptions } from '../source.js';
import type { DecodeStream } from '../stream.js';
import { inherit } from './door.js';

/** Bytes per read. */
const PIECE = 2 ** 18;

/** Returns a function that decodes an open file as a stream, which reads the file on demand. */
export function streamOf<O extends OpenOptions>(source: OpenedSource, opened: OpenOptions, decoder: (options: Omit<O, 'signal'>) => DecodeStream) {
  return (own: O = {} as O): ReadableStream<Uint8Array<ArrayBuffer>> => {
    const { signal, ...options } = inherit(own, opened);
    let at = 0;
    const compressed = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const start = at;
          at = Math.min(source.size, start + PIECE);
          if (start < at) controller.enqueue(await source.read({ start, end: at }, signal));
          if (at === source.size) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return compressed.pipeThrough(decoder(options), signal === undefined ? {} : { signal });
  };
}
