// Concatenates arrays.

/** Copies arrays, one after the other, to a new one that `make` returns for their total length. */
export function join<P extends ArrayLike<number>, A extends { set(part: P, at: number): void }>(parts: readonly P[], make: (length: number) => A): A {
  const all = make(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
