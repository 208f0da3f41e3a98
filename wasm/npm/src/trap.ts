// Errors of a module that trapped.
import { UnspoolError } from './error.js';

/** Creates the error for an instance that trapped. */
export function trapped(cause?: unknown): UnspoolError {
  return new UnspoolError(0, { cause });
}

const LOST =
  'the wasm module trapped, probably for lack of memory; create streams and running statistics again, and repeat any other call';

/** Creates the error for a handle whose instance trapped. */
export function lost(cause?: unknown): UnspoolError {
  return new UnspoolError(0, { words: LOST, cause });
}
