// AT-1: describes a table from its head.
import { UnspoolError } from './error.js';
import { moduleFor } from './instance.js';
import { limitsOf } from './limits.js';
import { type OpenOptions, openSource, type Source } from './source.js';

const { call, enter, leave } = moduleFor('at1');

/** Length of the first read. Most heads fit. */
const HEAD = 64 * 1024;

/**
 * The head of a table. Blocks are ordered by group: group `g` and column `c` have block `g *
 * columns.length + c`.
 */
export interface At1Table {
  /** Codec of the table. */
  readonly codec: 'qcolumnar' | 'qjson';
  /** Number of lines in the file. */
  readonly lineCount: number;
  /** Number of lines that are rows of the table. */
  readonly rowCount: number;
  /** Number of row groups. */
  readonly groupCount: number;
  /** Rows in each group but the last. */
  readonly rowsPerGroup: number;
  /** The columns, in the order of the file. */
  readonly columns: readonly {
    /** JSON path, or field of a header line; `undefined` if the head has no names. */
    readonly name: string | undefined;
    /** Type of the values. */
    readonly type: 'text' | 'integer' | 'decimal';
  }[];
  /** File ranges of the blocks; `undefined` if all are compressed as one. */
  readonly blocks:
    | {
        /** First byte of each block. */
        readonly start: Float64Array;
        /** End of each block, exclusive. */
        readonly end: Float64Array;
      }
    | undefined;
  /** Length of each block. */
  readonly lengths: Float64Array;
  /** Zone maps: lower bound of each block as the nearest float; NaN if it has none. */
  readonly low: Float64Array;
  /** Zone maps: upper bound of each block as the nearest float; NaN if it has none. */
  readonly high: Float64Array;
  /** Bytes of the file that were read. */
  readonly bytesRead: number;
}

const TYPES = ['text', 'integer', 'decimal'] as const;

/** Reads the head of a table (codec 7 qcolumnar or 8 qjson), and none of its blocks. */
export async function describeAt1(source: Source, options: OpenOptions = {}): Promise<At1Table> {
  const limits = limitsOf(options, { limits: true, signal: true });
  const reader = await openSource(source, options);
  enter();
  try {
    for (let length = Math.min(reader.size, HEAD); ; ) {
      const head = await reader.read({ start: 0, end: length });
      try {
        return read(head, limits);
      } catch (error) {
        const more = error instanceof UnspoolError && error.class === 'Truncated' && error.need > length && length < reader.size;
        if (!more) throw error;
        // Double at least: a head that grows byte by byte would take quadratic time.
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
    const [lineCount = 0, rowCount = 0, rowsPerGroup = 1, start = -1] = found.numbers();
    const [names, nameEnds, types, ends] = [found.names(), found.name_ends(), found.types(), found.ends()];
    const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
    const name = (column: number): string | undefined => {
      const end = nameEnds[column];
      return end === undefined ? undefined : utf8.decode(names.subarray(column > 0 ? nameEnds[column - 1] : 0, end));
    };
    const table: At1Table = {
      codec: found.codec() as At1Table['codec'],
      lineCount,
      rowCount,
      groupCount: types.length > 0 ? ends.length / types.length : 0,
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
