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
  /** First bit of each sequence in `bytes`. */
  readonly starts: Float64Array<ArrayBuffer>;
  /** End of each sequence in bits, exclusive. */
  readonly ends: Float64Array<ArrayBuffer>;
}

/** The bits of the Huffman-coded literals of a block, in the order of the content. */
export interface ZstdLiterals {
  /** First bit of each literal in `bytes`. */
  readonly starts: Float64Array<ArrayBuffer>;
  /** End of each literal in bits, exclusive. */
  readonly ends: Float64Array<ArrayBuffer>;
}

/**
 * Returns the sequences of a block, counted from 0; empty if there is no such block. `bytes` start
 * with the frame and may end after the block.
 */
export async function zstdSequences(bytes: Bytes, block: number, options: ZstdDecodeOptions = {}): Promise<ZstdSequences> {
  const of = argumentsOf(bytes, options);
  checkWhole('block', block);
  const all = await call((wasm) => wasm.zstd_sequences(of.view, block, of.dictionary, of.format, of.limits));
  const every = (first: number): Float64Array<ArrayBuffer> => column(all, first, 5);
  return { literalLengths: Uint32Array.from(every(2)), matchLengths: Uint32Array.from(every(1)), offsets: Uint32Array.from(every(0)), starts: every(3), ends: every(4) };
}

/**
 * Returns the bits of the literals of a block, counted from 0; empty if they are stored without a
 * code. Takes the arguments of {@link zstdSequences}.
 */
export async function zstdLiterals(bytes: Bytes, block: number, options: ZstdDecodeOptions = {}): Promise<ZstdLiterals> {
  const of = argumentsOf(bytes, options);
  checkWhole('block', block);
  const all = await call((wasm) => wasm.zstd_literals(of.view, block, of.dictionary, of.format, of.limits));
  return { starts: column(all, 0, 2), ends: column(all, 1, 2) };
}

/** Returns the content length of each compressed block of a file, without decoding literals. */
export async function zstdBlockLengths(bytes: Bytes, options: ZstdDecodeOptions = {}): Promise<Float64Array> {
  const of = argumentsOf(bytes, options);
  return call((wasm) => wasm.zstd_block_lengths(of.view, of.dictionary, of.format, of.limits));
}

/** Checks and converts the arguments of these functions. */
function argumentsOf(bytes: Bytes, options: ZstdDecodeOptions) {
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { limits: true, dictionary: true, format: true }), formatArguments(options)];
  return { view, limits, dictionary, format };
}

/** Returns one of `width` interleaved columns. */
function column(all: Float64Array, first: number, width: number): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: all.length / width }, (_, at) => all[width * at + first] ?? 0);
}
