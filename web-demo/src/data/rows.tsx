// Tables of any length: only the rows in sight are rendered and loaded.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { noteInAddress, readAddress } from '../arrive/address';
import { usePieces } from '../tools/pieces';
import { useLines, type Lines } from '../tools/virtual';
import { data } from '../words';
import type { Across } from './across';
import { CopyRows, useSelection, type Copy } from './selection';

/** Height of a row and of the header; must match the style sheet. */
const LINE = 26;
/** Rows loaded at a time. */
const PIECE = 32;

/** The rows of a table at any scroll position. */
export interface Rows<Row> {
  readonly lines: Lines;
  readonly total: number;
  /** Returns a row if it is loaded. */
  readonly row: (at: number) => Row | undefined;
  /** Returns `true` if a row cannot be shown. */
  readonly failed: (at: number) => boolean;
  /** Why rows in sight cannot be shown, or an empty string. */
  readonly error: string;
  /** Loads rows that failed again. */
  readonly again: () => void;
  readonly of: readonly unknown[];
}

/** Rows in memory. When `of` changes, the table starts at its top again. */
export function useList<Row>(list: readonly Row[], of: readonly unknown[]): Rows<Row> {
  return { ...useScrolled(list.length, of), row: (at) => list[at], failed: () => false, error: '', again: () => undefined };
}

/** Rows that are loaded when they come into sight, `size` at a time. */
export function useRows<Row>(total: number, get: (start: number, end: number) => Promise<readonly Row[]>, of: readonly unknown[], size = PIECE): Rows<Row> {
  const scrolled = useScrolled(total, of);
  const [first, last] = [Math.floor(scrolled.lines.first / size), Math.ceil(scrolled.lines.last / size) - 1];
  const pieces = usePieces((piece) => get(piece * size, Math.min(total, (piece + 1) * size)), first, last, [...of, total]);
  const pieceOf = (at: number) => pieces.get(Math.floor(at / size));
  return { ...scrolled, row: (at) => pieceOf(at)?.here?.[at % size], failed: (at) => pieceOf(at)?.error !== undefined, error: pieces.error, again: pieces.again };
}

/**
 * Starts the table at the row in the address once it has rows, and keeps the address up to date.
 */
export function useNotedRow({ lines, total }: Rows<unknown>, here = true): void {
  const wanted = useRef(readAddress().row);
  const there = here && total > 0;
  useEffect(() => {
    if (!there || wanted.current === undefined) return;
    lines.go(wanted.current);
    wanted.current = undefined;
  }, [there]);
  useEffect(() => {
    if (there && wanted.current === undefined) noteInAddress({ row: lines.first > 0 ? lines.first : undefined });
  }, [there, lines.first]);
}

function useScrolled(total: number, of: readonly unknown[]) {
  const lines = useLines(total, LINE, LINE);
  useEffect(() => lines.go(0), of);
  return { lines, total, of };
}

interface Props<Row> {
  readonly rows: Rows<Row>;
  /** Word for the rows. */
  readonly label?: string;
  /** Names of the columns; the first is that of the row numbers. */
  readonly heads: readonly Head[];
  /** Renders the cells of a row: the row header, then one cell per name. */
  readonly cells: (row: Row, at: number) => ComponentChildren;
  readonly chosen?: number | undefined;
  readonly onRow?: ((at: number) => void) | undefined;
  /** Returns the position of a row, if it differs from its number. */
  readonly place?: (row: number) => number;
  /** Number of rows that the shown ones were selected from. */
  readonly outOf?: number;
  /** For rows not counted from 0: the label of the field that goes to one, and the first. */
  readonly counted?: { readonly goTo: string; readonly first: number };
  /** The columns in sight, if there may be more than fit. `heads` and `cells` hold only these. */
  readonly across?: Across | undefined;
  /** True while other rows are loading. */
  readonly busy?: boolean;
  /** Reads rows to copy them. Without it, rows cannot be selected. */
  readonly copy?: Copy;
  /** Fields beside the one that goes to a row. */
  readonly children?: ComponentChildren;
}

export interface Head {
  readonly name: string;
  readonly kind?: 'text' | 'more' | undefined;
  /** The order of the rows by this column, if they can be sorted. */
  readonly order?: 'ascending' | 'descending' | 'none';
  readonly onSort?: () => void;
}

