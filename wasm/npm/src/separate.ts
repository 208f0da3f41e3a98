// The package without its wasm module: `await init(url)` first. For pages that want to cache or to audit the module by
// itself, and for runtimes that only take modules compiled ahead of time.
export * from './api.js';
