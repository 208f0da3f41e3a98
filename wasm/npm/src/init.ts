/** What `init` takes: a compiled module, its bytes, or where to fetch it. */
export type ModuleSource = WebAssembly.Module | ArrayBuffer | Uint8Array | URL | string | Response;

/**
 * Compiles the wasm module ahead of the first call.
 *
 * Without an argument it takes the module inside of the package, off the main thread where the platform does that. With a
 * `WebAssembly.Module`, bytes or a URL it takes that one. Calling it is never needed with an entry that has its module
 * inside. The first module stays: once anything has run, this does nothing.
 */
export type Init = (source?: ModuleSource | Promise<ModuleSource>) => Promise<void>;
