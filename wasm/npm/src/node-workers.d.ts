/** As much of Node as the package touches. Its own declarations would bring all of its globals along. */
declare module 'node:worker_threads' {
  interface Port {
    postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
    on(event: 'message' | 'messageerror' | 'error' | 'exit', listener: (value: unknown) => void): void;
  }
  export class Worker implements Port {
    constructor(url: URL);
    postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
    on(event: 'message' | 'messageerror' | 'error' | 'exit', listener: (value: unknown) => void): void;
    terminate(): void;
    ref(): void;
    unref(): void;
  }
  export const parentPort: Port | null;
}
