// The wasm modules: one instance of each, created by the first call and replaced after a trap.
//
// Each format has a module, and another one that also inspects. The code of a format asks for its
// module by name and gets either of them, whichever an entry registered.
import { registerErrors, UnspoolError, type ErrorLine } from './error.js';
import { lost, trapped } from './trap.js';
import type { Init, InitOptions, ModuleSource } from './init.js';
import { isArray, isBuffer } from './bytes.js';
import { anySignal, unlessAborted } from './abort.js';
import { bodyOf, hangUp, headOf } from './answer.js';
import { ready } from './ready.js';
import { SourceError } from './source-error.js';
import { bytesOfText } from './text.js';

/** The exports of all modules. Each module has some of them. */
export type Exports = typeof import('../wasm/at1-inspect/unspool.js') &
  typeof import('../wasm/cvc-inspect/unspool.js') &
  typeof import('../wasm/gzip-inspect/unspool.js') &
  typeof import('../wasm/onpair-inspect/unspool.js') &
  typeof import('../wasm/pco-inspect/unspool.js') &
  typeof import('../wasm/xz-inspect/unspool.js') &
  typeof import('../wasm/zstd-inspect/unspool.js') &
  typeof import('../wasm/lzma-inspect/unspool.js') &
  typeof import('../wasm/xz-stream/unspool.js') &
  typeof import('../wasm/zstd-stream/unspool.js');

/** The part of a module's JavaScript that every module has. */
type Glue = Pick<typeof import('../wasm/pco/unspool.js'), 'default' | 'initSync' | '__wbg_reset_state'>;

/**
 * Maximum memory that an idle instance keeps. Wasm memory never shrinks, so a larger instance is
 * replaced.
 */
const MAX_IDLE_MEMORY = 64 * 2 ** 20;

/** The embedded modules as text, by name. */
const embedded = new Map<string, string>();

/** A module and its current instance. */
class Engine {
  #glue: Glue;
  /** The module of the instance. */
  #compiled: WebAssembly.Module | undefined;
  /** The module compiled for other threads, perhaps without an instance in this one. */
  #shared: Promise<WebAssembly.Module> | undefined;
  /** True after a trap: the next call must start a new instance. */
  #poisoned = false;
  /**
   * Number of the instance: a handle into a replaced instance must not be freed in the next one.
   */
  #generation = 0;
  #busy = 0;
  /** Number of objects that can be reopened in another instance. */
  #settlers = 0;
  /** Memory of the instance when the last of them was opened. */
  #settled = 0;
  /** Memory of the instance; without bytes if it has grown since. */
  #buffer: ArrayBuffer | undefined;
  /** True if this browser instantiates only asynchronously. Then the instance is never replaced. */
  #isSlow = false;
  /** Result of the last `init`. */
  #starting: Promise<void> = Promise.resolve();

  #name: string;

  constructor(name: string, glue: Glue) {
    this.#name = name;
    this.#glue = glue;
  }

  #setCompiled(module: WebAssembly.Module): void {
    this.#compiled = module;
    ready.add(this.#name);
  }

  get isCompiled(): boolean {
    return this.#compiled !== undefined;
  }

