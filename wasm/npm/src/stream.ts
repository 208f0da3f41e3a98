// Files that come and leave as streams of bytes.
//
// A TransformStream would have to give all that a piece of input decodes to at once, which can be a thousand times as much. So
// these are pairs whose readable side asks the decoder for the next piece when somebody wants one, and whose writable side waits
// until its piece is used up.
import type { Stream as WasmStream } from '../wasm/unspool.js';
import { type Exports, Held, type Room, room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './source.js';
import { chosen, type ZstdDecodeOptions } from './zstd.js';

/** Compressed bytes in, decoded bytes out: for `pipeThrough`. */
export interface DecodeStream {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<Bytes>;
}

/** How a stream is decoded. */
export interface DecodeStreamOptions {
  limits?: Limits | undefined;
}

/**
 * Decodes a Zstandard file while it comes, all of its frames. It keeps their window, which `limits.maxWindow` bounds. A file in
 * the draft must be announced as such: it cannot be looked through first.
 */
export function zstdStream(options: ZstdDecodeOptions = {}): DecodeStream {
  const [limits, [dictionary, format]] = [limitsOf(options, { dictionary: true, format: true }), chosen(options)];
  // It is read with the first piece, and may be gone by then.
  const own = dictionary && new Uint8Array(dictionary);
  return decodeStream(room('zstd-stream'), (wasm) => wasm.zstd_stream(own, format, limits));
}

/** Decodes an xz file while it comes, all of its streams. It keeps their dictionary, which `limits.maxWindow` bounds. */
export function xzStream(options: DecodeStreamOptions = {}): DecodeStream {
  const limits = limitsOf(options, {});
  return decodeStream(room('xz-stream'), (wasm) => wasm.xz_stream(limits));
}

/** Decodes a gzip file while it comes, all of its members, each of whose checksums is verified. It keeps 32 KiB. */
export function gzipStream(options: DecodeStreamOptions = {}): DecodeStream {
  const limits = limitsOf(options, {});
  return decodeStream(room('gzip'), (wasm) => wasm.gzip_stream(limits));
}

/**
 * Decodes an AT-1 file that is no bundle, frame after frame. One without frames says only as a whole what it holds, so that
 * nothing comes out before all of it is there. Its hash is verified at the end.
 */
export function at1Stream(options: DecodeStreamOptions = {}): DecodeStream {
  const limits = limitsOf(options, {});
  return decodeStream(room('at1'), (wasm) => wasm.at1_stream(limits));
}

/** So much of the input crosses over at a time. */
const AT_ONCE = 1 << 16;

/** What a decoder wants next: bytes, to be asked again for what it holds, or nothing any more. */
const [NEED_INPUT, DONE] = [0, 2];

function decodeStream(room: Room, open: (wasm: Exports) => WasmStream): DecodeStream {
  const decoder = new Decoder(room, open);
  let output!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let input!: WritableStreamDefaultController;
  /** What was written and is not used up; `undefined` if nothing is. */
  let rest: Uint8Array | undefined;
  let last = false;
  /** The write or the close that waits. */
  let waits: { resolve: () => void; reject: (reason: unknown) => void } | undefined;
  /** Wakes the reader that waits for input. */
  let wake: (() => void) | undefined;

  const waiting = (): Promise<void> => {
    wake?.();
    return new Promise((resolve, reject) => (waits = { resolve, reject }));
  };
  /** Whether nothing comes out before more goes in. What is written counts as used up only then: a source may fail behind it. */
  const isDry = (): boolean => rest === undefined && !last && decoder.status === NEED_INPUT;
  /** Nothing will be decoded any more. */
  const end = (): void => {
    decoder.free();
    rest = undefined;
    wake?.();
  };
  /** The same, before all was decoded: nothing more is taken, either. */
  const fail = (reason: unknown): void => {
    end();
    waits?.reject(reason);
    input.error(reason);
  };
  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => void (output = controller),
      async pull() {
        for (let piece = new Uint8Array(); piece.length === 0 && !decoder.freed; ) {
          if (isDry()) {
            await new Promise<void>((resolve) => (wake = resolve));
            wake = undefined;
            continue;
          }
          const bytes = (rest ?? piece).subarray(0, AT_ONCE);
          try {
            piece = decoder.step(bytes, last && bytes.length === (rest?.length ?? 0));
          } catch (error) {
            fail(error);
            throw error;
          }
          if (piece.length > 0) output.enqueue(piece);
          rest = rest?.subarray(decoder.read);
          if (rest?.length === 0) rest = undefined;
          if (decoder.status === DONE) {
            end();
            output.close();
            waits?.resolve();
          } else if (isDry()) {
            waits?.resolve();
          }
        }
      },
      cancel: fail,
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<Bytes>({
    start(controller) {
      input = controller;
      // At once: `abort` would be called only after the write that waits, maybe for a reader who has left.
      controller.signal.addEventListener('abort', () => {
        if (decoder.freed) return;
        end();
        waits?.reject(controller.signal.reason);
        output.error(controller.signal.reason);
      });
    },
    write(bytes) {
      try {
        rest = bytesOf(bytes);
      } catch (error) {
        // Whoever reads hears of it, too.
        end();
        output.error(error);
        throw error;
      }
      if (rest.length > 0) return waiting();
      rest = undefined;
      return undefined;
    },
    close() {
      last = true;
      return waiting();
    },
  });
  return { readable, writable };
}

/** A decoder in the wasm module, from its first step on until it is freed. */
class Decoder {
  read = 0;
  status = NEED_INPUT;
  freed = false;
  #room: Room;
  #open: (wasm: Exports) => WasmStream;
  #stream: Held<WasmStream> | undefined;

  constructor(room: Room, open: (wasm: Exports) => WasmStream) {
    this.#room = room;
    this.#open = open;
  }

  step(bytes: Uint8Array, last: boolean): Uint8Array<ArrayBuffer> {
    this.#stream ??= new Held(this.#room, this.#open);
    return this.#stream.call((stream) => {
      const piece = stream.step(bytes, last) as Uint8Array<ArrayBuffer>;
      this.read = stream.read();
      this.status = stream.status();
      return piece;
    });
  }

  free(): void {
    if (this.freed) return;
    this.freed = true;
    this.#stream?.free();
  }
}
