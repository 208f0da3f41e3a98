// Errors with the core's numbers.
import { table } from './instance.js';

/** What the caller can do about an error. */
export type ErrorClass =
  | 'Truncated'
  | 'Corrupt'
  | 'Checksum'
  | 'Unsupported'
  | 'Limit'
  | 'OutputTooSmall'
  | 'WorkspaceTooSmall'
  | 'Misuse'
  | 'Internal';

/** A line of the core's table of errors. */
export interface ErrorKind {
  /** The stable number, the same in Rust, C and JavaScript. */
  readonly code: number;
  /** The name in the core's source. */
  readonly name: string;
  readonly class: ErrorClass;
  /** The class in words. */
  readonly classWords: string;
  /** What was expected, in words. */
  readonly words: string;
}

export function kinds(lines: string): ErrorKind[] {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [code = '', name = '', class_ = '', classWords = '', words = ''] = line.split('\t');
      return { code: Number(code), name, class: class_ as ErrorClass, classWords, words };
    });
}

/** Every error that the core knows. */
export function errorTable(): readonly ErrorKind[] {
  return table();
}

const TRAP: ErrorKind = {
  code: 0,
  name: 'Trap',
  class: 'Internal',
  classWords: 'internal error',
  words: 'the wasm module stopped, most likely for want of memory; the next call starts a new one',
};

/** Why a file is refused, and where. */
export class UnspoolError extends Error {
  /** The stable number of the kind of error. */
  readonly code: number;
  /** What can be done about it: `Truncated` wants more of the file, `Checksum` another copy, and so on. */
  readonly class: ErrorClass;
  /** Offset of the byte at which it shows, counted from the start of the input. */
  readonly offset: number;
  /** How much would have been enough, where that is known; else 0. */
  readonly need: number;

  constructor(table: readonly ErrorKind[], code: number, offset: number, need: number, options?: ErrorOptions) {
    const kind = table.find((kind) => kind.code === code) ?? TRAP;
    const needs = need > 0 ? ` (needs ${need})` : '';
    super(kind === TRAP ? kind.words : `${kind.classWords} at byte ${offset}: ${kind.words}${needs}`, options);
    this.name = kind.name;
    this.code = kind.code;
    this.class = kind.class;
    this.offset = offset;
    this.need = need;
  }

  /** The same as plain data, for workers and logs. */
  toJSON(): { code: number; name: string; class: ErrorClass; offset: number; need: number; message: string } {
    const { code, name, offset, need, message } = this;
    return { code, name, class: this.class, offset, need, message };
  }
}

/** The instance is gone. */
export function trapped(cause?: unknown): UnspoolError {
  return new UnspoolError([], 0, 0, 0, cause === undefined ? undefined : { cause });
}

/** An error of the core's that is found out on this side. */
export function refuse(name: string, offset = 0): UnspoolError {
  const kinds = table();
  return new UnspoolError(kinds, kinds.find((kind) => kind.name === name)?.code ?? 0, offset, 0);
}
