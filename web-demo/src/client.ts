// The page's side of the worker.
import type { Fault, Report } from './model';
import type { Rows, TextSearch, Texts, TextsWanted } from './values';
import type { Answer, Wanted } from './worker';

/** Why the worker could not answer. */
export class WorkerError extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

/** A file in a worker of its own; closing it ends whatever the worker is doing. */
export class OpenFile {
  #worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>();
  #next = 0;

  constructor(readonly blob: Blob) {
    this.#worker.onmessage = ({ data: answer }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('error' in answer) waiting?.reject(new WorkerError(answer.error));
      else waiting?.resolve(answer.result);
    };
    this.#worker.onerror = (event) => this.#fail(new Error(event.message || 'the worker could not start'));
  }

  report(): Promise<Report> {
    return this.#ask({ open: this.blob }) as Promise<Report>;
  }

  rows(column: number, start: number, end: number): Promise<Rows> {
    return this.#ask({ rows: { column, start, end } }) as Promise<Rows>;
  }

  texts(wanted: TextsWanted): Promise<Texts> {
    return this.#ask({ texts: wanted }) as Promise<Texts>;
  }

  search(wanted: TextSearch): Promise<Uint32Array> {
    return this.#ask({ search: wanted }) as Promise<Uint32Array>;
  }

  bytes(start: number, end: number): Promise<Uint8Array> {
    return this.#ask({ bytes: { start, end } }) as Promise<Uint8Array>;
  }

  close(): void {
    this.#worker.terminate();
    this.#fail(new DOMException('closed', 'AbortError'));
  }

  #ask(wanted: Wanted): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, ...wanted });
    });
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
