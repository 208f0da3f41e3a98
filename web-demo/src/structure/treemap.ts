// Places rectangles with given areas in a square-like arrangement.

export interface Tile {
  /** Index of the size. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Fills a box of `width` by `height` with a tile for each size, given in descending order. */
export function tilesOf(sizes: readonly number[], width: number, height: number): Tile[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const tiles: Tile[] = [];
  let [x, y, right, bottom, left] = [0, 0, width, height, total];
  for (let first = 0; first < sizes.length; ) {
    const [wide, high] = [right - x, bottom - y];
    const side = Math.min(wide, high);
    const scale = left > 0 ? (wide * high) / left : 0;
    // A row of tiles grows as long as its worst tile becomes more like a square.
    let [end, sum, worst] = [first, 0, Infinity];
    while (end < sizes.length) {
      const next = sum + (sizes[end] ?? 0);
      const ratio = worstOf(sizes[first] ?? 0, sizes[end] ?? 0, next, side, scale);
      if (ratio > worst) break;
      [sum, worst, end] = [next, ratio, end + 1];
    }
    const depth = side > 0 ? (sum * scale) / side : 0;
    let along = 0;
    for (let at = first; at < end; at++) {
      const length = sum > 0 ? ((sizes[at] ?? 0) / sum) * side : 0;
      tiles.push(wide >= high ? { at, x, y: y + along, width: depth, height: length } : { at, x: x + along, y, width: length, height: depth });
      along += length;
    }
    if (wide >= high) x += depth;
    else y += depth;
    left -= sum;
    first = end;
  }
  return tiles;
}

/** Returns the worst ratio of two sides in a row, from its largest and its smallest size. */
function worstOf(largest: number, smallest: number, sum: number, side: number, scale: number): number {
  const area = sum * scale;
  if (area === 0 || side === 0) return Infinity;
  const ratio = (size: number): number => {
    const [length, depth] = [(size / sum) * side, area / side];
    return Math.max(length / depth, depth / Math.max(length, Number.MIN_VALUE));
  };
  return Math.max(ratio(largest), ratio(smallest));
}
