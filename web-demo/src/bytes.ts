// Bytes of a file for the lines in sight, read as they scroll into it.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Content } from './remote';

const BLOCK = 1 << 16;
const KEPT = 64;

/** Reads the blocks around these bytes; what is not here yet is `undefined`. */
export function useBytes(blob: Content, start: number, end: number): (at: number) => number | undefined {
  const blocks = useRef(new Map<number, Uint8Array>());
  const [, arrived] = useState(0);
  const [first, last] = [Math.floor(start / BLOCK), Math.floor(Math.max(start, end - 1) / BLOCK)];

  useEffect(() => {
    blocks.current.clear();
  }, [blob]);

  useEffect(() => {
    let current = true;
    for (let block = first; block <= last; block++) {
      if (blocks.current.has(block) || block * BLOCK >= blob.size) continue;
      void blob
        .slice(block * BLOCK, (block + 1) * BLOCK)
        .arrayBuffer()
        .then((buffer) => {
          if (!current) return;
          const oldest = blocks.current.keys().next().value;
          if (blocks.current.size >= KEPT && oldest !== undefined) blocks.current.delete(oldest);
          blocks.current.set(block, new Uint8Array(buffer));
          arrived((count) => count + 1);
        });
    }
    return () => {
      current = false;
    };
  }, [blob, first, last]);

  return (at) => blocks.current.get(Math.floor(at / BLOCK))?.[at % BLOCK];
}
