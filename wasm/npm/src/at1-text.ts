// AT-1: the text of a table that is larger than memory.
import { readAhead } from './ahead.js';
import { asked } from './at1-query.js';
import type { At1TableOptions } from './at1-table.js';
import { Held, room } from './instance.js';
import { limitsOf } from './limits.js';
import { openSource, type Source } from './source.js';

const here = room('at1');

/**
 * The text of a table, a file of the codec 7 qcolumnar or 8 qjson, as `decodeAt1` gives it, but a row group at a time: of the file and of the text no more
 * than that is in memory, and of a file on a server 3 MiB that are asked for ahead. `limits.maxOutput` bounds each piece. The hash is compared before the last one comes.
 */
export async function* at1Text(source: Source, options: At1TableOptions = {}): AsyncGenerator<Uint8Array, void> {
  const limits = limitsOf(options, { signal: true });
  const opened = await openSource(source, options.signal);
  const reader = opened.isFar ? readAhead(opened) : opened;
  const work = new Held(here, (wasm) => new wasm.At1Query(reader.size, 'text', Infinity, limits));
  try {
    const steps = asked(work, reader);
    for (let done = false; !done; ) {
      done = (await steps.next()).done === true;
      const piece = work.call((job) => job.data());
      if (piece.length > 0) yield piece;
    }
  } finally {
    work.free();
  }
}
