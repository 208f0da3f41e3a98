// What the map of a file can show by colour besides the kind of its bytes.
import type { Content } from '../arrive/remote';
import type { Share } from '../formats/ratios';
import { bytesOf, type Model } from '../model';

/** A stretch of the file, and its position on the colour scale, from 0 to 1. */
export interface Shade {
  readonly start: number;
  readonly end: number;
  readonly share: number;
}

/** Number of stretches across the map, and bytes read of each. */
const [STRETCHES, READ] = [240, 2048];

/** Returns the entropy of the stored bytes, as far as a sample of each stretch shows it. */
export async function entropyOf(content: Content, start: number, end: number): Promise<Shade[]> {
  const step = Math.max(64, (end - start) / STRETCHES);
  const shades: Promise<Shade>[] = [];
  for (let at = start; at < end; at += step) {
    const stop = Math.min(end, at + step);
    const read = content.slice(Math.floor(at), Math.min(Math.ceil(stop), Math.floor(at) + READ)).arrayBuffer();
    shades.push(read.then((bytes) => ({ start: at, end: stop, share: entropy(new Uint8Array(bytes)) })));
  }
  return Promise.all(shades);
}

/** Returns the entropy of some bytes; 1 if no byte is more likely than others. */
export function entropy(bytes: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  const bits = counts.reduce((sum, count) => (count === 0 ? sum : sum - (count / bytes.length) * Math.log2(count / bytes.length)), 0);
  // Few bytes cannot have eight bits of entropy each.
  return bits / Math.max(1, Math.min(8, Math.log2(Math.max(2, bytes.length))));
}

/** Ratio at the end of the scale. */
const MOST = 8;

/** Returns the compression of each piece that is one stretch of the file. */
export function ratiosOf(model: Model, shares: readonly Share[]): Shade[] {
  return shares.flatMap(({ node, bytes, decoded }) => {
    if (node < 0 || decoded === 0) return [];
    const start = bytesOf(model, node)[0];
    const end = Math.max(bytesOf(model, node)[1], start + bytes);
    return bytes < 0.5 * (end - start) ? [] : [{ start, end, share: Math.min(1, Math.max(0, Math.log2(decoded / bytes) / Math.log2(MOST))) }];
  });
}
