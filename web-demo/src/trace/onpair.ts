// OnPair: a row is a list of codes, each of which represents a token of the dictionary.
import * as Name from 'unspool/names';
import { nodeAt, type Node, type Structure } from 'unspool/inspect';
import { hex } from '../format';
import type { Content } from '../arrive/remote';
import { placesNamed } from '../formats/named';
import { trace as words } from '../words';
import { bitsIn, lastAtMost, type Bits, type Found, type MakeTracer, type Piece } from './tracer';

/** Bytes of an entry of the tables of offsets. */
const WIDTH = 4;
/** Maximum number of codes listed for a row. */
const MOST = 200;

export const onpair: MakeTracer = (file, report) => {
  const content = file.content(report);
  const { structure } = report.model;
  // The tables also exist in the outline of a large file.
  const table = (name: number): Node | undefined => nodesAt(structure, name).at(-1);
  const [rowOffsets, tokenOffsets, codes, tokens] = [table(Name.RowOffsets), table(Name.TokenOffsets), table(Name.Codes), table(Name.Tokens)];
  const width = Number(table(Name.BitsACode)?.value ?? 0);
  if (rowOffsets === undefined || tokenOffsets === undefined || codes === undefined || tokens === undefined || width === 0) return { pieces: async () => [], valuesAt: async () => [] };
  const numbers = async (of: Node, first: number, count: number): Promise<number[]> => {
    const start = of.start / 8 + WIDTH * first;
    const bytes = await read(content, start, Math.min(of.end / 8, start + WIDTH * count));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Array.from({ length: Math.floor(bytes.length / WIDTH) }, (_, at) => view.getUint32(WIDTH * at, true));
  };
  const bitsOf = (code: number): Bits => [codes.start + width * code, codes.start + width * (code + 1)];
  const token = async (code: number): Promise<{ readonly bits: Bits; readonly text: string }> => {
    const [start = 0, end = 0] = await numbers(tokenOffsets, code, 2);
    const bytes = await read(content, tokens.start / 8 + start, tokens.start / 8 + end);
    return { bits: [tokens.start + 8 * start, tokens.start + 8 * end], text: textOf(bytes) };
  };
  /** Reads codes from a table of a few entries around a row. */
  const codesFrom = async (first: number, after: number): Promise<number[]> => {
    const [[start], [, end]] = [bitsOf(first), bitsOf(after - 1)];
    const from = Math.floor(start / 8);
    const bytes = await read(content, from, Math.ceil(end / 8));
    return Array.from({ length: after - first }, (_, at) => Number(bitsIn(bytes, from, bitsOf(first + at))));
  };
  let offsets: Promise<number[]> | undefined;
  const allOffsets = (): Promise<number[]> => (offsets ??= numbers(rowOffsets, 0, (rowOffsets.end - rowOffsets.start) / 8 / WIDTH));
  return {
    async pieces({ row }) {
      const [first, after] = await numbers(rowOffsets, row, 2);
      if (first === undefined || after === undefined) return [];
      const start = rowOffsets.start + 8 * WIDTH * row;
      const pieces: Piece[] = [
        { what: words.rowOffsets, value: words.codesFrom(first, after), bits: [start, start + 16 * WIDTH] },
        ...(after > first ? [{ what: words.allCodes, value: words.codeCount(after - first, width), bits: [bitsOf(first)[0], bitsOf(after)[0]] as const }] : []),
      ];
      const shown = Math.min(after, first + MOST);
      const all = shown > first ? await codesFrom(first, shown) : [];
      const known = new Map(await Promise.all([...new Set(all)].map(async (code) => [code, await token(code)] as const)));
      all.forEach((code, at) => {
        const text = known.get(code)?.text ?? '';
        pieces.push({ what: words.code(at), value: words.codeOf(code, text), bits: bitsOf(first + at) });
        const held = known.get(code);
        if (held !== undefined && all.indexOf(code) === at) pieces.push({ what: words.token(code), value: text, bits: held.bits });
      });
      return pieces;
    },
    async valuesAt(byte) {
      const [start, end] = [8 * byte, 8 * byte + 8];
      if (start >= codes.end || end <= codes.start) {
        if (start < rowOffsets.start || start >= rowOffsets.end) return [];
        const row = Math.floor((start - rowOffsets.start) / 8 / WIDTH);
        return row < (report.summary?.rows ?? 0) ? [rowFound(row, words.offsetOf)] : [];
      }
      const rows = await allOffsets();
      const found: Found[] = [];
      const [low, high] = [start, end - 1].map((bit) => lastAtMost(rows, Math.floor(Math.max(0, bit - codes.start) / width)));
      for (let row = low ?? 0; row <= Math.min(high ?? -1, rows.length - 2); row++) if (row >= 0) found.push(rowFound(row, words.partOf));
      return found;
    },
  };
};

function rowFound(row: number, words: (row: number) => string): Found {
  return { first: { column: 0, row, place: 0 }, words: words(row) };
}

function nodesAt(structure: Structure, name: number): Node[] {
  const nodes: Node[] = [];
  for (const at of placesNamed(structure, [name])) nodes.push(nodeAt(structure, at));
  return nodes;
}

async function read(content: Content, start: number, end: number): Promise<Uint8Array> {
  return new Uint8Array(await content.slice(start, Math.max(start, end)).arrayBuffer());
}

/** Shows a token as text if it is text. */
function textOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (/^[^\p{C}]+$/u.test(text)) return `“${text}”`;
  } catch {
    // Tokens may start or end within a letter.
  }
  return Array.from(bytes, (byte) => hex(byte, 2)).join(' ');
}
