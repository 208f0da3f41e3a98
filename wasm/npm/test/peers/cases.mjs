// Files and how they are damaged: the same for every decoder, and reproducible.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeAt1, decodeAt1Into } from '../../dist/entries/at1.js';
import { decodeCvc } from '../../dist/entries/cvc.js';
import { decodeGzip, decodeGzipInto } from '../../dist/entries/gzip.js';
import { decodeOnPair } from '../../dist/entries/onpair.js';
import { decodePco } from '../../dist/entries/pco.js';
import { decodeXz, decodeXzInto } from '../../dist/entries/xz.js';
import { decodeZstd, decodeZstdInto } from '../../dist/entries/zstd.js';

const vector = (name) => new Uint8Array(readFileSync(new URL(`../../../../tests/vectors/${name}`, import.meta.url)));

const asBytes = ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength);
const into = (decode) => (bytes, room) => room.subarray(0, decode(bytes, room));

/**
 * This package's decoders, and the file to damage. `checksum` is the offset of the file's last
 * checksum, if any.
 */
export const FORMATS = {
  zstd: { file: vector('zstd/rfc8878/text-1025.zst'), checksum: (size) => [size - 4, size], own: decodeZstd, into: into(decodeZstdInto) },
  xz: { file: vector('xz/page.xz'), own: decodeXz, into: into(decodeXzInto) },
  gzip: { file: vector('gzip/v1_int8.cvc.gz'), checksum: (size) => [size - 8, size - 4], own: decodeGzip, into: into(decodeGzipInto) },
  pco: { file: vector('pco/assets/v1_0_0_conv1.pco'), own: (bytes) => asBytes(decodePco(bytes).data) },
  onpair: { file: vector('onpair/cpp/urls_b12.onp'), own: (bytes) => asBytes(decodeOnPair(bytes).bytes) },
  cvc: { file: vector('cvc/v1_int8.cvc'), own: (bytes) => asBytes(decodeCvc(bytes).data) },
  at1: { file: vector('at1/c8_events_be_cycle.at1'), checksum: (size) => [size - 36, size - 4], own: decodeAt1, into: into(decodeAt1Into) },
};

const MAGIC = { zstd: 4, xz: 6, gzip: 3, pco: 4, onpair: 8, cvc: 4, at1: 5 };

/** Returns evenly spaced numbers below `end`; all of them if they are few. */
function spread(end, most) {
  const count = Math.min(end, most);
  return Array.from({ length: count }, (_, at) => Math.floor((at * end) / count));
}

/** Returns pseudo-random bytes, the same each time. */
function* noise(seed) {
  for (let state = seed * 2 + 1; ; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield state & 255;
  }
}

function garbage(seed, length) {
  const bytes = noise(seed * 7919 + 1);
  return Uint8Array.from({ length }, () => bytes.next().value);
}

function flipped(file, bit) {
  const copy = file.slice();
  copy[bit >> 3] ^= 1 << (bit & 7);
  return copy;
}

/** Returns the damaged files of a format: a title, and the files. */
export function damage(format) {
  const { file, checksum } = FORMATS[format];
  const whole = [
    ['cut short', spread(file.length, 300).map((length) => file.slice(0, length))],
    ['one bit flipped', spread(file.length * 8, 600).map((bit) => flipped(file, bit))],
  ];
  if (checksum !== undefined) {
    const [start, end] = checksum(file.length);
    whole.push(['a bit of the checksum flipped', spread((end - start) * 8, 32).map((bit) => flipped(file, start * 8 + bit))]);
  }
  whole.push(['garbage', spread(100, 100).map((seed) => garbage(seed, 1 + seed * 11))]);
  whole.push([
    'garbage after the magic number',
    spread(100, 100).map((seed) => {
      const bytes = garbage(seed, MAGIC[format] + 1 + seed * 11);
      bytes.set(file.subarray(0, MAGIC[format]));
      return bytes;
    }),
  ]);
  return whole;
}

export const same = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);

/** Returns the content of the intact file. */
export function expected(format) {
  const { file, own } = FORMATS[format];
  return format === 'gzip' ? new Uint8Array(gunzipSync(file)) : own(file);
}

/** Counts the outcomes in words. */
export function words(outcomes) {
  const counts = new Map();
  for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const order = ['refused', 'right', 'wrong bytes', 'breaks down', 'hangs'];
  const names = [...counts.keys()].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return names.map((name) => (names.length === 1 ? `all ${counts.get(name)} ${name}` : `${counts.get(name)} ${name}`)).join(', ');
}

/**
 * Tests the place of an error: of a truncated file its length, else an offset in 0..length, without
 * the length.
 */
const isPlaced = ({ class: class_, offset }, { length }) => Number.isSafeInteger(offset) && (class_ === 'Truncated' ? offset === length : offset >= 0 && offset < length);

/** Decodes a broken file with this package. */
export function ownOutcome(format, bytes, wanted) {
  try {
    return same(FORMATS[format].own(bytes), wanted) ? 'right' : 'wrong bytes';
  } catch (error) {
    if (error.name === 'Trap' || error.class === 'Internal' || error.class === undefined) return 'breaks down';
    return isPlaced(error, bytes) ? 'refused' : 'misplaced';
  }
}
