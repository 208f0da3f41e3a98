// The wasm modules: one instance of each, made at the first call and replaced after a trap.
//
// The whole package has one module for everything; each format alone has one of its own. A format's code asks for its room, and
// gets the module that knows it, whichever entry brought it along.
import { learn, trapped, UnspoolError, type ErrorLine } from './error.js';
import type { Init, ModuleSource } from './init.js';
import { isArray, isBuffer } from './source.js';
import { bytesOfText } from './text.js';

/** The exports of the whole module. Those of a format alone are some of them. */
export type Exports = typeof import('../wasm/unspool.js');

/** What is done with a module's JavaScript, whatever the module can do. */
type Glue = Pick<Exports, 'initSync' | '__wbg_reset_state'>;

/** Memory that an idle instance may keep. Wasm memory never shrinks, so one that has more is replaced. */
const KEPT = 64 * 2 ** 20;

class Engine {
  #glue: Glue;
  #inside: (() => Uint8Array) | undefined;
  #compiled: WebAssembly.Module | undefined;
  /** Whether the next call starts a new instance: one that trapped is not to be trusted, and neither is what points into it. */
  #poisoned = false;
  /** Counts instances: a handle into one that was replaced must not be freed in the next. */
  #generation = 0;
  #busy = 0;

  constructor(glue: Glue) {
    this.#glue = glue;
  }

  carry(bytes: () => Uint8Array): void {
    this.#inside = bytes;
  }

