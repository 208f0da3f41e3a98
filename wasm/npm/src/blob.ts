// Reads a Blob as a whole.
import { checkOptions } from './check.js';

/** Minimum time between two progress reports, in milliseconds. */
const REPORT_INTERVAL = 50;

/** Options of {@link readBlob}. */
export interface ReadBlobOptions {
  /** Aborts the read. */
  signal?: AbortSignal | undefined;
  /** Reports progress in bytes: now and then, and once at the end. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Reads all bytes of a `Blob`. */
export async function readBlob(blob: Blob, options: ReadBlobOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
  checkOptions(options, { signal: true, onProgress: true });
  const { signal, onProgress = () => undefined } = options;
  signal?.throwIfAborted();
  const bytes = new Uint8Array(blob.size);
  const reader = blob.stream().getReader();
  // Ends a read that waits, and the stream after an error.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', stop);
  let [done, reported] = [0, 0];
  try {
    for (;;) {
      const { value } = await reader.read();
      signal?.throwIfAborted();
      if (value === undefined) {
        if (done === 0) onProgress(0, 0);
        return bytes;
      }
      bytes.set(value, done);
      done += value.length;
      const now = performance.now();
      if (now - reported < REPORT_INTERVAL && done < blob.size) continue;
      reported = now;
      onProgress(done, blob.size);
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
}
