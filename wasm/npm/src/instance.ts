// The wasm modules: one instance of each, made at the first call and replaced after a trap.
//
// The whole package has one module for everything; each format alone has one of its own. A format's code asks for its room, and
// gets the module that knows it, whichever entry brought it along.
import { learn, lost, trapped, UnspoolError, type ErrorLine } from './error.js';
import type { Init, ModuleSource } from './init.js';
import { isArray, isBuffer, isElsewhere, SourceError } from './source.js';
import { bytesOfText } from './text.js';

/** The exports of the whole module. Those of a format alone are some of them. */
export type Exports = typeof import('../wasm/unspool.js');

/** What is done with a module's JavaScript, whatever the module can do. */
type Glue = Pick<Exports, 'default' | 'initSync' | '__wbg_reset_state'>;

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
  /** This browser makes instances only where somebody waits for them: the one that there is stays, however large it gets. */
  #isSlow = false;
  /** What came of the last `init`. */
  #starting: Promise<void> = Promise.resolve();

  constructor(glue: Glue) {
    this.#glue = glue;
  }

  carry(bytes: () => Uint8Array): void {
    this.#inside = bytes;
  }

  get isCompiled(): boolean {
    return this.#compiled !== undefined;
  }

  /** Whether it has a module, or can make one of what it carries. */
  get isReady(): boolean {
    return this.isCompiled || this.#inside !== undefined;
  }

  /** See `init`, whose declaration says nothing of the generated module. */
  async start(source?: ModuleSource | Promise<ModuleSource>): Promise<void> {
    const given = await source;
    // One after the other: where the first one did it, nothing is left to do, and where it failed, the next one tries its own.
    const go = async (): Promise<void> => {
      if (this.#compiled !== undefined) return;
      const module = await compile(given ?? this.#bytes());
      // Another call may have been faster.
      if (this.#compiled !== undefined) return;
      checkModule(module, this.#glue);
      try {
        this.#glue.initSync({ module });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        // Old browsers make no instance of a large module on their main thread but like this, and nobody else does it meanwhile.
        await this.#glue.default({ module_or_path: module });
        this.#isSlow = true;
      }
      this.#compiled = module;
    };
    return (this.#starting = this.#starting.then(go, go));
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
      this.#glue.initSync({ module });
      this.#compiled = module;
    } else if (this.#poisoned) {
      if (this.#isSlow) throw new Error('this browser makes no second instance of the module on its main thread: load the page again, or work in a worker');
      this.#renew();
    }
    return this.#glue as Exports;
  }

  /** Starts over with an instance whose memory is small. */
  #renew(): void {
    this.#glue.__wbg_reset_state();
    this.#generation++;
    this.#poisoned = false;
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
    if (--this.#busy > 0 || this.#compiled === undefined || this.#poisoned || this.#isSlow) return;
    if (this.#memory(this.#compiled).buffer.byteLength <= KEPT) return;
    // At once: the next call may come late or never, and nobody else would let go of the memory.
    try {
      this.#renew();
    } catch {
      // What was done is done: the next call tries again, and says what is wrong.
      this.#poisoned = true;
    }
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

  /** Whether this module can walk over structures. */
  get #walks(): boolean {
    return typeof (this.#glue as Partial<Exports>).inspect === 'function';
  }

  /** Tells an error how to find out in which part of a file it lies, if this module can. */
  locate(error: UnspoolError, bytes: Uint8Array, limits: Float64Array): void {
    const { class: class_, code, offset } = error;
    // A format alone comes without the walk over structures. What is wrong with the call lies in no part of the file, and neither does all of
    // the file that is too large.
    if (!this.#walks || class_ === 'Misuse' || class_ === 'Internal' || class_ === 'OutputTooSmall' || (class_ === 'Limit' && offset === 0)) return;
    // Whoever keeps the error should not keep the file with it. Until the work at hand is done the file is there in any case.
    const [memory, { byteOffset, length }] = [new WeakRef(bytes.buffer), bytes];
    error.find(() => {
      const buffer = memory.deref();
      if (buffer === undefined) return undefined;
      this.enter();
      try {
        return this.call((exports) => {
          const found = exports.inspect(new Uint8Array(buffer, byteOffset, length), LOOKED_AT, limits);
          const steps = found.part_at(code, offset);
          found.free();
          return pathOf(steps);
        });
      } catch {
        // A file that was refused may be too large for a walk over all of it.
        return undefined;
      } finally {
        this.leave();
      }
    });
  }
}

/** Words for a place in a file. A format alone has no labels and walks over no structure. */
let pathOf: (steps: readonly string[]) => string = String;

/** Learns the words for places. */
export function learnPaths(words: typeof pathOf): void {
  pathOf = words;
}

/** So many nodes are kept to find out where an error lies. Behind them its groups are all that is known. */
const LOOKED_AT = 2 ** 18;

/** Refuses another module than the one that this JavaScript is for: the first that gets in stays. */
function checkModule(module: WebAssembly.Module, glue: Glue): void {
  const known = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  // Functions are called alike on both sides; classes, and those that only JavaScript has, are not.
  const lacks = Object.keys(glue).find((name) => /^[a-z]\w*_/.test(name) && !known.has(name));
  if (lacks !== undefined || !known.has('memory')) throw new TypeError(`this is another wasm module than that of this entry of unspool: it lacks ${lacks ?? 'memory'}`);
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (isArray(source) || isBuffer(source)) return WebAssembly.compile(source as BufferSource);
  if (typeof source !== 'string' && !(source instanceof URL) && !(source instanceof Response)) {
    throw new TypeError('init takes a WebAssembly.Module, its bytes, a URL or a Response');
  }
  const response = source instanceof Response ? source : await fetched(source);
  if (!response.ok) throw new SourceError(`the wasm module cannot be fetched: ${response.status} ${response.statusText}`, response.url || String(source), response.status);
  return WebAssembly.compile(await response.arrayBuffer());
}

async function fetched(url: string | URL): Promise<Response> {
  return fetch(url).catch((cause: unknown) => {
    throw isElsewhere(url) ? cause : new TypeError(`${String(url)} cannot be fetched; in Node, hand in the bytes: await init(await readFile(url))`, { cause });
  });
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/i.test(error.message);
}

const engines = new Map<string, Engine>();

/** The room of everything. */
const WHOLE = 'unspool';

/**
 * The engine for a format. Somebody else may have imported an entry without a module and never call its `init`: one that has a
 * module is taken first, and of two the whole.
 */
function engineOf(name: string): Engine {
  const known = [engines.get(WHOLE), engines.get(name)].filter((engine) => engine !== undefined);
  const engine = known.find((engine) => engine.isCompiled) ?? known.find((engine) => engine.isReady) ?? known.at(-1);
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
  engines.get(name)?.carry(() => bytesOfText(text));
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
  /** Works on the whole of a file: an error can tell in which part of it it lies, and memory is given back. */
  work<T>(bytes: Uint8Array, limits: Float64Array, run: () => T): T;
}

/** The room of a format. */
export function room(name: string): Room {
  // The first call decides: what it leaves in a module must be looked for in the same one later. One without a module is left nothing.
  let found: Engine | undefined;
  const engine = (): Engine => {
    if (found?.isReady !== true) found = engineOf(name);
    return found;
  };
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
        if (error instanceof UnspoolError) {
          // Until somebody reads it, the stack of an error is one of functions that know the bytes, at least in V8.
          void error.stack;
          // The whole may have come after a format alone, and can do more.
          const whole = engines.get(WHOLE);
          (whole?.isReady === true ? whole : engine()).locate(error, bytes, limits);
        }
        throw error;
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
    forgotten.register(this, room, this);
  }

  /** Whether its instance is gone, and it with that. */
  get isLost(): boolean {
    return this.#room.instanceNumber() !== this.#instance;
  }

  /** Calls into it, unless another call has trapped since the last one and taken the instance with it. */
  call<R>(run: (thing: T) => R): R {
    const thing = this.#thing;
    if (thing === undefined) throw new TypeError('this was released, and cannot be used any more');
    if (this.isLost) throw lost();
    try {
      return this.#room.call(() => run(thing));
    } catch (error) {
      throw this.isLost ? lost((error as Error).cause) : error;
    }
  }

  /** Gives it back. A second time changes nothing. */
  free(): void {
    if (this.#thing === undefined) return;
    if (!this.isLost) this.#thing.free();
    this.#thing = undefined;
    forgotten.unregister(this);
    this.#room.leave();
  }
}

/** What nobody freed before the garbage collector came, which frees the thing itself: without this its instance would be in use forever. */
const forgotten = new FinalizationRegistry<Room>((room) => room.leave());

/** The room of what knows every format. */
export const whole = room(WHOLE);
/** Its calls. */
export const { call, work } = whole;
