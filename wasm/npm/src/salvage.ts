// Decodes what precedes an error.
import { UnspoolError } from './error.js';

/**
 * @internal Returns the whole content or, for a broken file, the content before the error, and the
 * error. An error of the module rather than of the file is thrown.
 */
export function salvaged<T>(whole: () => T, start: () => T): readonly [held: T, error: UnspoolError | undefined] {
  try {
    return [whole(), undefined];
  } catch (error) {
    if (!(error instanceof UnspoolError) || error.class === 'Internal') throw error;
    return [start(), error];
  }
}
