// The functions that the lazy entry has for each format.
import { anySignal } from '../abort.js';
import { checkOptions } from '../check.js';
import type { DecodeOptions, DecodeResults } from '../decode.js';
import type { Decoder, LoadModule } from '../formats.js';
import type { OpenedSource, OpenOptions } from '../source.js';

/** The functions of a format. Each passes on only the options it knows. */
export interface Door<R extends DecodeResults[keyof DecodeResults] = DecodeResults[keyof DecodeResults]> {
  /** Checks the options of `decode`. Loaded with a format, as few programs need it before. */
  readonly check: (options: DecodeOptions) => void;
  /** Decodes everything. In a worker, large files are decoded in steps. */
  readonly decode: (bytes: Uint8Array, options: DecodeOptions) => R | Promise<R>;
  /**
   * Decodes to the start of `to`. Returns the number of elements written. Of gzip, it takes the
   * decoded content.
   */
  readonly into: (bytes: Uint8Array, to: never, options: DecodeOptions) => number;
  /**
   * Opens a file that need not be in memory: the members of `OpenedFile` of this format. Loads the
   * module of its stream, if that is another one.
   */
  readonly open: (source: OpenedSource, options: OpenOptions, load: LoadModule<Decoder>) => Promise<object>;
}

/** Adds the limits and the signal with which a file was opened to options of a later call. */
export const inherit = <O extends OpenOptions>(own: O, { limits, signal }: OpenOptions): O => ({ ...own, limits: own.limits ?? limits, signal: anySignal(signal, own.signal) });

/** Checks that options are those of `decode`. */
export function check(options: DecodeOptions): void {
  checkOptions(options, { limits: true, checksums: true, dictionary: true, signal: true });
}
