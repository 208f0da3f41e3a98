// Lets events run during long work.

/** Milliseconds of work between two pauses in a worker. */
const SLICE = 10;

/**
 * Returns a function to await between two steps of long work. After each slice of time it rests, so
 * that messages arrive; else it returns at once.
 */
export function pauses(rest: () => Promise<void>, slice = SLICE): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < slice) return undefined;
    return rest().then(() => {
      last = performance.now();
    });
  };
}

/** Rests until the next timer. Browsers may delay it by four milliseconds. */
export const restByTimer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Rests for one message. In Node, Deno and Bun, other messages would wait meanwhile. */
export function restByMessage(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const resting: (() => void)[] = [];
  port1.onmessage = () => resting.shift()?.();
  return () =>
    new Promise((resolve) => {
      resting.push(resolve);
      port2.postMessage(undefined);
    });
}
