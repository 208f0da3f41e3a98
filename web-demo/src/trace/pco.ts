// Pco: each number is made of latents, each of which is a bin and an offset in it.
import * as Name from 'unspool/names';
import { nodeAt, type PcoLatent } from 'unspool/inspect';
import { bitsOf, valueOfLatent } from '../formats/latents';
import { chunksOf, type Chunk } from '../formats/pco-bins';
import { placesNamed } from '../formats/named';
import { count } from '../format';
import { trace as words } from '../words';
import { bitsIn, type Bits, type Found, type MakeTracer, type Piece } from './tracer';

/** A chunk: its bytes, its numbers, and the latents that the metadata of its page holds. */
interface Place {
  readonly start: number;
  end: number;
  readonly first: number;
  count: number;
  readonly states: { readonly value: string; readonly bits: Bits }[];
}

export const pco: MakeTracer = (file, report) => {
  const content = file.content(report);
  const { structure } = report.model;
  const places: Place[] = [];
  let before = '';
  for (const at of placesNamed(structure, [Name.Chunk, Name.NumbersLess1, Name.Page, Name.PageOfNumbers, Name.Variable, Name.State])) {
    const { id, value, start, end } = nodeAt(structure, at);
    const place = places.at(-1);
    if (id === Name.Chunk) places.push({ start: start / 8, end: end / 8, first: (place?.first ?? 0) + (place?.count ?? 0), count: 0, states: [] });
    else if (place === undefined) continue;
    else if (id === Name.NumbersLess1) place.count = Number(value) + 1;
    else if (id === Name.Page) place.end = Math.ceil(end / 8);
    else if (id === Name.PageOfNumbers) [place.end, place.count] = [end / 8, Number(value)];
    else if (id === Name.Variable) before = value;
    // Only those of the primary variable are numbers themselves.
    else if (before === 'primary') place.states.push({ value, bits: [start, end] });
  }
  const header = places[0]?.start ?? 0;
  const chunks = chunksOf(structure);
  /** Returns latents of a chunk, with their bits in the file. */
  const latents = async (place: Place, by: 'numbers' | 'bits', [start, end]: Bits): Promise<PcoLatent[]> => {
    // The header and one chunk are read as a file.
    const shift = 8 * (place.start - header);
    const range = by === 'bits' ? { start: start - shift, end: end - shift } : { start, end };
    const found = await file.latents({ header, start: place.start, end: place.end, wanted: by === 'bits' ? { bits: range } : { numbers: range } });
    const moved = ({ start, end }: { start: number; end: number }) => ({ start: start + shift, end: end + shift });
    return found.map((latent) => ({ ...latent, symbol: moved(latent.symbol), offset: moved(latent.offset) }));
  };
  const read = async ({ start, end }: { start: number; end: number }): Promise<bigint> => {
    const from = Math.floor(start / 8);
    return bitsIn(new Uint8Array(await content.slice(from, Math.ceil(end / 8)).arrayBuffer()), from, [start, end]);
  };

  return {
    async pieces({ row }) {
      const at = places.findIndex(({ first, count }) => row >= first && row < first + count);
      const [place, chunk] = [places[at], chunks[at]];
      if (place === undefined) return [];
      const number = row - place.first;
      const pieces: Piece[] = [];
      const { states } = place;
      const state = states[number];
      if (state !== undefined) {
        pieces.push({ what: words.state(number), value: chunk === undefined ? state.value : valueOfLatent(BigInt(state.value), chunk.dtype), bits: state.bits });
        return pieces;
      }
      for (const { variable, bin, symbol, offset } of await latents(place, 'numbers', [number, number + 1])) {
        const bins = chunk?.variables.find(({ name }) => name === variable)?.bins;
        const lower = bins?.[bin]?.lower;
        pieces.push({ what: words.bin(variable), value: words.binOf(bin, symbol.end - symbol.start), bits: [symbol.start, symbol.end] });
        const value = await read(offset);
        pieces.push({ what: words.offset(variable), value: words.offsetInBin(value, lower === undefined ? undefined : latentOf(chunk, variable, lower + value)), bits: [offset.start, offset.end] });
      }
      if (chunk !== undefined && chunk.delta !== 'none' && number > 0) pieces.push({ what: words.before, value: words.deltaFrom(chunk.delta), from: row - 1 });
      if (chunk !== undefined && chunk.mode !== 'classic') pieces.push({ what: words.mode, value: chunk.mode });
      return pieces;
    },
    async valuesAt(byte) {
      const place = places.find(({ start, end }) => byte >= start && byte < end);
      if (place === undefined) return [];
      const inByte = ([start, end]: Bits): boolean => start < 8 * byte + 8 && end > 8 * byte;
      const found: Found[] = [];
      const add = (number: number, text: string): void => void found.push({ first: { column: 0, row: place.first + number, place: 0 }, words: words.isOf(text, place.first + number) });
      place.states.forEach(({ bits }, number) => inByte(bits) && add(number, words.state(number)));
      for (const { variable, number, symbol, offset } of await latents(place, 'bits', [8 * byte, 8 * byte + 8])) {
        if (inByte([symbol.start, symbol.end])) add(number, words.bin(variable));
        if (inByte([offset.start, offset.end])) add(number, words.offset(variable));
      }
      return found.sort((a, b) => a.first.row - b.first.row);
    },
  };
};

/** Formats a latent: the number itself, or a difference of latents. */
function latentOf(chunk: Chunk | undefined, variable: string, latent: bigint): string {
  if (chunk === undefined) return count(Number(latent));
  const width = bitsOf(chunk.dtype);
  if (variable === 'primary' && chunk.mode === 'classic' && chunk.delta === 'none') return valueOfLatent(latent, chunk.dtype);
  const middle = variable === 'primary' && chunk.mode !== 'dict' && chunk.delta !== 'none' ? 1n << BigInt(width - 1) : 0n;
  return String(BigInt.asIntN(width + 1, latent - middle));
}
