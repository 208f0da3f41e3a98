// Lets a value lead to its bits, and bits to their value, on different tabs of a file.
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Report } from '../model';
import type { Bits, Value } from './tracer';

export interface Going {
  /** Shows bits of the file. */
  readonly showBits: (bits: Bits) => void;
  /** Shows a value in the data. */
  readonly showValue: (value: Value) => void;
  /** Inspects the file, if that was not done. */
  readonly inspect: () => void;
  /** The value to show. */
  readonly sought: Value | undefined;
}

export const Going = createContext<Going>({ showBits: () => undefined, showValue: () => undefined, inspect: () => undefined, sought: undefined });

/** Formats of content in the order of the file. */
const ORDERED: ReadonlySet<string> = new Set(['gzip', 'xz', 'zstd', 'zstd-v07']);

/** Returns `true` if the values of a file can be traced to their bits. */
export function canTrace({ summary, format, read }: Report): boolean {
  switch (summary?.shows) {
    case 'numbers':
    case 'strings': return true;
    case 'table': return summary.table?.blocks !== undefined;
    // Of most codecs of AT-1, content does not follow the order of the file.
    case 'bytes': return read === 'all' && format !== undefined && ORDERED.has(format);
    default: return false;
  }
}

const shown = new WeakSet<Value>();

/** Calls `show` once for each value that is sought and that this view has. */
export function useSought(has: (value: Value) => boolean, show: (value: Value) => void): void {
  const { sought } = useContext(Going);
  useEffect(() => {
    if (sought === undefined || shown.has(sought) || !has(sought)) return;
    shown.add(sought);
    show(sought);
  }, [sought]);
}
