// A plain decoder of LZMA, one bit at a time, to compare others with. It adds up −log2 of the
// probability of each bit.
import assert from 'node:assert/strict';

/** The state between two chunks. */
class Lzma {
  setProperties(byte) {
    [this.lc, this.lp, this.pb] = [byte % 9, Math.floor(byte / 9) % 5, Math.floor(byte / 45)];
  }

  reset() {
    this.p = new Map();
    [this.reps, this.state] = [[0, 0, 0, 0], 0];
  }

  /** Decodes symbols until the output has `size` bytes, or until the marker. */
  symbols(bytes, out, base, size) {
    let [range, code, at, cost] = [0xffffffff, 0, 5, 0];
    for (const byte of bytes.subarray(1, 5)) code = ((code << 8) | byte) >>> 0;
    const normalise = () => {
      if (range >= 2 ** 24) return;
      range = (range << 8) >>> 0;
      code = ((code << 8) | bytes[at++]) >>> 0;
    };
    const bit = (name) => {
      normalise();
      const p = this.p.get(name) ?? 1024;
      const bound = (range >>> 11) * p;
      const one = code >= bound;
      cost -= Math.log2((one ? 2048 - p : p) / 2048);
      if (one) [range, code] = [range - bound, code - bound];
      else range = bound;
      this.p.set(name, one ? p - (p >> 5) : p + ((2048 - p) >> 5));
      return one ? 1 : 0;
    };
    const direct = (count) => {
      let value = 0;
      for (let index = 0; index < count; index++) {
        normalise();
        range >>>= 1;
        cost += 1;
        const one = code >= range;
        if (one) code -= range;
        value = 2 * value + (one ? 1 : 0);
      }
      return value;
    };
    const tree = (name, count) => {
      let node = 1;
      for (let index = 0; index < count; index++) node = 2 * node + bit(`${name} ${node}`);
      return node - 2 ** count;
    };
    const reverse = (name, count) => {
      let [node, value] = [1, 0];
      for (let index = 0; index < count; index++) {
        const one = bit(`${name} ${node}`);
        node = 2 * node + one;
        value += one * 2 ** index;
      }
      return value;
    };
    const length = (name, position) => {
      if (!bit(`${name} choice`)) return 2 + tree(`${name} low ${position}`, 3);
      if (!bit(`${name} choice2`)) return 10 + tree(`${name} mid ${position}`, 3);
      return 18 + tree(`${name} high`, 8);
    };
    const distance = (length) => {
      const slot = tree(`slot ${Math.min(length - 2, 3)}`, 6);
      if (slot < 4) return slot;
      const count = (slot >> 1) - 1;
      const high = (2 + (slot & 1)) * 2 ** count;
      if (slot < 14) return high + reverse(`special ${slot}`, count);
      return high + direct(count - 4) * 16 + reverse('align', 4);
    };
    const found = [];
    while (size === undefined || out.length < size) {
      [cost] = [0];
      const start = out.length;
      const position = (start - base) & ((1 << this.pb) - 1);
      const { state } = this;
      let kind;
      if (!bit(`match ${state} ${position}`)) {
        kind = 'literal';
        const previous = start > base ? out[start - 1] : 0;
        const context = `${(start - base) & ((1 << this.lp) - 1)} ${previous >> (8 - this.lc)}`;
        let node = 1;
        if (state >= 7) {
          const guess = out[start - this.reps[0] - 1];
          for (let place = 7; place >= 0 && node < 256; place--) {
            const guessed = (guess >> place) & 1;
            const one = bit(`literal ${context} ${1 + guessed} ${node}`);
            node = 2 * node + one;
            if (one !== guessed) break;
          }
        }
        while (node < 256) node = 2 * node + bit(`literal ${context} 0 ${node}`);
        out.push(node - 256);
        this.state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
        found.push({ kind, start, length: 1, distance: 0, byte: node - 256, cost });
        continue;
      }
      let count;
      if (!bit(`rep ${state}`)) {
        kind = 'match';
        count = length('match length', position);
        this.reps = [distance(count), ...this.reps.slice(0, 3)];
        this.state = state < 7 ? 7 : 10;
        if (this.reps[0] === 0xffffffff) {
          found.push({ kind: 'endMarker', start, length: 0, distance: 0, byte: 0, cost });
          break;
        }
      } else {
        let which = 0;
        if (bit(`rep0 ${state}`)) which = bit(`rep1 ${state}`) ? 2 + bit(`rep2 ${state}`) : 1;
        else if (!bit(`long ${state} ${position}`)) [kind, count] = ['shortRep', 1];
        this.reps = [this.reps[which], ...this.reps.filter((_, index) => index !== which)];
        kind ??= `rep${which}`;
        count ??= length('rep length', position);
        this.state = kind === 'shortRep' ? (state < 7 ? 9 : 11) : state < 7 ? 8 : 11;
      }
      for (let index = 0; index < count; index++) out.push(out[out.length - this.reps[0] - 1]);
      found.push({ kind, start, length: count, distance: this.reps[0] + 1, byte: out[start], cost });
    }
    return found;
  }
}

