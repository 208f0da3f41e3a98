// Errors of a module that trapped.
import { UnspoolError } from './error.js';

const TRAPPED = 'the wasm module trapped, probably for lack of memory; ';

/** Creates the error for an instance that trapped. */
export function trapped(cause?: unknown): UnspoolError {
  return new UnspoolError(0, { words: `${TRAPPED}the next call starts a new instance`, cause });
}

const LOST = `${TRAPPED}create streams again, and repeat any other call`;

/** Creates the error for a handle whose instance trapped. */
export function lost(cause?: unknown): UnspoolError {
  return new UnspoolError(0, { words: LOST, cause });
}
