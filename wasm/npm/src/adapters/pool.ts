// Pools as options of adapters.
import type { UnspoolPool } from '../worker/index.js';

/** Checks that a value is a pool. Its code is loaded only by those who create one. */
export function checkPool(pool: UnspoolPool): void {
  if (typeof (pool as Partial<UnspoolPool> | null)?.decodePco !== 'function') throw new TypeError('pool must be an UnspoolPool');
}
