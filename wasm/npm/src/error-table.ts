// The table of errors.
import { type ErrorKind, known } from './error.js';

/** Returns every error that the formats of this entry can raise. */
export function errorTable(): readonly ErrorKind[] {
  return [...known.values()].sort((a, b) => a.code - b.code);
}
