// The order of the rows of a table, by a column that the visitor picks.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Care } from '../client';
import { reasonOf } from '../format';
import { Cancel, useJob } from '../tools/cancel';
import { Passing } from '../tools/passing';
import { Refused } from '../tools/refused';
import { sorting as words } from '../words';
import type { Ordered } from './order';
import type { Head } from './rows';

/** A column to sort by, and the order. */
interface By {
  readonly column: number;
  readonly descending: boolean;
}

export interface Sorting {
  /** The sorted rows; `undefined` in the order of the file. */
  readonly order: Uint32Array | undefined;
  /** Returns the row at a place of the table. */
  readonly rowAt: (place: number) => number;
  /** Returns the place of a row; -1 if it is not among the sorted ones. */
  readonly placeOf: (row: number) => number;
  /** Makes the head of a column sort the table. */
  readonly head: (column: number) => Pick<Head, 'order' | 'onSort'>;
  /** Shows the rows in the order of the file. */
  readonly clear: () => void;
  /** Progress, and what was sorted. */
  readonly status: ComponentChildren;
}

/**
 * Lets the visitor sort a table. When `of` changes, its rows are in the order of the file.
 * `isStart` says that only the start of the file is loaded.
 */
export function useSorting(ask: (by: By, care: Care) => Promise<Ordered>, of: readonly unknown[], isStart = false): Sorting {
  const job = useJob();
  const [by, setBy] = useState<By>();
  const [found, setFound] = useState<{ readonly by: By; readonly ordered: Ordered }>();
  const [problem, setProblem] = useState('');
  const clear = (): void => {
    job.cancel();
    setBy(undefined);
    setFound(undefined);
    setProblem('');
  };
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) clear();
    first.current = false;
  }, of);
  const sort = (by: By): void => {
    job.cancel();
    setBy(by);
    setProblem('');
    void job.run(async (care) => {
      care.signal.addEventListener('abort', () => setBy((now) => (now === by ? found?.by : now)));
      const ordered = await ask(by, care);
      if (!care.signal.aborted) setFound({ by, ordered });
    }).catch((error: unknown) => setProblem(reasonOf(error)));
  };
  const shown = by === undefined ? undefined : found;
  const order = shown?.ordered.rows;
  const places = useMemo(() => {
    let inverse: Uint32Array | undefined;
    return (row: number): number => {
      if (order === undefined) return row;
      if (inverse === undefined) {
        inverse = new Uint32Array(order.length);
        for (let place = 0; place < order.length; place++) inverse[order[place] ?? 0] = place;
      }
      return inverse[row] ?? -1;
    };
  }, [order]);
  const isBy = ({ column, descending }: By): boolean => by?.column === column && by.descending === descending;
  return {
    order,
    rowAt: (place) => (order === undefined ? place : (order[place] ?? 0)),
    placeOf: places,
    head: (column) => ({
      order: shown?.by.column !== column ? 'none' : shown.by.descending ? 'descending' : 'ascending',
      onSort: () => (isBy({ column, descending: true }) ? clear() : sort({ column, descending: isBy({ column, descending: false }) })),
    }),
    clear,
    status: (
      <>
        {job.going && <p class="facts" role="status">{words.going} <Cancel job={job} what={words.job} /></p>}
        <Refused what={words.failed} error={problem} onRetry={() => by !== undefined && sort(by)} />
        {!job.going && shown !== undefined && (
          <p class="facts" role="status">
            {words.sorted(shown.ordered.rows.length, shown.ordered.total, isStart)} <Passing onClick={clear}>{words.undo}</Passing>
          </p>
        )}
      </>
    ),
  };
}

/** Reads sorted rows, which are anywhere in the file, one by one. */
export async function eachRow<Row>(rows: ArrayLike<number>, read: (row: number) => Promise<readonly Row[]>): Promise<Row[]> {
  return (await Promise.all(Array.from(rows, read))).flat();
}
