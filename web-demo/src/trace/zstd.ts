// Zstandard: each byte of the content is a literal, or copied by the match of a sequence.
import type { ZstdLiterals, ZstdSequences } from 'unspool/inspect';
import * as Name from 'unspool/names';
import { nodeAt } from 'unspool/inspect';
import { placesNamed } from '../formats/named';
import { versionOf } from '../formats/zstd-tables';
import { trace as words } from '../words';
import { bytesAsBits, lastAtMost, type Bits, type Found, type MakeTracer, type Piece } from './tracer';

/** A block: its bytes, and its literals if it is compressed. */
interface Block {
  readonly kind: string;
  readonly header: number;
  /** Bytes after its header. */
  start: number;
  end: number;
  /** Literals that are stored without a code. */
  literals: Bits | undefined;
  repeated: boolean;
}

interface Frame {
  readonly start: number;
  readonly end: number;
  readonly blocks: Block[];
  size: number | undefined;
}

/** A compressed block with the position of everything in the content. */
interface Inside {
  readonly sequences: ZstdSequences;
  readonly literals: ZstdLiterals;
  /** First byte of each sequence in the block's content, and the end of the last. */
  readonly places: Uint32Array;
  /** First literal of each sequence, and the first after them. */
  readonly firsts: Uint32Array;
}

