// Workers that sum up pieces of a column. Each is another worker of the page, without a file.
import type { Answer, Request } from '../worker';
import type { Sum, SumWanted } from './sums';

/** Least and largest number of workers. */
const [LEAST, MOST] = [2, 8];

interface Waiting {
  readonly resolve: (sum: Sum) => void;
  readonly reject: (error: Error) => void;
}

export class Summers {
  readonly #workers: readonly Worker[];
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  /** Workers that have summed up a piece, by their number. */
  readonly used = new Set<number>();

  private constructor(workers: readonly Worker[]) {
    this.#workers = workers;
    for (const [number, worker] of workers.entries()) {
      worker.onmessage = ({ data: answer }: MessageEvent<Answer>) => {
        if ('progress' in answer) return;
        const waiting = this.#waiting.get(answer.id);
        this.#waiting.delete(answer.id);
        this.used.add(number);
        if ('error' in answer) waiting?.reject(new Error(answer.error.message));
        else waiting?.resolve(answer.result as Sum);
      };
      worker.onerror = (event) => {
        for (const { reject } of this.#waiting.values()) reject(new Error(event.message || 'the worker could not start'));
        this.#waiting.clear();
      };
    }
  }

  /** Starts workers; `undefined` in a browser whose workers cannot start others. */
  static start(): Summers | undefined {
    if (typeof Worker === 'undefined') return undefined;
    const count = Math.max(LEAST, Math.min(MOST, navigator.hardwareConcurrency));
    return new Summers(Array.from({ length: count }, (_, at) => new Worker(self.location.href, { type: 'module', name: `sums ${at}` })));
  }

  get count(): number {
    return this.#workers.length;
  }

  /** Sums up a piece on the next worker. Takes its memory. */
  sum({ piece, start, end }: SumWanted): Promise<Sum> {
    const id = this.#next++;
    // A piece may be part of a larger array.
    const data = piece.data.byteLength === piece.data.buffer.byteLength ? piece.data : piece.data.slice();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const wanted: Request = { id, sum: { piece: { ...piece, data }, start, end } };
      this.#workers[id % this.#workers.length]?.postMessage(wanted, [data.buffer as ArrayBuffer]);
    });
  }

  close(): void {
    for (const worker of this.#workers) worker.terminate();
  }
}
