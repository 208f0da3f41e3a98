// AT-1: the text of a table that is larger than memory.
import { readAhead } from './ahead.js';
import type { At1TableOptions } from './at1-table.js';
import { Held, room } from './instance.js';
import { limitsOf } from './limits.js';
import { either, openSource, type Source } from './source.js';

const here = room('at1');

/**
 * The text of a table, a file of the codec 7 qcolumnar or 8 qjson, as `decodeAt1` gives it, but a row group at a time: of the file and of the text no more
 * than that is in memory, and of a file on a server 3 MiB that are asked for ahead. `limits.maxOutput` bounds each piece. The hash is compared before the last one comes.
 */
export async function* at1Text(source: Source, options: At1TableOptions = {}): AsyncGenerator<Uint8Array, void> {
  const limits = limitsOf(options, { signal: true });
  // What was asked for ahead is called off where nobody reads on.
  const over = new AbortController();
  const opened = await openSource(source, either(options.signal, over.signal));
  const reader = opened.isFar ? readAhead(opened) : opened;
  const work = new Held(here, (wasm) => new wasm.At1Query(reader.size, 'text', Infinity, 0, limits));
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