export const zstd: MakeTracer = (file, report) => {
  const content = file.content(report);
  const { structure } = report.model;
  const version = versionOf(report);
  const frames: Frame[] = [];
  for (const at of placesNamed(structure, [Name.Frame, Name.ContentSize, Name.Block, Name.BlockHeader, Name.RawBytes, Name.Byte, Name.RawLiterals, Name.RepeatedLiteral])) {
    const { id, value, part, start, end } = nodeAt(structure, at);
    const [frame, block] = [frames.at(-1), frames.at(-1)?.blocks.at(-1)];
    if (id === Name.Frame && part === undefined) frames.push({ start: start / 8, end: end / 8, blocks: [], size: undefined });
    else if (id === Name.ContentSize && frame !== undefined) frame.size = Number(value);
    else if (id === Name.Block && part === undefined) frame?.blocks.push({ kind: value, header: start / 8, start: start / 8, end: end / 8, literals: undefined, repeated: false });
    else if (block === undefined) continue;
    else if (id === Name.BlockHeader) block.start = end / 8;
    else if (id === Name.RawLiterals || id === Name.RepeatedLiteral) {
      block.literals = [start, end];
      block.repeated = id === Name.RepeatedLiteral;
    }
  }

  const lengths = new Map<Frame, Promise<readonly number[]>>();
  /** Returns the content length of each block of a frame. */
  const lengthsOf = (frame: Frame): Promise<readonly number[]> => {
    let known = lengths.get(frame);
    if (known === undefined) lengths.set(frame, (known = measured(frame)));
    return known;
  };
  const measured = async (frame: Frame): Promise<readonly number[]> => {
    const compressed = await file.blockLengths({ start: frame.start, end: frame.end, version });
    let next = 0;
    return Promise.all(frame.blocks.map(async ({ kind, header, start, end }) => {
      if (kind === 'compressed') return compressed[next++] ?? 0;
      if (kind !== 'rle') return end - start;
      return runLength(new Uint8Array(await content.slice(header, header + 3).arrayBuffer()), version);
    }));
  };
  /** Returns the content length of a frame. */
  const sizeOf = async (frame: Frame): Promise<number> => frame.size ?? (await lengthsOf(frame)).reduce((sum, length) => sum + length, 0);

  let last: { readonly block: Block; readonly inside: Promise<Inside> } | undefined;
  const insideOf = (frame: Frame, block: Block): Promise<Inside> => {
    if (last?.block !== block) last = { block, inside: opened(frame, block) };
    return last.inside;
  };
  const opened = async (frame: Frame, block: Block): Promise<Inside> => {
    const wanted = { start: frame.start, end: frame.end, index: frame.blocks.indexOf(block), version };
    const [sequences, literals] = await Promise.all([file.sequences(wanted), file.literals(wanted)]);
    const total = sequences.offsets.length;
    const [places, firsts] = [new Uint32Array(total + 1), new Uint32Array(total + 1)];
    for (let at = 0; at < total; at++) {
      const run = sequences.literalLengths[at] ?? 0;
      places[at + 1] = (places[at] ?? 0) + run + (sequences.matchLengths[at] ?? 0);
      firsts[at + 1] = (firsts[at] ?? 0) + run;
    }
    // Their bits count from the start of the frame.
    const shift = (bits: Float64Array): void => void bits.forEach((bit, at) => (bits[at] = bit + 8 * frame.start));
    [sequences.starts, sequences.ends, literals.starts, literals.ends].forEach(shift);
    return { sequences, literals, places, firsts };
  };

  const bitsOfLiteral = (block: Block, { literals }: Inside, at: number): Bits => {
    if (block.literals === undefined) return [literals.starts[at] ?? 0, literals.ends[at] ?? 0];
    return block.repeated ? block.literals : [block.literals[0] + 8 * at, block.literals[0] + 8 * at + 8];
  };

  return {
    async pieces({ row }) {
      let base = 0;
      for (const frame of frames) {
        const size = await sizeOf(frame);
        if (row >= base + size) {
          base += size;
          continue;
        }
        const all = await lengthsOf(frame);
        for (const [index, block] of frame.blocks.entries()) {
          const [length, at] = [all[index] ?? 0, row - base];
          base += length;
          if (at >= length) continue;
          const where: Piece = { what: words.block, value: words.blockOf(frames.length > 1 ? frames.indexOf(frame) : undefined, index, block.kind, at, length), bits: bytesAsBits(block.header, block.end) };
          if (block.kind !== 'compressed') return [where, { what: words.storedByte, value: block.kind, bits: block.kind === 'rle' ? bytesAsBits(block.start, block.end) : bytesAsBits(block.start + at, block.start + at + 1) }];
          const inside = await insideOf(frame, block);
          const { sequences, places, firsts } = inside;
          const sequence = lastAtMost(places, at);
          const total = sequences.offsets.length;
          const [from, run, copied, offset] = [places[sequence] ?? 0, sequences.literalLengths[sequence] ?? 0, sequences.matchLengths[sequence] ?? 0, sequences.offsets[sequence] ?? 0];
          const bits: Bits = [sequences.starts[sequence] ?? 0, sequences.ends[sequence] ?? 0];
          if (sequence >= total || at < from + run) {
            const literal = (firsts[sequence] ?? 0) + at - from;
            const how = block.literals === undefined ? words.huffman : block.repeated ? words.repeated : words.raw;
            const pieces: Piece[] = [where, { what: words.literal(literal), value: how, bits: bitsOfLiteral(block, inside, literal) }];
            pieces.push(sequence < total ? { what: words.sequence(sequence), value: words.takesLiterals(run, at - from), bits } : { what: words.afterSequences, value: words.lastLiterals });
            return pieces;
          }
          return [where, { what: words.sequence(sequence), value: words.copies(copied, offset, at - from - run), bits }, { what: words.copiedFrom, value: words.contentByte(row - offset), from: row - offset }];
        }
      }
      return [];
    },
    async valuesAt(byte) {
      const frame = frames.find(({ start, end }) => byte >= start && byte < end);
      const block = frame?.blocks.find(({ start, end }) => byte >= start && byte < end);
      if (frame === undefined || block === undefined) return [];
      const all = await lengthsOf(frame);
      const index = frame.blocks.indexOf(block);
      let base = all.slice(0, index).reduce((sum, length) => sum + length, 0);
      for (const before of frames.slice(0, frames.indexOf(frame))) base += await sizeOf(before);
      const length = all[index] ?? 0;
      const found: Found[] = [];
      const add = (text: string, from: number, to: number): void => {
        if (to > from) found.push({ first: { column: 0, row: base + from, place: 0 }, words: words.content(text, base + from, base + to - 1) });
      };
      if (block.kind !== 'compressed') {
        add(block.kind, block.kind === 'rle' ? 0 : byte - block.start, block.kind === 'rle' ? length : byte - block.start + 1);
        return found;
      }
      const inside = await insideOf(frame, block);
      const { sequences, literals, places, firsts } = inside;
      const inByte = (start: number, end: number): boolean => start < 8 * byte + 8 && end > 8 * byte;
      const literal = (at: number): void => {
        const sequence = lastAtMost(firsts, at);
        // Sequences without literals share their first one with the next.
        const place = (places[sequence] ?? 0) + at - (firsts[sequence] ?? 0);
        add(words.literal(at), place, place + 1);
      };
      if (block.literals === undefined) literals.starts.forEach((start, at) => inByte(start, literals.ends[at] ?? 0) && literal(at));
      else if (inByte(...block.literals) && block.repeated) add(words.repeated, 0, length);
      else if (inByte(...block.literals)) literal(byte - block.literals[0] / 8);
      sequences.starts.forEach((start, at) => inByte(start, sequences.ends[at] ?? 0) && add(words.sequence(at), places[at] ?? 0, places[at + 1] ?? 0));
      return found;
    },
  };
};

/** Returns the length of a block that repeats a byte, from its header. */
function runLength([a = 0, b = 0, c = 0]: Uint8Array, version: string | undefined): number {
  if (version === 'zstd-v07') return ((a & 0x3f) << 16) | (b << 8) | c;
  const little = a | (b << 8) | (c << 16);
  return version === 'zstd-draft' ? little >> 2 : little >> 3;
}
