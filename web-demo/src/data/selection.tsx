// Rows of a table that are selected, to be copied.
import { useEffect, useState } from 'preact/hooks';
import { plural, reasonOf } from '../format';
import { data } from '../words';

/** Reads the cells of rows, for a spreadsheet. */
export type Copy = (start: number, end: number) => Promise<readonly (readonly string[])[]>;

/** Rows that are copied at most: a spreadsheet holds few more, and the clipboard is in memory. */
const MOST = 100_000;

export interface Selection {
  /** The selected rows; empty if `end` is not above `start`. */
  readonly start: number;
  readonly end: number;
  /** Selects a row, or with `extend` all rows from the one selected before. */
  pick(row: number, extend: boolean): void;
  /** Moves the end of the selection by a row. */
  extend(step: number, from: number): void;
  copy(): void;
  /** Result of copying. */
  readonly said: string;
}

/** Keeps the selected rows of a table. When `of` changes, none are selected. */
export function useSelection(total: number, read: Copy | undefined, of: readonly unknown[]): Selection | undefined {
  const [range, setRange] = useState<readonly [anchor: number, end: number]>();
  const [said, setSaid] = useState('');
  useEffect(() => {
    setRange(undefined);
    setSaid('');
  }, of);
  if (read === undefined) return undefined;
  const [anchor, last] = range ?? [0, -1];
  const [start, end] = last < 0 ? [0, 0] : [Math.min(anchor, last), Math.min(total, Math.max(anchor, last) + 1)];
  const select = (anchor: number, last: number): void => {
    setRange([anchor, last]);
    setSaid('');
  };
  const copy = async (): Promise<void> => {
    try {
      const rows = await read(start, Math.min(end, start + MOST));
      // Tabs and line feeds separate cells and rows.
      await navigator.clipboard.writeText(rows.map((cells) => cells.map((cell) => cell.replace(/[\t\n\r]/g, ' ')).join('\t')).join('\n'));
      setSaid(data.copied(rows.length));
    } catch (error) {
      setSaid(data.copyFailed(reasonOf(error)));
    }
  };
  return {
    start,
    end,
    said,
    pick: (row, extend) => select(extend && range !== undefined ? anchor : row, row),
    extend: (step, from) => (range === undefined ? select(from, from) : select(anchor, Math.max(0, Math.min(total - 1, last + step)))),
    copy: () => void (end > start && copy()),
  };
}

/** Says how many rows are selected, and copies them. */
export function CopyRows({ selection: { start, end, copy, said } }: { readonly selection: Selection }) {
  if (end <= start) return null;
  return (
    <span class="fine copy-rows">
      {end > start && <button type="button" onClick={copy}>{data.copyRows(plural(end - start, data.row))}</button>} <span role="status">{said}</span>
    </span>
  );
}
