// AT-1: what a table looks like before anybody asks it anything.
import { UnspoolError } from './error.js';
import { room } from './instance.js';
import { type Limits, limitsOf } from './limits.js';
import { openSource, type Source } from './source.js';

const { call, enter, leave } = room('at1');

/** How much of a file is read before anything is known of it. Most heads fit. */
const HEAD = 64 * 1024;

/** How the head of a table is read. */
export interface At1TableOptions {
  limits?: Limits | undefined;
  signal?: AbortSignal | undefined;
}

/** What the head of a table tells. Blocks come group by group: that of group `g` and column `c` is number `g * columns.length + c`. */
export interface At1Table {
  readonly codec: 'qcolumnar' | 'qjson';
  /** Lines of the file, and those of them that are rows of the table. */
  readonly lines: number;
  readonly rows: number;
  /** Row groups, and how many rows each but the last has. */
  readonly groups: number;
  readonly rowsPerGroup: number;
  readonly columns: readonly {
    /** The path in JSON, or the field of a header line that is no row; `undefined` where the head names none. */
    readonly name: string | undefined;
    readonly type: 'text' | 'integer' | 'decimal';
  }[];
  /** Where in the file each block starts and ends; none where all of them are compressed as one. */
  readonly blocks: { readonly start: Float64Array; readonly end: Float64Array } | undefined;
  /** How long each block is. */
  readonly lengths: Float64Array;
  /** The zone maps: between which numbers each block lies, as near as a float comes; NaN where it has none. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** How many bytes of the file were read to know all this. */
  readonly bytesRead: number;
}

const TYPES = ['text', 'integer', 'decimal'] as const;

/** Reads the head of a table, a file of the codec 7 qcolumnar or 8 qjson, and no block of it. */
export async function describeAt1(source: Source, options: At1TableOptions = {}): Promise<At1Table> {
  const limits = limitsOf(options, { signal: true });
  const reader = await openSource(source, options.signal);
  enter();
  try {
    for (let length = Math.min(reader.size, HEAD); ; ) {
      const head = await reader.read({ start: 0, end: length });
      try {
        return read(head, limits);
      } catch (error) {
        const more = error instanceof UnspoolError && error.class === 'Truncated' && error.need > length && length < reader.size;
        if (!more) throw error;
        // Twice as much at least: a head that grows by a byte each time would take forever.
        length = Math.min(reader.size, Math.max(error.need, 2 * length));
      }
    }
  } finally {
    leave();
  }
}

function read(head: Uint8Array, limits: Float64Array): At1Table {
  return call((wasm) => {
    const found = wasm.at1_table(head, limits);
    const [lines = 0, rows = 0, rowsPerGroup = 1, start = -1] = found.numbers();
    const [names, nameEnds, types, ends] = [found.names(), found.name_ends(), found.types(), found.ends()];
    const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
    const name = (column: number): string | undefined => {
      const end = nameEnds[column];
      return end === undefined ? undefined : utf8.decode(names.subarray(column > 0 ? nameEnds[column - 1] : 0, end));
    };
    const table: At1Table = {
      codec: found.codec() as At1Table['codec'],
      lines,
      rows,
      groups: types.length > 0 ? ends.length / types.length : 0,
      rowsPerGroup,
      columns: Array.from(types, (type, column) => ({ name: name(column), type: TYPES[type] ?? 'text' })),
      blocks: start < 0 ? undefined : { start: ends.map((_, block) => start + (block > 0 ? (ends[block - 1] ?? 0) : 0)), end: ends.map((end) => start + end) },
      lengths: ends.map((end, block) => end - (block > 0 ? (ends[block - 1] ?? 0) : 0)),
      low: found.lows(),
      high: found.highs(),
      bytesRead: head.length,
    };
    found.free();
    return table;
  });
}
