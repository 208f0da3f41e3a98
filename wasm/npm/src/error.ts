// Errors with the core's numbers.
import type * as errors from './errors/all.js';

type Tables = (typeof errors)[keyof typeof errors];

/** The name of an error: as in the core, or `Trap`. */
export type ErrorName = Tables[number][1] | 'Trap';

/** The class of an error: what the caller can do about it. */
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

/** One entry of the error table. */
export interface ErrorKind {
  /** Stable number, the same in Rust, C and JavaScript. */
  readonly code: number;
  /** Name, as in the core. */
  readonly name: ErrorName;
  /** Class of the error. */
  readonly class: ErrorClass;
  /** The class in words. */
  readonly classWords: string;
  /** The message: what was expected. */
  readonly words: string;
}

/** One entry as generated from the core: number, name, class, words. */
export type ErrorLine = readonly [code: number, name: ErrorName, class_: Exclude<ErrorClass, 'Internal'>, words: string];

/** What the words of a class say after its name. */
const AFTER: { readonly [C in ErrorClass]?: string } = { Checksum: ' mismatch', Limit: ' exceeded', Internal: ' error' };

/** Returns a class in words, as the core does. */
const wordsOf = (class_: ErrorClass): string => class_.replace(/\B[A-Z]/g, ' $&').toLowerCase() + (AFTER[class_] ?? '');

/** @internal The registered errors, by number. */
export const known = new Map<number, ErrorKind>();

/** Registers error messages. Each entry of the package brings those of its formats. */
export function registerErrors(...tables: readonly (readonly ErrorLine[])[]): void {
  for (const [code, name, class_, words] of tables.flat()) {
    known.set(code, { code, name, class: class_, classWords: wordsOf(class_), words });
  }
}

/** The kind of errors of a trapped module, whose message comes with each. */
const TRAP: ErrorKind = { code: 0, name: 'Trap', class: 'Internal', classWords: wordsOf('Internal'), words: '' };

/** Details of an error beside its number. */
interface Details extends ErrorOptions {
  readonly offset?: number | undefined;
  readonly need?: number | undefined;
  readonly part?: string | undefined;
  /** Replaces the message. */
  readonly words?: string;
  /** Follows the message of the kind: what was found. */
  readonly detail?: string | undefined;
  /** An error from another thread, whose formats this thread may not have loaded. */
  readonly plain?: PlainError;
}

/** An {@link UnspoolError} as plain data. */
export interface PlainError {
  /** Stable number of the error. */
  readonly code: number;
  /** Name of the error. */
  readonly name: ErrorName;
  /** Class of the error. */
  readonly class: ErrorClass;
  /** Byte offset of the error in the input. */
  readonly offset: number;
  /** The structure around the offset, if known. */
  readonly part: string | undefined;
  /** Size that would have been enough, or 0. */
  readonly need: number;
  /** Message text. */
  readonly message: string;
}

/** An error that says why a file was refused, and where. */
export class UnspoolError extends Error {
  /** Name of the error, such as `CvcCrc`. */
  override readonly name: ErrorName;
  /** Stable number of the error. */
  readonly code: number;
  /** Class of the error: `Truncated` needs more of the file, `Checksum` another copy, and so on. */
  readonly class: ErrorClass;
  /**
   * Byte offset of the error in the input. If `decode` removed gzip first, an offset in its
   * content.
   */
  readonly offset: number;
  /** Size that would have been enough, or 0 if unknown. For a truncated file, its least length. */
  readonly need: number;
  #part: string | undefined;
  #find: (() => string | undefined) | undefined;

  /** @internal */
  constructor(code: number, { offset = 0, need = 0, part, words, detail, plain, ...options }: Details = {}) {
    const kind = known.get(code) ?? TRAP;
    const found = detail === undefined ? '' : `: ${detail}`;
    const needs = need > 0 ? ` (needs ${need})` : '';
    super(plain?.message ?? words ?? `${kind.classWords} at byte ${offset}: ${kind.words}${found}${needs}`, options);
    const { name, class: class_ } = plain ?? kind;
    this.name = name;
    this.code = plain?.code ?? kind.code;
    this.class = class_;
    this.offset = offset;
    this.#part = part === '' ? undefined : part;
    this.need = need;
  }

  /**
   * The structure around the offset: the groups, outermost first, and the field, as in
   * `page › page metadata`. `undefined` if unknown. It is found on first access in the refused
   * bytes, so read it right after the call or while you keep the bytes.
   */
  get part(): string | undefined {
    const find = this.#find;
    this.#find = undefined;
    return (this.#part ??= find?.() || undefined);
  }

  /** @internal Sets the function that finds the part. */
  find(part: () => string | undefined): void {
    this.#find ??= part;
  }

  /** Returns the error as plain data, for workers and logs. */
  toJSON(): PlainError {
    const { code, name, offset, part, need, message } = this;
    return { code, name, class: this.class, offset, part, need, message };
  }

  /** Recreates an error from the result of {@link toJSON}. */
  static from(plain: PlainError): UnspoolError {
    const { code, offset, need, part } = plain;
    return new UnspoolError(code, { offset, need, part, plain });
  }
}

/** Creates an error of the core that is detected in JavaScript. */
export function refuse(name: ErrorName, offset = 0, need = 0, detail?: string): UnspoolError {
  const kind = [...known.values()].find((kind) => kind.name === name);
  return new UnspoolError(kind?.code ?? 0, { offset, need, detail });
}