/** Lists the chunks of LZMA2 from byte `at` on, with their symbols. */
export function chunksOf(bytes, at, out) {
  const [chunks, lzma] = [[], new Lzma()];
  let base = out.length;
  for (;;) {
    const [start, control] = [at, bytes[at++]];
    if (control === 0) return chunks;
    if (control === 1 || control >= 0xe0) base = out.length;
    const size = ((control & 0x1f) << 16) * (control < 128 ? 0 : 1) + 256 * bytes[at] + bytes[at + 1] + 1;
    at += 2;
    const content = { start: out.length, end: out.length + size };
    if (control < 128) {
      out.push(...bytes.subarray(at, at + size));
      at += size;
      chunks.push({ start, end: at, control, content, symbols: [], coded: 0 });
      continue;
    }
    const coded = 256 * bytes[at] + bytes[at + 1] + 1;
    at += 2;
    if (control >= 0xc0) lzma.setProperties(bytes[at++]);
    if (control >= 0xa0) lzma.reset();
    const symbols = lzma.symbols(bytes.subarray(at, at + coded), out, base, content.end);
    at += coded;
    chunks.push({ start, end: at, control, content, symbols, coded });
  }
}

/** Lists the stream of a `.lzma` file as one chunk. */
export function streamOf(bytes, out) {
  const lzma = new Lzma();
  lzma.setProperties(bytes[0]);
  lzma.reset();
  const size = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(5, true);
  const symbols = lzma.symbols(bytes.subarray(13), out, 0, size === 0xffffffffffffffffn ? undefined : Number(size));
  return { start: 13, end: bytes.length, control: undefined, content: { start: 0, end: out.length }, symbols, coded: bytes.length - 13 };
}

/** Compares a chunk and its symbols with those of the plain decoder. */
export async function assertChunk(file, chunk, expected, { lzmaCounts, lzmaSymbols, LZMA_KINDS }) {
  const { symbols, coded } = expected;
  const { start, end, control, content, number } = chunk;
  assert.deepEqual({ start, end, control, content, number }, { start: expected.start, end: expected.end, control: expected.control, content: expected.content, number: expected.number });
  const found = await lzmaSymbols(file, chunk, { start: 0, end: 1e9 });
  assert.deepEqual(Array.from(found.kinds, (kind) => LZMA_KINDS[kind]), symbols.map(({ kind }) => kind));
  for (const [name, column] of Object.entries({ start: found.places, length: found.lengths, distance: found.distances, byte: found.bytes })) {
    assert.deepEqual(Array.from(column), symbols.map((symbol) => symbol[name]), name);
  }
  // The range coder rounds each probability by less than 2^-13 of it; a cost has 16 binary places.
  symbols.forEach(({ cost }, symbol) => assert.ok(Math.abs(found.bits[symbol] - cost) < 0.02, `symbol ${symbol}: ${found.bits[symbol]}, not ${cost}`));
  LZMA_KINDS.forEach((kind, index) => {
    const own = symbols.filter((symbol) => symbol.kind === kind);
    assert.equal(chunk.symbols[index], own.length, kind);
    assert.ok(Math.abs(chunk.bits[index] - own.reduce((sum, { cost }) => sum + cost, 0)) < 0.02 * (1 + own.length), kind);
  });
  if (symbols.length > 0) {
    const missing = 8 * coded - chunk.bits.reduce((sum, bits) => sum + bits, 0);
    assert.ok(missing > 31.9 && missing < 40.1, `${missing} bits of ${8 * coded} are not in symbols`);
    for (let symbol = 1; symbol < symbols.length; symbol++) assert.equal(found.starts[symbol], found.ends[symbol - 1]);
    const middle = symbols.length >> 1;
    assert.deepEqual((await lzmaSymbols(file, chunk, { start: middle, end: middle + 3 })).bits, found.bits.subarray(middle, middle + 3));
  }
  const counts = await lzmaCounts(file, chunk);
  const matches = symbols.filter(({ distance }) => distance > 0);
  assert.deepEqual(counts.lengths, Float64Array.from({ length: 274 }, (_, length) => matches.filter((match) => match.length === length).length));
  // Classes as text in base 2: the first two digits of the distance less 1, and its length.
  const classOf = (distance) => (distance < 5 ? distance - 1 : 2 * ((distance - 1).toString(2).length - 1) + Number((distance - 1).toString(2)[1]));
  const expectedClasses = new Float64Array(64);
  for (const { distance } of matches) expectedClasses[classOf(distance)]++;
  assert.deepEqual(counts.distances, expectedClasses);
}
