// Errors with the core's numbers.
import type * as errors from './errors/all.js';

type Tables = (typeof errors)[keyof typeof errors];

/** What an error is called: as in the core's source, or `Trap`. */
export type ErrorName = Tables[number][1] | 'Trap';

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
  readonly name: ErrorName;
  readonly class: ErrorClass;
  /** The class in words. */
  readonly classWords: string;
  /** What was expected, in words. */
  readonly words: string;
}

/** A line of the table as the core writes it for this package: number, name, class, words. */
export type ErrorLine = readonly [code: number, name: ErrorName, class_: Exclude<ErrorClass, 'Internal'>, words: string];

/** The classes in words, as the core says them. */
const CLASS_WORDS: Readonly<Record<ErrorClass, string>> = {
  Truncated: 'truncated',
  Corrupt: 'corrupt',
  Checksum: 'checksum mismatch',
  Unsupported: 'unsupported',
  Limit: 'limit exceeded',
  OutputTooSmall: 'output too small',
  WorkspaceTooSmall: 'workspace too small',
  Misuse: 'misuse',
  Internal: 'internal error',
};

const known = new Map<number, ErrorKind>();

/** Learns the words of errors. Each entry of the package brings those that its formats can give. */
export function learn(...tables: readonly (readonly ErrorLine[])[]): void {
  for (const [code, name, class_, words] of tables.flat()) {
    known.set(code, { code, name, class: class_, classWords: CLASS_WORDS[class_], words });
  }
}

/** Every error that the formats of this entry can give. */
export function errorTable(): readonly ErrorKind[] {
  return [...known.values()].sort((a, b) => a.code - b.code);
}

const TRAP: ErrorKind = {
  code: 0,
  name: 'Trap',
  class: 'Internal',
  classWords: CLASS_WORDS.Internal,
  words: 'the wasm module stopped, most likely for want of memory; the next call starts a new one',
};

/** What of an error there is to say beside its number. */
interface Details extends ErrorOptions {
  readonly offset?: number | undefined;
  readonly need?: number | undefined;
  readonly part?: string | undefined;
  /** What there is to say instead of the words of its kind. */
  readonly words?: string;
  /** What another thread said of it, whose errors this one need not know. */
  readonly plain?: PlainError;
}

/** An {@link UnspoolError} as plain data. */
export interface PlainError {
  readonly code: number;
  readonly name: ErrorName;
  readonly class: ErrorClass;
  readonly offset: number;
  readonly part: string | undefined;
  readonly need: number;
  readonly message: string;
}

/** Why a file is refused, and where. */
export class UnspoolError extends Error {
  /** What it is called, as in `CvcCrc`. */
  override readonly name: ErrorName;
  /** The stable number of the kind of error. */
  readonly code: number;
  /** What can be done about it: `Truncated` wants more of the file, `Checksum` another copy, and so on. */
  readonly class: ErrorClass;
  /** Offset of the byte at which it shows, counted from the start of the input; where `decode` has unwrapped gzip, of what was in it. */
  readonly offset: number;
  /** How much would have been enough, where that is known; else 0. Of a file that is too short, its length, counted as {@link offset} is. */
  readonly need: number;
  #part: string | undefined;
  #find: (() => string | undefined) | undefined;

  /** @internal */
  constructor(code: number, { offset = 0, need = 0, part, words, plain, ...options }: Details = {}) {
    const kind = known.get(code) ?? TRAP;
    const needs = need > 0 ? ` (needs ${need})` : '';
    super(plain?.message ?? (kind === TRAP ? (words ?? kind.words) : `${kind.classWords} at byte ${offset}: ${kind.words}${needs}`), options);
    const { name, class: class_ } = plain ?? kind;
    this.name = name;
    this.code = plain?.code ?? kind.code;
    this.class = class_;
    this.offset = offset;
    this.#part = part === '' ? undefined : part;
    this.need = need;
  }

  /**
   * In which part of the structure that byte lies, if it is known: the groups around it, outermost first, and the field, as
   * in `page › page metadata`. It is looked for when it is first asked for, in the bytes that were refused:
   * right after the call, or as long as somebody else keeps them.
   */
  get part(): string | undefined {
    const find = this.#find;
    this.#find = undefined;
    return (this.#part ??= find?.() || undefined);
  }

  /** @internal Says how the part is found. */
  find(part: () => string | undefined): void {
    this.#find ??= part;
  }

  /** The same as plain data, for workers and logs. */
  toJSON(): PlainError {
    const { code, name, offset, part, need, message } = this;
    return { code, name, class: this.class, offset, part, need, message };
  }

  /** The error that {@link toJSON} made plain. */
  static from(plain: PlainError): UnspoolError {
    const { code, offset, need, part } = plain;
    return new UnspoolError(code, { offset, need, part, plain });
  }
}

/**
 * @internal What a file holds, or if it is broken what comes before the break, with the error. One that stopped the module, and not the
 * file, is thrown.
 */
export function salvaged<T>(whole: () => T, start: () => T): readonly [held: T, error: UnspoolError | undefined] {
  try {
    return [whole(), undefined];
  } catch (error) {
    if (!(error instanceof UnspoolError) || error.class === 'Internal') throw error;
    return [start(), error];
  }
}

/** The instance is gone. */
export function trapped(cause?: unknown): UnspoolError {
  return new UnspoolError(0, { cause });
}

const LOST =
  'the wasm module stopped, most likely for want of memory, and what was under way in it is lost: streams and running statistics must be made anew, any other call made again';

/** The instance is gone, and with it what was held in it. */
export function lost(cause?: unknown): UnspoolError {
  return new UnspoolError(0, { words: LOST, cause });
}

/** An error of the core's that is found out on this side. */
export function refuse(name: ErrorName, offset = 0, need = 0): UnspoolError {
  const kind = [...known.values()].find((kind) => kind.name === name);
  return new UnspoolError(kind?.code ?? 0, { offset, need });
}
