// AT-1: the text of a table that is larger than memory.
import { anySignal } from './abort.js';
import { readAhead } from './ahead.js';
import { Handle, moduleFor } from './instance.js';
import { limitsOf } from './limits.js';
import { type OpenOptions, openSource, type Source } from './source.js';

const wasmModule = moduleFor('at1');

/**
 * Decodes a table (codec 7 qcolumnar or 8 qjson) to the same text as `decodeAt1`, one row group at
 * a time. Memory holds one row group, plus up to 3 MiB read ahead from a server. `limits.maxOutput`
 * bounds each piece. The hash is verified before the last piece.
 */
export async function* at1Text(source: Source, options: OpenOptions = {}): AsyncGenerator<Uint8Array, void> {
  const limits = limitsOf(options, { limits: true, signal: true });
  // Aborts reads ahead if the consumer stops early.
  const over = new AbortController();
  const opened = await openSource(source, { limits: options.limits, signal: anySignal(options.signal, over.signal) });
  const reader = opened.isRemote ? readAhead(opened) : opened;
  const work = new Handle(wasmModule, (wasm) => new wasm.At1Query(reader.size, 'text', Infinity, 0, limits));
  try {
    for (let bytes: Uint8Array | undefined; ; ) {
      const given = bytes;
      const isOn = work.call((job) => job.step(given));
      const piece = work.call((job) => job.data());
      if (piece.length > 0) yield piece;
      if (!isOn) return;
      const [start = 0, end = 0] = work.call((job) => job.needs());
      bytes = await reader.read({ start, end });
    }
  } finally {
    work.free();
    over.abort();
  }
}
