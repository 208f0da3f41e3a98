// Symbols of LZMA: classes of distances, and counts.

/** Returns the distances of a class: 1, 2, 3, 4, 5 to 6, 7 to 8, 9 to 12, and so on. */
export function distancesOf(at: number): { readonly from: number; readonly to: number } {
  const wide = 2 ** Math.max(0, (at >> 1) - 1);
  const from = 1 + (at < 4 ? at : (2 + (at & 1)) * wide);
  return { from, to: from + wide - 1 };
}

/** Returns the last index with a count, or 0. */
export function lastUsed(counts: Float64Array): number {
  let at = counts.length - 1;
  while (at > 0 && counts[at] === 0) at--;
  return at;
}
