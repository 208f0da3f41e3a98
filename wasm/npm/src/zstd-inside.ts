// Zstandard: the tables of a block, and its sequences.
import { checkOptions } from './check.js';
import { checkWhole } from './check-numbers.js';
import { loadInspector } from './inspectors.js';
import { inspectorFor } from './inspection.js';
import type { Exports } from './instance.js';
import { limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './bytes.js';
import { formatArguments, type ZstdDecodeOptions } from './zstd.js';

/** Calls the inspector. */
async function call<T>(run: (wasm: Exports) => T): Promise<T> {
  await loadInspector('zstd');
  return inspectorFor('zstd').call(run);
}

/**
 * Returns the code length of each literal, 0 for none, from a `huffman code` field of {@link
 * inspect}.
 */
export async function zstdCodeLengths(description: Bytes, options: Pick<ZstdDecodeOptions, 'format'> = {}): Promise<Uint8Array> {
  checkOptions(options, { format: true });
  const [bytes, [, format]] = [bytesOf(description), formatArguments(options)];
  return call((wasm) => wasm.zstd_code_lengths(bytes, format));
}

/**
 * Returns the number of states of each code in an FSE table; -1 is a single state below probability
 * 1.
 */
export async function zstdStateCounts(description: Bytes): Promise<Int16Array> {
  const bytes = bytesOf(description);
  return call((wasm) => wasm.zstd_state_counts(bytes));
}

/** The sequences of a block. Each appends literals, then a match. */
export interface ZstdSequences {
  /** Literals appended before each match. */
  readonly literalLengths: Uint32Array<ArrayBuffer>;
  /** Length of each match. */
  readonly matchLengths: Uint32Array<ArrayBuffer>;
  /** Offset of each match, back from the end of the output. */
  readonly offsets: Uint32Array<ArrayBuffer>;
}

/**
 * Returns the sequences of a block, counted from 0; empty if there is no such block. `bytes` start
 * with the frame and may end after the block.
 */
export async function zstdSequences(bytes: Bytes, block: number, options: ZstdDecodeOptions = {}): Promise<ZstdSequences> {
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { dictionary: true, format: true }), formatArguments(options)];
  checkWhole('block', block);
  const all = await call((wasm) => wasm.zstd_sequences(view, block, dictionary, format, limits));
  const every = (first: number): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: all.length / 3 }, (_, at) => all[3 * at + first] ?? 0);
  return { literalLengths: every(2), matchLengths: every(1), offsets: every(0) };
}
