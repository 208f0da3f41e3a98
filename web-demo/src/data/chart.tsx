// A curve of any number of values, as the minimum and maximum of each interval.
import { useMemo, useState } from 'preact/hooks';
import { apart, count, value } from '../format';
import type { Curve } from '../values';
import { data, statistics as text } from '../words';
import './chart.css';

interface Props {
  readonly curve: Curve;
  /** Word for one of its numbers. */
  readonly named?: string;
  readonly label: string;
  /** Reports the hovered point, or an empty string. */
  readonly onPoint?: (words: string) => void;
  /** Called with a clicked row. */
  readonly onRow?: (row: number) => void;
  /** Called with a dragged range of rows. */
  readonly onRows?: (start: number, end: number) => void;
}

/** Side of the square that the curve is drawn in, before it is stretched to its box. */
const SIDE = 1000;

/** Least share of the width to drag. Less is a click. */
const DRAG = 0.01;

export function Chart({ curve, named = data.row, label, onPoint, onRow, onRows }: Props) {
  /** The places of the pointer and of the start of a drag, from 0 to 1. */
  const [here, point] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const { path, rows, heights, numberWords } = useMemo(() => drawingOf(curve), [curve]);
  const [first, last] = spanOf(curve);
  const rowAt = (share: number): number => Math.round(first + share * (last - first));
  const words = (share: number): string => {
    const at = intervalOf(curve, rowAt(share));
    const [row, next] = [rowOf(curve, at), rowOf(curve, at + 1)];
    const [lowest, highest] = [curve.low[at] ?? NaN, curve.high[at] ?? NaN];
    const numbers = Number.isNaN(lowest) ? text.noNumber : lowest === highest ? numberWords(lowest) : text.between(numberWords(lowest), numberWords(highest));
    return next - row > 1 ? text.points(named, row, next - 1, numbers) : text.point(named, row, numbers);
  };
  const move = (share: number | undefined): void => {
    point(share);
    onPoint?.(share === undefined || curve.low.length === 0 ? '' : words(share));
  };
  const isDrag = (to: number): boolean => onRows !== undefined && anchor !== undefined && Math.abs(to - anchor) >= DRAG;
  const drop = (share: number): void => {
    setAnchor(undefined);
    if (anchor !== undefined && isDrag(share)) onRows?.(rowAt(Math.min(anchor, share)), rowAt(Math.max(anchor, share)));
    else if (curve.low.length > 0) onRow?.(rowOf(curve, intervalOf(curve, rowAt(share))));
  };
  return (
    <div class="plot chart" role="img" aria-label={label}>
      <div class="beside">
        {heights.map(([share, label]) => <span key={label} style={{ top: percentOf(1 - share) }}>{label}</span>)}
      </div>
      <div
        class="area"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setAnchor(shareAt(event));
        }}
        onPointerMove={(event) => move(shareAt(event))}
        onPointerUp={(event) => anchor !== undefined && drop(shareAt(event))}
        onPointerCancel={() => setAnchor(undefined)}
        onPointerLeave={() => anchor === undefined && move(undefined)}
      >
        <svg viewBox={`0 0 ${SIDE} ${SIDE}`} preserveAspectRatio="none">
          {rows.map(([share]) => <path key={`row ${share}`} class="grid" d={`M${share * SIDE} 0V${SIDE}`} />)}
          {heights.map(([share]) => <path key={`height ${share}`} class="grid" d={`M0 ${(1 - share) * SIDE}H${SIDE}`} />)}
          <path class="curve" d={path} />
        </svg>
        {here !== undefined && <span class="pointer" style={{ left: percentOf(here) }} />}
        {here !== undefined && anchor !== undefined && isDrag(here) && <span class="dragged" style={{ left: percentOf(Math.min(here, anchor)), width: percentOf(Math.abs(here - anchor)) }} />}
      </div>
      <div class="below">
        {rows.map(([share, row]) => <span key={row} style={{ left: percentOf(share) }}>{count(row)}</span>)}
      </div>
    </div>
  );
}

/** Returns the place of the pointer in the area, from 0 to 1. */
function shareAt({ clientX, currentTarget }: MouseEvent & { readonly currentTarget: Element }): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.min(1, Math.max(0, (clientX - left) / Math.max(1, width)));
}

