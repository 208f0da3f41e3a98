/** A `WebAssembly.Module`. Defined without the `DOM` types, which a Node project need not have. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : never;

/** An argument of `init`: a compiled module, its bytes, or an address to fetch it from. */
export type ModuleSource = WasmModule | ArrayBuffer | Uint8Array | URL | string | Response;

/** Options of `init`. */
export interface InitOptions {
  /** Aborts the download, and waiting for the compiler. */
  signal?: AbortSignal | undefined;
}

/**
 * Compiles the wasm module before the first call.
 *
 * Without an argument, compiles the module inside the package, off the main thread where the engine
 * can. With a `WebAssembly.Module`, bytes or a URL, uses that one. An entry with a module inside
 * never needs this call. The first module stays: later calls do nothing.
 *
 * A server that sends nothing for 30 seconds, less than 256 bytes a second, or more than 16 MiB, is
 * a `SourceError`.
 */
export type Init = (source?: ModuleSource | Promise<ModuleSource>, options?: InitOptions) => Promise<void>;
