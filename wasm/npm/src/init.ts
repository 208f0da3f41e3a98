/** A `WebAssembly.Module`. Looked up like this, nobody needs a `lib` of browsers for it who works in Node. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;

/** What `init` takes: a compiled module, its bytes, or where to fetch it. */
export type ModuleSource = WasmModule | ArrayBuffer | Uint8Array | URL | string | Response;

/**
 * Compiles the wasm module ahead of the first call.
 *
 * Without an argument it takes the module inside of the package, off the main thread where the platform does that. With a
 * `WebAssembly.Module`, bytes or a URL it takes that one. Calling it is never needed with an entry that has its module
 * inside. The first module stays: once anything has run, this does nothing.
 */
export type Init = (source?: ModuleSource | Promise<ModuleSource>) => Promise<void>;
