// Random numbers and random damage, the same in each run.

/** Returns random numbers below a bound, the same in each run. */
export function randomFrom(seed) {
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
}

/** Drops `count` bytes, or fewer at the end. */
function without(bytes, place, count) {
  const left = Math.max(place, bytes.length - count);
  bytes.copyWithin(place, place + count);
  return bytes.slice(0, left);
}

/** Cuts a file, changes some of its bytes, or drops some. */
export function damaged(bytes, random) {
  const kind = random(4);
  if (kind === 0) return bytes.slice(0, random(bytes.length + 1));
  let changed = bytes.slice();
  for (let left = 1 + random(3); left > 0; left -= 1) {
    // Headers decide most.
    const place = random(random(2) === 0 ? changed.length : Math.min(64, changed.length));
    if (kind === 1) changed[place] ^= 1 << random(8);
    else if (kind === 2) changed[place] = [0, 255, 127, 128, random(256)][random(5)];
    else changed = without(changed, place, 1 + random(3));
  }
  return changed;
}