export function RowTable<Row>({ rows, label = data.rows, heads, cells, chosen, onRow, place = (row) => row, outOf = rows.total, counted, across, busy, copy, children }: Props<Row>) {
  const { lines, total } = rows;
  const table = useKeptWidths([...rows.of, across?.first, across?.last], heads.length);
  const selection = useSelection(total, copy, rows.of);
  if (total === 0) return null;

  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: lines.page - 1, PageUp: 1 - lines.page, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (selection !== undefined && event.key === 'c' && (event.ctrlKey || event.metaKey) && getSelection()?.isCollapsed !== false) return selection.copy();
    if (selection !== undefined && event.shiftKey && (step === 1 || step === -1)) {
      selection.extend(step, chosen ?? lines.first);
      event.preventDefault();
      return;
    }
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    lines.go(lines.first + step);
    event.preventDefault();
  };

  const pick = (at: number, event: MouseEvent): void => {
    selection?.pick(at, event.shiftKey);
    if (!event.shiftKey) onRow?.(at);
    // The browser would select the text between the two clicks.
    else getSelection()?.removeAllRanges();
  };
  const shown = [];
  for (let at = lines.first; at < lines.last; at++) {
    const row = rows.row(at);
    shown.push(
      <tr key={at} aria-rowindex={at + 2} class={at === chosen || (selection !== undefined && at >= selection.start && at < selection.end) ? 'selected' : ''} onClick={(event) => pick(at, event)}>
        {row === undefined ? <th scope="row" class="coming" colSpan={heads.length}>{rows.failed(at) ? data.rowFailed(at) : '…'}</th> : cells(row, at)}
      </tr>,
    );
  }
  const below = Math.max(0, lines.height - lines.top - shown.length * LINE);
  return (
    <>
      <div class="table rows" ref={lines.box} tabIndex={0} role="region" aria-label={label} aria-busy={busy} onKeyDown={onKeyDown}>
        {across !== undefined && <div style={{ width: across.width }} />}
        <table ref={table} aria-label={label} aria-rowcount={total + 1} aria-colcount={across && across.total + 1} style={{ marginTop: lines.top, marginBottom: below, marginLeft: across?.left }}>
          <thead>
            <tr aria-rowindex={1}>
              {heads.map(({ name, kind, order, onSort }, at) => (
                <th key={at} scope="col" class={kind} aria-sort={order} aria-colindex={across && (at === 0 ? 1 : across.first + at + 1)}>
                  {onSort === undefined ? name : <button type="button" class="sort" onClick={onSort}>{name}</button>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{shown}</tbody>
        </table>
      </div>
      {selection !== undefined && <CopyRows selection={selection} />}
      <div class="gotos">
        {total > lines.page && (
          <label class="goto fine">
            {counted?.goTo ?? data.goToRow}{' '}
            <input
              type="number"
              aria-label={counted?.goTo ?? data.goToRowOf(label.toLowerCase())}
              min={counted?.first ?? 0}
              onChange={({ currentTarget }) => {
                const row = Math.floor(currentTarget.valueAsNumber) - (counted?.first ?? 0);
                if (!(row >= 0)) return;
                const at = Math.min(total - 1, place(row));
                lines.go(at);
                onRow?.(at);
              }}
            />{' '}
            {data.outOf(outOf)}{outOf > total && data.orNext}
          </label>
        )}
        {children}
      </div>
    </>
  );
}

/**
 * Lets columns grow with their content, but never shrink: scrolling would make the table jitter.
 */
function useKeptWidths(of: readonly unknown[], columns: number) {
  const table = useRef<HTMLTableElement>(null);
  const room = useRef(0);
  const heads = (): HTMLElement[] => [...(table.current?.tHead?.rows[0]?.cells ?? [])];
  useLayoutEffect(() => {
    for (const head of heads()) head.style.minWidth = '';
  }, [...of, columns]);
  useLayoutEffect(() => {
    const width = table.current?.parentElement?.clientWidth ?? 0;
    if (width !== room.current) for (const head of heads()) head.style.minWidth = '';
    room.current = width;
    const widths = heads().map((head) => head.offsetWidth);
    heads().forEach((head, at) => (head.style.minWidth = `${widths[at]}px`));
  });
  return table;
}