  /** See `init`, whose declaration says nothing of the generated module. */
  async start(source?: ModuleSource | Promise<ModuleSource>): Promise<void> {
    const given = await source;
    if (this.#compiled !== undefined) return;
    const module = await compile(given ?? this.#bytes());
    // Another call may have been faster.
    if (this.#compiled === undefined) this.#begin(module);
  }

  #begin(module: WebAssembly.Module): void {
    this.#glue.initSync({ module });
    this.#compiled = module;
  }

  #bytes(): Uint8Array {
    if (this.#inside === undefined) throw new Error('this entry of unspool comes without its wasm module: await init(url) first');
    return this.#inside();
  }

  /** The exports of a sound instance. */
  #exports(): Exports {
    if (this.#compiled === undefined) {
      let module;
      try {
        module = new WebAssembly.Module(this.#bytes() as BufferSource);
      } catch (error) {
        if (error instanceof RangeError) {
          throw new Error('this browser compiles no wasm on its main thread: await init() first', { cause: error });
        }
        throw error;
      }
      this.#begin(module);
    } else if (this.#poisoned) {
      this.#glue.__wbg_reset_state();
      this.#generation++;
    }
    this.#poisoned = false;
    return this.#glue as Exports;
  }

  instanceNumber(): number | undefined {
    return this.#poisoned ? undefined : this.#generation;
  }

  /** The memory of the instance at work: the glue gives its exports to whoever hands in a module again. */
  #memory(module: WebAssembly.Module): WebAssembly.Memory {
    return this.#glue.initSync({ module }).memory;
  }

  enter(): void {
    this.#busy++;
  }

  leave(): void {
    if (--this.#busy > 0 || this.#compiled === undefined || this.#poisoned) return;
    if (this.#memory(this.#compiled).buffer.byteLength > KEPT) this.#poisoned = true;
  }

  call<T>(run: (exports: Exports) => T): T {
    const exports = this.#exports();
    try {
      return run(exports);
    } catch (error) {
      if (Array.isArray(error)) {
        const [code = 0, offset, need] = error as number[];
        throw new UnspoolError(code, { offset, need });
      }
      if (error instanceof WebAssembly.RuntimeError || isStackOverflow(error)) {
        this.#poisoned = true;
        throw trapped(error);
      }
      throw error;
    }
  }

  /** In which part of a file it is refused with this error, if this module can tell. */
  partOf(bytes: Uint8Array, limits: Float64Array, code: number): string | undefined {
    return this.call((exports) => {
      // A format alone comes without the walk over structures.
      if (typeof (exports as Partial<Exports>).inspect !== 'function') return undefined;
      const found = exports.inspect(bytes, 0, limits);
      // Without the dictionary of a file, say, the walk over its structure may end for another reason.
      const part = found.error()?.[0] === code ? found.error_part() : undefined;
      found.free();
      return part;
    });
  }
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (isArray(source) || isBuffer(source)) return WebAssembly.compile(source as BufferSource);
  if (typeof source !== 'string' && !(source instanceof URL) && !(source instanceof Response)) {
    throw new TypeError('init takes a WebAssembly.Module, its bytes, a URL or a Response');
  }
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new Error(`the wasm module cannot be fetched: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/i.test(error.message);
}

const engines = new Map<string, Engine>();

/** The room of everything. */
const WHOLE = 'unspool';

function engineOf(name: string): Engine {
  const engine = engines.get(name) ?? engines.get(WHOLE);
  if (engine === undefined) throw new Error(`no entry of unspool that knows ${name} was imported`);
  return engine;
}

/** A module moves in, with the words of its errors. Gives the `init` of its entry. */
export function moveIn(name: string, glue: unknown, ...errors: readonly (readonly ErrorLine[])[]): Init {
  learn(...errors);
  const engine = new Engine(glue as Glue);
  engines.set(name, engine);
  return (source) => engine.start(source);
}

/** The wasm module that moved in, for when it is needed. */
export function carry(name: string, text: string): void {
  engineOf(name).carry(() => bytesOfText(text));
}

/** The calls that the code of a format makes. */
export interface Room {
  /** Calls into the module. Numbers that it throws become an {@link UnspoolError}; a trap costs the instance. */
  call<T>(run: (exports: Exports) => T): T;
  /** Somebody's work begins, which the instance must outlive. */
  enter(): void;
  /** It has ended. The last one out gives the memory of a large file back. */
  leave(): void;
  /** Which instance is at work, or `undefined` after a trap. */
  instanceNumber(): number | undefined;
  /** Works on the whole of a file: an error learns in which part of it it lies, and memory is given back. */
  work<T>(bytes: Uint8Array, limits: Float64Array, run: () => T): T;
}

/** The room of a format. */
export function room(name: string): Room {
  // The first call decides: what it leaves in a module must be looked for in the same one later.
  let found: Engine | undefined;
  const engine = (): Engine => (found ??= engineOf(name));
  return {
    call: (run) => engine().call(run),
    enter: () => engine().enter(),
    leave: () => engine().leave(),
    instanceNumber: () => engine().instanceNumber(),
    work(bytes, limits, run) {
      engine().enter();
      try {
        return run();
      } catch (error) {
        throw error instanceof UnspoolError ? located(error, engine(), bytes, limits) : error;
      } finally {
        engine().leave();
      }
    },
  };
}

/** Something in a module that outlives one call: a reader, a query, a stream. */
export class Held<T extends { free(): void }> {
  #room: Room;
  #thing: T | undefined;
  #instance: number | undefined;

  /** Makes it. Its instance outlives it. */
  constructor(room: Room, make: (exports: Exports) => T) {
    this.#room = room;
    room.enter();
    try {
      this.#thing = room.call(make);
    } catch (error) {
      room.leave();
      throw error;
    }
    this.#instance = room.instanceNumber();
  }

  /** Calls into it, unless another call has trapped since the last one and taken the instance with it. */
  call<R>(run: (thing: T) => R): R {
    const thing = this.#thing;
    if (thing === undefined) throw new TypeError('this was released, and cannot be used any more');
    if (this.#room.instanceNumber() !== this.#instance) throw trapped();
    return this.#room.call(() => run(thing));
  }

  /** Gives it back. A second time changes nothing. */
  free(): void {
    if (this.#thing === undefined) return;
    if (this.#room.instanceNumber() === this.#instance) this.#thing.free();
    this.#thing = undefined;
    this.#room.leave();
  }
}

function located(error: UnspoolError, engine: Engine, bytes: Uint8Array, limits: Float64Array): UnspoolError {
  // What is wrong with the call lies in no part of the file, and an instance that is gone says nothing.
  const { class: class_, code, offset, need } = error;
  if (error.part !== undefined || class_ === 'Misuse' || class_ === 'Internal' || class_ === 'OutputTooSmall') return error;
  const found = new UnspoolError(code, { offset, need, part: engine.partOf(bytes, limits, code) });
  // It was thrown there, and not here.
  if (error.stack !== undefined) found.stack = error.stack;
  return found;
}

/** The room of what knows every format. */
export const whole = room(WHOLE);
/** Its calls. */
export const { call, work } = whole;
