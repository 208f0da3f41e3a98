// A Pco file that is too large to decode as a whole. The outline has the position of each chunk;
// the file header and one chunk form a valid file.
import type { PcoArray } from 'unspool';
import { pcoBinCounts, type Structure } from 'unspool/inspect';
import * as Name from 'unspool/names';
import { decodePco } from 'unspool/pco/separate';
import { count } from '../format';
import type { Content } from '../arrive/remote';
import type { Rows } from '../values';
import { fileOf } from '../data/writers';
import { piecesOf, type Column } from './column';
import type { Opened } from './door';
import { bitsOf } from './latents';
import { nodesNamed } from './named';
import { numbersOf } from './pco';
import { facts as words, saving } from '../words';

/** Position of a chunk, and the number of its first value. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly first: number;
  readonly count: number;
}

export async function openLargePco(content: Content, structure: Structure): Promise<Opened> {
  const places = placesOf(structure);
  const header = new Uint8Array(await content.slice(0, places[0]?.start ?? 0).arrayBuffer());
  const total = places.reduce((sum, { count }) => sum + count, 0);

  const chunkFile = async (place: Place | undefined): Promise<Uint8Array> => {
    if (place === undefined) throw new Error('no such chunk');
    const chunk = new Uint8Array(await content.slice(place.start, place.end).arrayBuffer());
    const file = new Uint8Array(header.length + chunk.length + 1);
    file.set(header);
    file.set(chunk, header.length);
    return file;
  };
  // The next request is probably for rows nearby.
  let last: { place: Place; numbers: Promise<PcoArray> } | undefined;
  const decoded = (place: Place): Promise<PcoArray> => {
    if (last?.place === place) return last.numbers;
    const numbers = chunkFile(place).then((file) => decodePco(file));
    last = { place, numbers };
    // A server may have failed: the next request tries again.
    numbers.catch(() => (last = undefined));
    return numbers;
  };

  const rows = async (start: number, end: number, raw = false): Promise<Rows> => {
    const parts: Rows['data'][] = [];
    for (let at = placeOf(places, start); at < places.length; at++) {
      const place = places[at];
      if (place === undefined || place.first >= end) break;
      parts.push(numbersOf(await decoded(place), Math.max(0, start - place.first), end - place.first, raw).data);
    }
    return { start, dimension: 1, data: joined(parts) };
  };

  const dtype = (places[0] && (await decoded(places[0])).dtype) ?? '';
  const facts: [string, string][] = [[words.numbers, count(total)], [words.type, dtype], [words.chunks, count(places.length)]];
  const columns = [{ name: dtype, dimension: 1, dtype, compression: 'none', rows: total }];
  const ends = places.map(({ first, count }) => first + count);
  const long = (raw = false): Column => ({
    rows: total,
    dimension: 1,
    ends,
    read: (start, end) => rows(start, end, raw),
  });
  return {
    summary: {
      version: '', facts: facts.filter(([, fact]) => fact !== ''), rows: total, columns, chunkEnds: ends, shows: 'numbers', hasChecksums: undefined,
      decoded: dtype === '' ? 0 : (total * bitsOf(dtype)) / 8,
    },
    rows: (_, start, end) => rows(start, end),
    bins: async ({ chunk, variable }) => pcoBinCounts(await chunkFile(places[chunk]), 0, variable),
    numbers: () => long(),
    save: ({ kind }, tell) => fileOf(kind, total, piecesOf(long(kind === 'raw'), tell)),
  };
}

function placesOf(structure: Structure): Place[] {
  const chunks = nodesNamed(structure, Name.Chunk);
  let first = 0;
  return Array.from(nodesNamed(structure, Name.PageOfNumbers), ({ value, start, end }) => {
    const chunk = chunks.next().value;
    const place = { start: (chunk?.start ?? start) / 8, end: end / 8, first, count: Number(value) };
    first += place.count;
    return place;
  });
}

/** Returns the chunk that holds a value. */
function placeOf(places: readonly Place[], row: number): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.first ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Concatenates numbers of one type. */
function joined(parts: readonly Rows['data'][]): Rows['data'] {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return first ?? new Float64Array();
  if (others.some((part) => part.constructor !== first.constructor)) throw new Error(saving.mixed);
  const all = new (first.constructor as new (length: number) => Rows['data'])(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part as never, at);
    at += part.length;
  }
  return all;
}
