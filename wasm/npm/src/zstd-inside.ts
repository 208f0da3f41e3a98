// What Zstandard works with: its tables, and the sequences of a block.
import { checkOptions, checkWhole } from './check.js';
import { room } from './instance.js';
import { limitsOf } from './limits.js';
import { type Bytes, bytesOf } from './source.js';
import { chosen, type ZstdDecodeOptions } from './zstd.js';

const { call } = room('zstd');

/** How many bits the code of each literal has, 0 for one without a code, as a `huffman code` of {@link inspect} describes it. */
export function zstdCodeLengths(description: Bytes, options: Pick<ZstdDecodeOptions, 'format'> = {}): Uint8Array {
  checkOptions(options, { format: true });
  const [bytes, [, format]] = [bytesOf(description), chosen(options)];
  return call((wasm) => wasm.zstd_code_lengths(bytes, format));
}

/** How many states of an FSE table each code has; -1 is one state that is entered with all of its bits. */
export function zstdStateCounts(description: Bytes): Int16Array {
  const bytes = bytesOf(description);
  return call((wasm) => wasm.zstd_state_counts(bytes));
}

/** Sequences, each of which copies literals, and then `matchLengths` bytes from `offsets` back. */
export interface ZstdSequences {
  readonly literalLengths: Uint32Array<ArrayBuffer>;
  readonly matchLengths: Uint32Array<ArrayBuffer>;
  readonly offsets: Uint32Array<ArrayBuffer>;
}

/** The sequences of a block, counted from 0; none if there is no such block. `bytes` start with its frame, and may break off behind the block. */
export function zstdSequences(bytes: Bytes, block: number, options: ZstdDecodeOptions = {}): ZstdSequences {
  const [view, limits, [dictionary, format]] = [bytesOf(bytes), limitsOf(options, { dictionary: true, format: true }), chosen(options)];
  checkWhole('block', block);
  const all = call((wasm) => wasm.zstd_sequences(view, block, dictionary, format, limits));
  const every = (first: number): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: all.length / 3 }, (_, at) => all[3 * at + first] ?? 0);
  return { literalLengths: every(2), matchLengths: every(1), offsets: every(0) };
}
