// CVC: values lie one after the other, each of a fixed width, or as codes in four byte planes.
import * as Name from 'unspool/names';
import { nodeAt } from 'unspool/inspect';
import { exact, half, hex } from '../format';
import { placesNamed } from '../formats/named';
import { trace as words } from '../words';
import { bitsIn, bytesAsBits, type Bits, type Found, type MakeTracer, type Piece, type Value } from './tracer';

/** A chunk: its rows, and the values of each column, or its byte planes. */
interface Chunk {
  readonly first: number;
  readonly end: number;
  readonly columns: Column[];
  readonly planes: Plane[];
}

interface Column {
  readonly name: string;
  readonly encoding: string;
  readonly start: number;
  readonly end: number;
}

interface Plane {
  readonly width: number;
  dictionary: number;
  codes: number;
  end: number;
}

export const cvc: MakeTracer = (file, report) => {
  const content = file.content(report);
  const { model: { structure }, summary } = report;
  const ends = summary?.chunkEnds ?? [];
  const columns = summary?.columns ?? [];
  const chunks: Chunk[] = [];
  const bounds: Record<number, Piece[]> = { [Name.Min]: [], [Name.Scale]: [] };
  const widths: number[] = [];
  for (const at of placesNamed(structure, [Name.Chunk, Name.BitsOfACode, Name.Values, Name.Column, Name.Plane, Name.Dictionary, Name.Codes, Name.Min, Name.Scale])) {
    const { id, value, part, depth, start, end } = nodeAt(structure, at);
    // Descriptions of chunks in the header are deeper.
    if (id === Name.Chunk && depth === 0) {
      const index = chunks.length;
      chunks.push({ first: ends[index - 1] ?? 0, end: ends[index] ?? 0, columns: [], planes: [] });
      widths.length = 0;
    }
    const chunk = chunks.at(-1);
    const plane = chunk?.planes.at(-1);
    if (id === Name.Min || id === Name.Scale) bounds[id]?.push({ what: id === Name.Min ? words.min : words.scale, value, bits: [start, end] });
    else if (chunk === undefined) continue;
    else if (id === Name.BitsOfACode) widths.push(Number(value));
    else if (part === 'data' || part === 'packed') {
      const [only] = columns;
      if (id === Name.Values) chunk.columns.push({ name: only?.name ?? '', encoding: value, start: start / 8, end: end / 8 });
      else if (id === Name.Column) chunk.columns.push({ name: value, encoding: columns.find(({ name }) => name === value)?.compression ?? '', start: start / 8, end: end / 8 });
    } else if (id === Name.Plane) chunk.planes.push({ width: widths[chunk.planes.length] ?? 8, dictionary: 0, codes: 0, end: 0 });
    else if (plane === undefined) continue;
    else if (id === Name.Dictionary) plane.dictionary = start / 8;
    else if (id === Name.Codes) [plane.codes, plane.end] = [start / 8, end / 8];
  }
  const chunkOf = (row: number): Chunk | undefined => chunks.find(({ first, end }) => row >= first && row < end);
  const read = async (start: number, end: number): Promise<Uint8Array> => new Uint8Array(await content.slice(start, end).arrayBuffer());
  const storedIn = (chunk: Chunk, column: number): Column | undefined => (columns.length === 1 ? chunk.columns[0] : chunk.columns.find(({ name }) => name === columns[column]?.name));

  const planesOf = async (chunk: Chunk, index: number): Promise<Piece[]> => {
    const pieces: Piece[] = [];
    for (const [number, { width, dictionary, codes }] of chunk.planes.entries()) {
      const bits = codeBits(codes, width, index);
      const from = Math.floor(bits[0] / 8);
      const bytes = await read(from, from + 2);
      // Codes are packed from the highest bit on.
      const shift = 16 - ((index * width) % 8) - width;
      const code = ((((bytes[0] ?? 0) << 8) | (bytes[1] ?? 0)) >> shift) & (2 ** width - 1);
      const [byte = 0] = await read(dictionary + code, dictionary + code + 1);
      pieces.push({ what: words.planeCode(number), value: words.codeInPlane(code), bits });
      pieces.push({ what: words.planeByte(number), value: `0x${hex(byte, 2)}`, bits: bytesAsBits(dictionary + code, dictionary + code + 1) });
    }
    return pieces;
  };

  /** Returns the width of a value in bytes, or 0. */
  const widthOf = ({ first, end }: Chunk, { start, end: after }: Column, dimension: number): number => (after - start) / Math.max(1, (end - first) * dimension);

  return {
    async pieces({ column, row, place }) {
      const [chunk, dimension] = [chunkOf(row), columns[column]?.dimension ?? 1];
      if (chunk === undefined) return [];
      const index = (row - chunk.first) * dimension + place;
      if (chunk.planes.length > 0) return planesOf(chunk, index);
      const stored = storedIn(chunk, column);
      const width = stored && widthOf(chunk, stored, dimension);
      // An outline does not look into lossless columns.
      if (stored === undefined || stored.encoding === 'lossless' || width === undefined || !Number.isInteger(width) || width === 0) return [];
      const start = stored.start + index * width;
      const bytes = await read(start, start + width);
      const pieces: Piece[] = [];
      if (dimension > 1) pieces.push({ what: words.wholeRow, value: words.valuesOf(dimension), bits: bytesAsBits(start - place * width, start + (dimension - place) * width) });
      pieces.push({ what: words.storedAs(stored.encoding, columns[column]?.dtype ?? '', width), value: readAs(stored.encoding, columns[column]?.dtype ?? '', bytes), bits: bytesAsBits(start, start + width) });
      // A file whose chunks all have bounds lists them in the order of the chunks.
      const at = chunks.indexOf(chunk);
      if (stored.encoding === 'int8') for (const list of Object.values(bounds)) if (list.length === ends.length && list[at] !== undefined) pieces.push(list[at]);
      return pieces;
    },
    async valuesAt(byte) {
      for (const chunk of chunks) {
        const found: Found[] = [];
        const values = (column: number, from: number, to: number): void => {
          const dimension = columns[column]?.dimension ?? 1;
          const [first, last] = [valueOf(chunk, column, dimension, from), valueOf(chunk, column, dimension, to)];
          if (first.row < chunk.end) found.push({ first, words: words.valueIn(columns.length > 1 ? (columns[column]?.name ?? '') : '', first.row, dimension > 1 ? first.place : undefined, to > from ? { row: last.row, place: last.place } : undefined) });
        };
        for (const stored of chunk.columns) {
          if (byte < stored.start || byte >= stored.end || stored.encoding === 'lossless') continue;
          const column = columns.length === 1 ? 0 : columns.findIndex(({ name }) => name === stored.name);
          const width = widthOf(chunk, stored, columns[column]?.dimension ?? 1);
          const index = Math.floor((byte - stored.start) / width);
          if (column >= 0 && width >= 1) values(column, index, index);
        }
        for (const { width, codes, end } of chunk.planes) {
          if (byte < codes || byte >= end) continue;
          const bit = 8 * (byte - codes);
          const last = (chunk.end - chunk.first) * (columns[0]?.dimension ?? 1) - 1;
          values(0, Math.floor(bit / width), Math.min(last, Math.floor((bit + 7) / width)));
        }
        if (found.length > 0) return found;
      }
      return [];
    },
  };
};

function valueOf({ first }: Chunk, column: number, dimension: number, index: number): Value {
  return { column, row: first + Math.floor(index / dimension), place: index % dimension };
}

/** Returns the bits of a code. One that two bytes share has the bits of both. */
function codeBits(codes: number, width: number, index: number): Bits {
  const [byte, place] = [codes + Math.floor((index * width) / 8), (index * width) % 8];
  return place + width > 8 ? bytesAsBits(byte, byte + 2) : [8 * byte + 8 - place - width, 8 * byte + 8 - place];
}

/** Formats stored bytes as a number. */
function readAs(encoding: string, dtype: string, bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === 'int8') return words.codeOfRange(bytes[0] ?? 0);
  if (bytes.length === 2) return exact(half(view.getUint16(0, true)));
  if (dtype === 'float32' && bytes.length === 4) return exact(view.getFloat32(0, true));
  const value = bitsIn(bytes, 0, [0, 8 * bytes.length]);
  return String(dtype.startsWith('u') ? value : BigInt.asIntN(8 * bytes.length, value));
}
