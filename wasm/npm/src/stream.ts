// Decodes streams of bytes.
//
// A TransformStream would have to emit everything that a piece of input decodes to at once, up to a
// thousand times its size. So these are pairs: the readable side asks the decoder for the next
// piece on demand, and the writable side waits until its piece is consumed.
import type { Stream as WasmStream } from '../wasm/zstd-stream/unspool.js';
import { refuse } from './error.js';
import { join } from './join.js';
import { type Exports, Handle, type ModuleAccess, moduleFor } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './bytes.js';
import { formatArguments, type ZstdDecodeOptions } from './zstd.js';

/** A pair of streams for `pipeThrough`. */
export interface DecodeStream {
  /** Decoded bytes. */
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Compressed bytes, in pieces of any size. */
  readonly writable: WritableStream<Bytes>;
}

/** Options of the decode streams. */
export interface DecodeStreamOptions {
  /** Limits for this stream. */
  limits?: Limits | undefined;
}

/**
 * Decodes all frames of a Zstandard stream. Keeps a window, which `limits.maxWindow` bounds. A
 * draft file needs `format: 'zstd-draft'`, as a stream cannot look ahead.
 */
export function zstdStream(options: ZstdDecodeOptions = {}): DecodeStream {
  return decodeStream(zstdDecoder(options));
}

/** Decodes all streams of an xz file. Keeps a window, which `limits.maxWindow` bounds. */
export function xzStream(options: DecodeStreamOptions = {}): DecodeStream {
  return decodeStream(xzDecoder(options));
}

/** Decodes a `.lzma` file. Keeps a window, which `limits.maxWindow` bounds. */
export function lzmaStream(options: DecodeStreamOptions = {}): DecodeStream {
  const limits = limitsOf(options, { limits: true });
  return decodeStream(new Decoder('lzma', (wasm) => wasm.lzma_stream(limits)));
}

/** Decodes all members of a gzip file and verifies their checksums. Keeps a window of 32 KiB. */
export function gzipStream(options: DecodeStreamOptions = {}): DecodeStream {
  return decodeStream(gzipDecoder(options));
}

/**
 * Decodes an AT-1 file that is not a bundle, frame by frame. A file without frames is decoded at
 * its end. The hash is verified at the end.
 */
export function at1Stream(options: DecodeStreamOptions = {}): DecodeStream {
  const limits = limitsOf(options, { limits: true });
  return decodeStream(new Decoder('at1', (wasm) => wasm.at1_stream(limits)));
}

/** @internal Creates the decoder of {@link zstdStream}. */
export function zstdDecoder(options: ZstdDecodeOptions): Decoder {
  const [limits, [dictionary, format]] = [limitsOf(options, { limits: true, dictionary: true, format: true }), formatArguments(options)];
  // Copied: it is read with the first piece, and may have changed by then.
  const own = dictionary && new Uint8Array(dictionary);
  return new Decoder('zstd-stream', (wasm) => wasm.zstd_stream(own, format, limits));
}

/** @internal Creates the decoder of {@link xzStream}. */
export function xzDecoder(options: DecodeStreamOptions): Decoder {
  const limits = limitsOf(options, { limits: true });
  return new Decoder('xz-stream', (wasm) => wasm.xz_stream(limits));
}

/** @internal Creates the decoder of {@link gzipStream}. */
export function gzipDecoder(options: DecodeStreamOptions): Decoder {
  const limits = limitsOf(options, { limits: true });
  return new Decoder('gzip', (wasm) => wasm.gzip_stream(limits));
}

/** Input bytes per step. */
const AT_ONCE = 1 << 16;

/**
 * Status codes of a decoder: it needs input; it is done. The code between them asks for another
 * step.
 */
const [NEED_INPUT, DONE] = [0, 2];

/**
 * @internal Decodes bytes in memory to at most `most`, and awaits `pause` between two steps. An
 * error of `pause` ends decoding.
 */
export async function decodeInSteps(decoder: Decoder, bytes: Uint8Array, most: number, pause: () => Promise<void>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  try {
    for (let at = 0; !decoder.isDone; at += decoder.read) {
      const part = bytes.subarray(at, at + AT_ONCE);
      const piece = decoder.step(part, at + part.length === bytes.length);
      pieces.push(piece);
      if ((length += piece.length) > most) throw refuse('OutputLimit');
      await pause();
    }
  } finally {
    decoder.free();
  }
  return join(pieces, (length) => new Uint8Array(length));
}

function decodeStream(decoder: Decoder): DecodeStream {
  let output!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  let input!: WritableStreamDefaultController;
  /** Input not yet consumed; `undefined` if none. */
  let rest: Uint8Array | undefined;
  let last = false;
  /** The pending write or close. */
  let waits: { resolve: () => void; reject: (reason: unknown) => void } | undefined;
  /** Wakes the reader that waits for input. */
  let wake: (() => void) | undefined;

  const waiting = (): Promise<void> => {
    wake?.();
    return new Promise((resolve, reject) => (waits = { resolve, reject }));
  };
  /**
   * True if output needs more input. Only then is a write complete: the source may fail after it.
   */
  const isDry = (): boolean => rest === undefined && !last && decoder.status === NEED_INPUT;
  /** Ends decoding. */
  const end = (): void => {
    decoder.free();
    rest = undefined;
    wake?.();
  };
  /** Ends decoding early, and refuses further input. */
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
          if (decoder.isDone) {
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
      // Listen to the signal: `abort` would be called only after the pending write, perhaps never.
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
        // The reader must see the error too.
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

/**
 * @internal A decoder in the module. It is created by the first step and lives until it is freed.
 */
export class Decoder {
  /** Bytes that the last step consumed. */
  read = 0;
  status = NEED_INPUT;
  freed = false;
  #access: ModuleAccess;
  #open: (wasm: Exports) => WasmStream;
  #stream: Handle<WasmStream> | undefined;

  constructor(module: string, open: (wasm: Exports) => WasmStream) {
    this.#access = moduleFor(module);
    this.#open = open;
  }

  get isDone(): boolean {
    return this.status === DONE;
  }

  /** Decodes the start of `bytes` to at most 64 KiB. `last` marks the end of the input. */
  step(bytes: Uint8Array, last: boolean): Uint8Array<ArrayBuffer> {
    this.#stream ??= new Handle(this.#access, this.#open);
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
