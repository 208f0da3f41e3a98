// A bounded queue in order of priority.
import { unlessAborted } from '../abort.js';

/** The highest priority first; of the same priority, the oldest first. */
export class Queue<T extends { readonly priority: number }> {
  /** Maximum length. */
  readonly capacity: number;
  #items: T[] = [];
  /** Callers that wait for room, the oldest first. */
  #waiting: (() => void)[] = [];

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Number of items that it still takes. */
  get room(): number {
    return this.capacity - this.#items.length;
  }

  push(item: T): void {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#items[middle]?.priority ?? 0) >= item.priority) low = middle + 1;
      else high = middle;
    }
    this.#items.splice(low, 0, item);
  }

  /** Removes the first item. */
  shift(): T | undefined {
    const item = this.#items.shift();
    this.#wake();
    return item;
  }

  /** Removes an item. Returns false if it is not in the queue. */
  remove(item: T): boolean {
    const at = this.#items.indexOf(item);
    if (at < 0) return false;
    this.#items.splice(at, 1);
    this.#wake();
    return true;
  }

  /** Removes all items. */
  clear(): T[] {
    const items = this.#items.splice(0);
    this.#wake();
    return items;
  }

  /** Resolves when there is room. */
  async whenRoom(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.room > 0) return;
    let wake!: () => void;
    const woken = new Promise<void>((resolve) => this.#waiting.push((wake = resolve)));
    try {
      await unlessAborted(woken, signal);
    } finally {
      this.#waiting = this.#waiting.filter((waiting) => waiting !== wake);
    }
  }

  /** Wakes as many callers as there is room for. The last item wakes all: no other will. */
  #wake(): void {
    const count = this.#items.length === 0 ? this.#waiting.length : this.room;
    for (const wake of this.#waiting.splice(0, count)) wake();
  }
}
