// One instance of the wasm module, made at the first call and replaced after a trap.
import * as glue from '../wasm/unspool.js';
import { kinds, trapped, UnspoolError } from './error.js';
import type { ModuleSource } from './init.js';

/** The exports of the wasm module. */
export type Exports = typeof glue;

let provided: (() => Uint8Array) | undefined;
let ready = false;
let compiled: WebAssembly.Module | undefined;
/** Whether the next call starts a new instance: one that trapped is not to be trusted, and neither is what points into it. */
let poisoned = false;
/** Counts instances: a handle into one that was replaced must not be freed in the next. */
let generation = 0;

/** The wasm module, for when it is needed. */
export function provide(bytes: () => Uint8Array): void {
  provided = bytes;
}

/** See `init`, whose declaration says nothing of the generated module. */
export async function start(source?: ModuleSource | Promise<ModuleSource>): Promise<void> {
  const given = await source;
  if (ready) return;
  const module = await compile(given ?? inside());
  // Another call may have been faster.
  if (ready) return;
  compiled = module;
  glue.initSync({ module });
  ready = true;
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) {
    return WebAssembly.compile(source as BufferSource);
  }
  if (typeof source !== 'string' && !(source instanceof URL) && !(source instanceof Response)) {
    throw new TypeError('init takes a WebAssembly.Module, its bytes, a URL or a Response');
  }
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new Error(`the wasm module cannot be fetched: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function inside(): Uint8Array {
  if (provided === undefined) {
    throw new Error("'unspool/separate' comes without its wasm module: await init(url) first");
  }
  return provided();
}

/** The exports of a sound instance. */
export function wasm(): Exports {
  if (!ready) {
    let module;
    try {
      module = new WebAssembly.Module(inside() as BufferSource);
    } catch (error) {
      if (error instanceof RangeError) {
        throw new Error('this browser compiles no wasm on its main thread: await init() first', { cause: error });
      }
      throw error;
    }
    compiled = module;
    glue.initSync({ module });
    ready = true;
  } else if (poisoned) {
    glue.__wbg_reset_state();
    generation++;
  }
  poisoned = false;
  return glue;
}

/** Which instance is at work, or `undefined` after a trap. */
export function instanceNumber(): number | undefined {
  return poisoned ? undefined : generation;
}

/** Memory that an idle instance may keep. Wasm memory never shrinks, so one that has more is replaced. */
const KEPT = 64 * 2 ** 20;

let busy = 0;

/** The memory of the instance at work: the glue gives its exports to whoever hands in a module again. */
function memory(): WebAssembly.Memory {
  return glue.initSync({ module: compiled as WebAssembly.Module }).memory;
}

/** Somebody's work begins, which the instance must outlive. */
export function enter(): void {
  busy++;
}

/** It has ended. The last one out gives the memory of a large file back. */
export function leave(): void {
  if (--busy === 0 && ready && !poisoned && memory().buffer.byteLength > KEPT) poisoned = true;
}

/** Calls into the module. Numbers that it throws become an {@link UnspoolError}; a trap costs the instance. */
export function call<T>(run: (exports: Exports) => T): T {
  const exports = wasm();
  try {
    return run(exports);
  } catch (error) {
    if (Array.isArray(error)) {
      const [code = 0, offset = 0, need = 0] = error as number[];
      throw new UnspoolError(table(exports), code, offset, need);
    }
    if (error instanceof WebAssembly.RuntimeError || isStackOverflow(error)) {
      poisoned = true;
      throw trapped(error);
    }
    throw error;
  }
}

function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && /call stack/i.test(error.message);
}

let rows: ReturnType<typeof kinds> | undefined;

/** The core's table of errors, read once. */
export function table(exports: Exports = wasm()): ReturnType<typeof kinds> {
  return (rows ??= kinds(exports.error_kinds()));
}
