/** The part of Node that the package uses. `@types/node` would add all of its globals. */
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

declare module 'node:os' {
  export function availableParallelism(): number;
}
