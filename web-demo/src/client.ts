// The page's side of the worker.
import type { BinsWanted } from './formats/pco-bins';
import type { Fault, Report } from './model';
import { RemoteFile, type Content } from './remote';
import type { Sought } from './search';
import type { ExportWanted, Question, Rows, Summed, TableAnswer, TextSearch, Texts, TextsWanted } from './values';
import type { Answer, Progress, Wanted } from './worker';

/** Why the worker could not answer. */
export class WorkerError extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly tell: ((progress: Progress) => void) | undefined;
}

/** A file in a worker of its own; closing it ends whatever the worker is doing. */
export class OpenFile {
  #worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
  #waiting = new Map<number, Waiting>();
  #next = 0;

  constructor(readonly source: Blob | RemoteFile) {
    this.#worker.onmessage = ({ data: answer }: MessageEvent<Answer>) => {
      const waiting = this.#waiting.get(answer.id);
      if ('progress' in answer) return waiting?.tell?.(answer.progress);
      this.#waiting.delete(answer.id);
      if ('error' in answer) waiting?.reject(new WorkerError(answer.error));
      else waiting?.resolve(answer.result);
    };
    this.#worker.onerror = (event) => this.#fail(new Error(event.message || 'the worker could not start'));
  }

  report(tell: (progress: Progress) => void): Promise<Report> {
    const { source } = this;
    return this.#ask({ open: source instanceof RemoteFile ? { url: source.url, size: source.size } : source }, tell) as Promise<Report>;
  }

  /** The bytes that a report is of. */
  content(report: Report): Content {
    return report.content ?? this.source;
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

  query(question: Question): Promise<TableAnswer> {
    return this.#ask({ query: question }) as Promise<TableAnswer>;
  }

  bins(wanted: BinsWanted): Promise<{ counts: number[]; of: number }> {
    return this.#ask({ bins: wanted }) as Promise<{ counts: number[]; of: number }>;
  }

  bytes(start: number, end: number): Promise<Uint8Array> {
    return this.#ask({ bytes: { start, end } }) as Promise<Uint8Array>;
  }

  find(wanted: Sought): Promise<number> {
    return this.#ask({ find: wanted }) as Promise<number>;
  }

  statistics(column: number): Promise<Summed> {
    return this.#ask({ statistics: column }) as Promise<Summed>;
  }

  export(wanted: ExportWanted): Promise<Blob> {
    return this.#ask({ save: wanted }) as Promise<Blob>;
  }

  close(): void {
    this.#worker.terminate();
    this.#fail(new DOMException('closed', 'AbortError'));
  }

  #ask(wanted: Wanted, tell?: (progress: Progress) => void): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, tell });
      this.#worker.postMessage({ id, ...wanted });
    });
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