const percentOf = (share: number): string => `${100 * share}%`;

/** Returns the minimum and maximum of the finite numbers; NaN if there are none. */
export function bounds(values: ArrayLike<number>): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (let at = 0; at < values.length; at++) {
    const n = values[at] ?? NaN;
    if (!Number.isFinite(n)) continue;
    low = Math.min(low, n);
    high = Math.max(high, n);
  }
  return low <= high ? [low, high] : [NaN, NaN];
}

/** Formats a range of values. */
export function rangeOf(low: number, high: number, words: (n: number) => string = value): string {
  return Number.isNaN(low) ? text.noFinite : text.range(words(low), words(high));
}

export function boundsOf({ low, high }: Curve): [low: number, high: number] {
  return [bounds(low)[0], bounds(high)[1]];
}

/** Returns the labels beside a curve: its minimum, its maximum and one between, if they differ. */
export function marksOf(curve: Curve): number[] {
  const [bottom, top] = boundsOf(curve);
  return [...new Set([bottom, bottom / 2 + top / 2, top])].filter(Number.isFinite);
}

/** Returns the relative position of a number between two others. Halves avoid overflow. */
export function shareOf(number: number, low: number, high: number): number {
  return (number / 2 - low / 2) / (high / 2 - low / 2 || 1);
}

/** Returns the first row of an interval. */
function rowOf({ start, end, low: { length } }: Curve, stretch: number): number {
  return start + Math.ceil((stretch * (end - start)) / Math.max(1, length));
}

/** Returns the interval of a row. */
function intervalOf({ start, end, low: { length } }: Curve, row: number): number {
  return Math.min(length - 1, Math.floor(((row - start) * length) / Math.max(1, end - start)));
}

/** Returns the first and the last row; of a single row, that and the next one. */
function spanOf({ start, end }: Curve): readonly [first: number, last: number] {
  return [start, Math.max(start + 1, end - 1)];
}

/** Number of parts that the axis of rows is divided into. */
const PARTS = 4;

interface Drawing {
  readonly path: string;
  /** Labels of both axes, and their places from 0 to 1. */
  readonly rows: readonly (readonly [share: number, row: number])[];
  readonly heights: readonly (readonly [share: number, label: string])[];
  /** Formats a number so that it differs from the labels. */
  readonly numberWords: (number: number) => string;
}

function drawingOf(curve: Curve): Drawing {
  const [[bottom, top], [first, last], marks] = [boundsOf(curve), spanOf(curve), marksOf(curve)];
  // If all numbers are equal, the line is in the middle.
  const height = (number: number): number => (bottom === top ? 0.5 : shareOf(number, bottom, top));
  const labels = apart(marks, brief);
  const all = Array.from({ length: PARTS + 1 }, (_, at) => Math.round(first + (last - first) * (at / PARTS)));
  return {
    path: pathOf(curve, (at) => (rowOf(curve, at) - first) / (last - first), height),
    rows: [...new Set(all)].map((row) => [(row - first) / (last - first), row]),
    heights: marks.map((mark) => [height(mark), labels(mark)]),
    numberWords: apart(marks),
  };
}

/** Returns the outline of the curve: along the lower bounds and back along the upper ones. */
function pathOf({ low, high }: Curve, x: (at: number) => number, y: (number: number) => number): string {
  const points = (numbers: Float64Array, from: number, to: number): string[] =>
    Array.from(numbers.subarray(from, to), (number, at) => `${(SIDE * x(from + at)).toFixed(1)} ${(SIDE * (1 - y(number))).toFixed(1)}`);
  let path = '';
  for (let end = 0; end < low.length; ) {
    let start = end;
    while (start < low.length && !Number.isFinite(low[start])) start++;
    end = start;
    while (end < low.length && Number.isFinite(low[end])) end++;
    if (end > start) path += `M${[...points(low, start, end), ...points(high, start, end).reverse()].join('L')}Z`;
  }
  return path;
}

/** Formats a number to fit beside the curve. */
export function brief(number: number): string {
  const text = value(number);
  return text.length > 10 ? number.toExponential(3) : text;
}
