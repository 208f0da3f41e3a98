// A plain reader of DEFLATE, bit by bit, to compare others with. It favours clarity over speed.

/** Lists the blocks of a member whose DEFLATE stream starts at byte `at`. */
export function blocksOf(bytes, at) {
  let bit = 8 * at;
  const take = (count) => {
    let value = 0;
    for (let place = 0; place < count; place++, bit++) value |= ((bytes[bit >> 3] >> (bit & 7)) & 1) << place;
    return value;
  };
  const symbolOf = (codes) => {
    for (let code = '1'; ; ) {
      code += take(1);
      if (codes.has(code)) return codes.get(code);
      if (code.length > 16) throw new Error(`no code at bit ${bit}`);
    }
  };
  /** The codes of these lengths as text, after a 1. */
  const codesOf = (lengths) => {
    const codes = new Map();
    let code = 0;
    for (let length = 1; length <= 15; length++, code *= 2) {
      lengths.forEach((own, symbol) => {
        if (own === length) codes.set(`1${(code++).toString(2).padStart(length, '0')}`, symbol);
      });
    }
    return codes;
  };
  const blocks = [];
  for (let isLast = false; !isLast; ) {
    const block = { start: bit, symbols: [], lengths: [] };
    isLast = take(1) === 1;
    block.type = ['stored', 'fixed', 'dynamic'][take(2)];
    if (block.type === 'stored') {
      bit = (bit + 7) & ~7;
      const length = take(16);
      bit += 16;
      block.data = bit;
      if (length > 0) block.symbols.push({ start: bit, end: bit + 8 * length, stored: length });
      bit += 8 * length;
    } else {
      let [literals, distances] = [[], []];
      if (block.type === 'fixed') {
        literals = Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8));
        distances = Array(32).fill(5);
      } else {
        const [first, second, described] = [take(5) + 257, take(5) + 1, take(4) + 4];
        const order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
        const own = Array(19).fill(0);
        for (let index = 0; index < described; index++) own[order[index]] = take(3);
        const codes = codesOf(own);
        const all = [];
        while (all.length < first + second) {
          const symbol = symbolOf(codes);
          const [value, times] = symbol < 16 ? [symbol, 1] : symbol === 16 ? [all.at(-1), 3 + take(2)] : symbol === 17 ? [0, 3 + take(3)] : [0, 11 + take(7)];
          for (let time = 0; time < times; time++) all.push(value);
        }
        [literals, distances] = [all.slice(0, first), all.slice(first)];
      }
      block.data = bit;
      block.lengths = [literals, distances];
      const [forLiterals, forDistances] = block.lengths.map(codesOf);
      for (let ended = false; !ended; ) {
        const start = bit;
        const symbol = symbolOf(forLiterals);
        if (symbol < 256) block.symbols.push({ start, end: bit, literal: symbol });
        else if (symbol === 256) {
          ended = true;
          block.symbols.push({ start, end: bit, ended });
        } else {
          const length = LENGTHS[symbol - 257][0] + take(LENGTHS[symbol - 257][1]);
          const code = symbolOf(forDistances);
          const distance = DISTANCES[code][0] + take(DISTANCES[code][1]);
          block.symbols.push({ start, end: bit, symbol, code, length, distance });
        }
      }
    }
    blocks.push({ ...block, end: bit, isLast });
  }
  return blocks;
}

/** Least value and extra bits of each symbol, from the tables of RFC 1951. */
const withBits = (least, bits) => least.map((value, index) => [value, bits[index]]);
const LENGTHS = withBits(
  [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258],
  [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0],
);
const DISTANCES = withBits(
  [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577],
  [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13],
);