  /** True if a module is compiled or can be compiled from embedded bytes. */
  get isReady(): boolean {
    return this.isCompiled || embedded.has(this.#name);
  }

  /** Returns the module for another thread. This one needs no instance of it. */
  share(): Promise<WebAssembly.Module> {
    if (this.#compiled !== undefined) return Promise.resolve(this.#compiled);
    const compiled = (this.#shared ??= compile(this.#bytes()));
    // A later call tries again.
    compiled.catch(() => (this.#shared = undefined));
    return compiled;
  }

  /** Implements `init`, whose declaration does not mention the generated module. */
  async start(source?: ModuleSource | Promise<ModuleSource>, { signal }: InitOptions = {}): Promise<void> {
    const given = await unlessAborted(source, signal);
    // One after the other: after a success there is nothing to do; after a failure the next call
    // tries its own source.
    const go = async (): Promise<void> => {
      if (this.#compiled !== undefined) return;
      const module = given === undefined ? await this.share() : await compile(given, signal);
      signal?.throwIfAborted();
      // A synchronous call may have compiled the module meanwhile.
      if (this.#compiled !== undefined) return;
      checkModule(module, this.#glue);
      try {
        this.#glue.initSync({ module });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        // Old browsers instantiate a large module on the main thread only asynchronously.
        await this.#glue.default({ module_or_path: module });
        this.#isSlow = true;
      }
      this.#setCompiled(module);
    };
    return unlessAborted((this.#starting = this.#starting.then(go, go)), signal);
  }

  #bytes(): Uint8Array {
    const text = embedded.get(this.#name);
    if (text === undefined) throw new Error('this entry of unspool has no wasm module inside; await init(url) first');
    return bytesOfText(text);
  }

  /** Returns the exports of a working instance. */
  #exports(): Exports {
    if (this.#compiled === undefined) {
      let module;
      try {
        module = new WebAssembly.Module(this.#bytes() as BufferSource);
      } catch (error) {
        if (error instanceof RangeError) {
          throw new Error('this browser cannot compile wasm synchronously on its main thread; await init() first', { cause: error });
        }
        throw error;
      }
      this.#glue.initSync({ module });
      this.#setCompiled(module);
    } else if (this.#poisoned) {
      if (this.#isSlow) throw new Error('the wasm module trapped, and this browser cannot instantiate it again on its main thread; reload the page or use a worker');
      this.#renew();
    }
    return this.#glue as unknown as Exports;
  }

  /** Replaces the instance by a new one with little memory. */
  #renew(): void {
    this.#glue.__wbg_reset_state();
    this.#buffer = undefined;
    this.#generation++;
    this.#poisoned = false;
    this.#settlers = this.#settled = 0;
  }

  instanceNumber(): number | undefined {
    return this.#poisoned ? undefined : this.#generation;
  }

  /** Returns the bytes of the instance's memory. */
  #memoryOf(module: WebAssembly.Module): number {
    // Asking the memory for its buffer takes a twentieth of a short call. `initSync` returns the
    // exports if called again.
    if (!this.#buffer?.byteLength) this.#buffer = this.#glue.initSync({ module }).memory.buffer;
    return this.#buffer.byteLength;
  }

  enter(): void {
    this.#busy++;
  }

  leave(): void {
    this.#busy--;
    this.#shrink();
  }

  /** Ends the task of an object that can be reopened, which stays. */
  settle(): void {
    this.#busy--;
    this.#settlers++;
    if (this.#compiled !== undefined) this.#settled = this.#memoryOf(this.#compiled);
  }

  /** Forgets such an object, unless its instance is gone. */
  unsettle(instance: number | undefined): void {
    if (instance !== this.instanceNumber()) return;
    if (--this.#settlers === 0) this.#settled = 0;
    this.#shrink();
  }

  /**
   * Replaces an idle instance with a large memory. If large objects are open, it must be twice as
   * large as with them: reopening them takes time.
   */
  #shrink(): void {
    if (this.#busy > 0 || this.#compiled === undefined || this.#poisoned || this.#isSlow) return;
    if (this.#memoryOf(this.#compiled) <= Math.max(MAX_IDLE_MEMORY, 2 * this.#settled)) return;
    // Replace it now: the next call may never come, and nothing else would free the memory.
    try {
      this.#renew();
    } catch {
      // The result is complete; let the next call retry and report the error.
      this.#poisoned = true;
    }
  }

  call<T>(run: (exports: Exports) => T): T {
    const exports = this.#exports();
    try {
      return run(exports);
    } catch (error) {
      // The module throws `undefined`, and keeps the error.
      if (error === undefined) throw new UnspoolError(exports.fault(0), { offset: exports.fault(1), need: exports.fault(2) });
      if (error instanceof WebAssembly.RuntimeError || isStackOverflow(error)) {
        this.#poisoned = true;
        throw trapped(error);
      }
      throw error;
    }
  }

  /** Lets an error find the part of the file that it points to. The module must inspect. */
  locate(error: UnspoolError, bytes: Uint8Array, limits: Float64Array): void {
    const { class: class_, code, offset } = error;
    // Misuse, and a file too large as a whole, have no part.
    if (class_ === 'Misuse' || class_ === 'Internal' || class_ === 'OutputTooSmall' || (class_ === 'Limit' && offset === 0)) return;
    // A weak reference: keeping the error must not keep the file. During the call the file exists
    // anyway. Some runtimes have none.
    if (typeof WeakRef === 'undefined') return;
    const [memory, { byteOffset, length }] = [new WeakRef(bytes.buffer), bytes];
    error.find(() => {
      const buffer = memory.deref();
      if (buffer === undefined) return undefined;
      this.enter();
      try {
        return this.call((exports) => {
          const found = exports.inspect(new Uint8Array(buffer, byteOffset, length), MAX_LOCATED_NODES, limits);
          const steps = found.part_at(code, offset);
          found.free();
          return pathOf(steps);
        });
      } catch {
        // A walk over the whole file may exceed memory.
        return undefined;
      } finally {
        this.leave();
      }
    });
  }
}

/** Formats a path in a structure. Without an inspector there are no labels. */
let pathOf: (steps: readonly string[]) => string = String;

/** Sets the formatter of paths. */
export function setPathFormatter(words: typeof pathOf): void {
  pathOf = words;
}

/** Maximum number of nodes for locating an error. After them, only the groups are known. */
const MAX_LOCATED_NODES = 2 ** 18;

/** Refuses a module that does not belong to this JavaScript. */
function checkModule(module: WebAssembly.Module, glue: Glue): void {
  const known = new Set(WebAssembly.Module.exports(module).map(({ name }) => name));
  // Function names are the same on both sides; names of classes and of JavaScript helpers are not.
  const lacks = Object.keys(glue).find((name) => /^[a-z]\w*_/.test(name) && !known.has(name));
  if (lacks !== undefined || !known.has('memory')) throw new TypeError(`the wasm module does not match this entry of unspool: it lacks ${lacks ?? 'memory'}`);
}

/** Maximum length of a module that a server sends. The largest of the package has 0.2 MiB. */
const MOST_MODULE = 16 * 2 ** 20;

async function compile(source: ModuleSource, signal?: AbortSignal): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (isArray(source) || isBuffer(source)) return WebAssembly.compile(source as BufferSource);
  if (typeof source !== 'string' && !(source instanceof URL) && !(source instanceof Response)) {
    throw new TypeError('init expects a WebAssembly.Module, its bytes, a URL or a Response');
  }
  const response = source instanceof Response ? source : await fetched(String(source), signal);
  const { ok, status, statusText } = response;
  const url = response.url || String(source);
  const refused = (why: string): SourceError => new SourceError(`the server ${why} for the wasm module`, url, status);
  if (!ok) {
    hangUp(response);
    throw refused(`returned ${status} ${statusText}`);
  }
  const bytes = await bodyOf(response, url, MOST_MODULE, signal);
  if (bytes === undefined) throw refused(`sent more than ${MOST_MODULE} bytes`);
  return WebAssembly.compile(bytes as BufferSource);
}

/** Returns the error for a `fetch` that failed. On a page, a relative address can be fetched. */
export function notFetched(url: string, cause: unknown, signal: AbortSignal | undefined, hint: string): unknown {
  if (signal?.aborted === true) return cause;
  if (/^https?:/i.test(url) || 'location' in globalThis) return new SourceError('the server cannot be reached', url, 0, { cause });
  return new TypeError(`${url} cannot be fetched; in Node, ${hint}`, { cause });
}

function fetched(url: string, signal: AbortSignal | undefined): Promise<Response> {
  return headOf(url, (over) => fetch(url, { signal: anySignal(signal, over) }).catch((cause: unknown) => {
    throw notFetched(url, cause, signal, 'pass the bytes: await init(await readFile(url))');
  }));
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/i.test(error.message);
}

const engines = new Map<string, Engine>();

/** Returns the inspector of a format, if it is ready. */
function inspectorOf(name: string): Engine | undefined {
  const engine = engines.get(`${name}-inspect`);
  return engine?.isReady === true ? engine : undefined;
}

/**
 * Returns the engine for a format. An entry without a module may have been imported and never
 * initialised, so an engine with a module wins.
 */
function engineOf(name: string): Engine {
  const known = [inspectorOf(name), engines.get(name)].filter((engine) => engine !== undefined);
  const engine = known.find((engine) => engine.isCompiled) ?? known.find((engine) => engine.isReady) ?? known.at(-1);
  if (engine === undefined) throw new Error(`no imported entry of unspool includes ${name}`);
  return engine;
}

/** Registers a module and its error messages. Returns the `init` of its entry. */
export function registerModule(name: string, glue: unknown, ...errors: readonly (readonly ErrorLine[])[]): Init {
  registerErrors(...errors);
  const engine = new Engine(name, glue as Glue);
  engines.set(name, engine);
  return (source, options) => engine.start(source, options);
}

/** Returns a registered module for another thread. */
export async function shareModule(name: string): Promise<WebAssembly.Module> {
  const engine = engines.get(name);
  if (engine === undefined) throw new Error(`no imported entry of unspool includes ${name}`);
  return engine.share();
}

/**
 * Embeds a module, to be compiled on demand. The chunks of esbuild may do that before the module is
 * registered.
 */
export function embedModule(name: string, text: string): void {
  embedded.set(name, text);
  ready.add(name);
}

/** Access to the module of a format. */
export interface ModuleAccess {
  /**
   * Calls the module. An array of numbers that it throws becomes an {@link UnspoolError}; a trap
   * discards the instance.
   */
  call<T>(run: (exports: Exports) => T): T;
  /** Starts a task that the instance must outlive. */
  enter(): void;
  /** Ends a task. After the last one, a large memory is freed. */
  leave(): void;
  /** Ends a task whose object stays, but can be reopened if the instance is replaced. */
  settle(): void;
  /** Forgets such an object of this instance. */
  unsettle(instance: number | undefined): void;
  /** Returns the number of the current instance, or `undefined` after a trap. */
  instanceNumber(): number | undefined;
  /**
   * Processes a whole file: its errors can find their part, and a large memory is freed afterwards.
   */
  work<T>(bytes: Uint8Array, limits: Float64Array, run: () => T): T;
}

/** Returns access to the module of a format. */
export function moduleFor(name: string): ModuleAccess {
  // Fixed by the first call, because handles live in that module. An engine without a module has no
  // handles.
  let found: Engine | undefined;
  const engine = (): Engine => {
    if (found?.isReady !== true) found = engineOf(name);
    return found;
  };
  return {
    call: (run) => engine().call(run),
    enter: () => engine().enter(),
    leave: () => engine().leave(),
    settle: () => engine().settle(),
    unsettle: (instance) => engine().unsettle(instance),
    instanceNumber: () => engine().instanceNumber(),
    work(bytes, limits, run) {
      engine().enter();
      try {
        return run();
      } catch (error) {
        if (error instanceof UnspoolError) {
          // In V8, an error's unread stack keeps references to functions that know the bytes.
          void error.stack;
          inspectorOf(name)?.locate(error, bytes, limits);
        }
        throw error;
      } finally {
        engine().leave();
      }
    },
  };
}

/** An object in a module that outlives one call: a reader, a query, a stream. */
export class Handle<T extends { free(): void }> {
  #access: ModuleAccess;
  #thing: T | undefined;
  #instance: number | undefined;
  /** Ends the task of the object. */
  #end: () => void;

  /**
   * Creates the object. Its instance stays at least as long, unless the owner `reopens` a lost
   * object.
   */
  constructor(access: ModuleAccess, make: (exports: Exports) => T, reopens = false) {
    this.#access = access;
    access.enter();
    try {
      this.#thing = access.call(make);
    } catch (error) {
      access.leave();
      throw error;
    }
    const instance = (this.#instance = access.instanceNumber());
    if (reopens) access.settle();
    this.#end = reopens ? () => access.unsettle(instance) : access.leave;
    leaked?.register(this, this.#end, this);
  }

  /** True if the instance of the object was replaced. */
  get isLost(): boolean {
    return this.#access.instanceNumber() !== this.#instance;
  }

  /** Calls the object, unless a trap has discarded its instance. */
  call<R>(run: (thing: T) => R): R {
    const thing = this.#thing;
    if (thing === undefined) throw new TypeError('this object was released and cannot be used again');
    if (this.isLost) throw lost();
    try {
      return this.#access.call(() => run(thing));
    } catch (error) {
      throw this.isLost ? lost((error as Error).cause) : error;
    }
  }

  /** Frees the object. A second call does nothing. */
  free(): void {
    if (this.#thing === undefined) return;
    if (!this.isLost) this.#thing.free();
    this.#thing = undefined;
    leaked?.unregister(this);
    this.#end();
  }
}

/**
 * Ends the task of objects that were collected without `free`; else their instance would stay in
 * use forever.
 */
const leaked = typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry<() => void>((end) => end());
