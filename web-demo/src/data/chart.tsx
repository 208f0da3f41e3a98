// A row of numbers as a curve, however long: between the lowest and the highest of each stretch.
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { apart, count, value } from '../format';
import type { Curve } from '../values';

interface Props {
  readonly curve: Curve;
  /** What one of its numbers is called. */
  readonly named?: string;
  readonly label: string;
  /** Tells what is pointed at; nothing if nothing is. */
  readonly onPoint?: (words: string) => void;
  /** A row that was clicked on. */
  readonly onRow?: (row: number) => void;
  /** Rows that were dragged over. */
  readonly onRows?: (start: number, end: number) => void;
}

export function Chart(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const dark = useDark();
  // Who listens may change while the curve stays.
  const listening = useRef(props);
  listening.current = props;
  const { curve, label } = props;

  useEffect(() => {
    let [chart, watch, gone]: [uPlot?, ResizeObserver?, boolean?] = [];
    void import('uplot').then(({ default: UPlot }) => {
      const here = box.current;
      if (gone || here === null) return;
      const size = () => ({ width: here.clientWidth, height: here.clientHeight });
      chart = new UPlot({ ...size(), ...optionsOf(curve, here, listening) }, dataOf(curve), here);
      watch = new ResizeObserver(() => chart?.setSize(size()));
      watch.observe(here);
    });
    return () => {
      gone = true;
      watch?.disconnect();
      chart?.destroy();
    };
  }, [curve, dark]);

  return <div ref={box} class="plot chart" role="img" aria-label={label} />;
}

/** Whether the page is dark: what is drawn on a canvas does not change by itself. */
function useDark(): boolean {
  const [dark, setDark] = useState(scheme.matches);
  useEffect(() => {
    const onChange = (): void => setDark(scheme.matches);
    scheme.addEventListener('change', onChange);
    return () => scheme.removeEventListener('change', onChange);
  }, []);
  return dark;
}

const scheme = matchMedia('(prefers-color-scheme: dark)');

/** The lowest and the highest of the finite numbers; none where there is no such number. */
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

/** Between which numbers others lie. */
export function rangeOf(low: number, high: number, words: (n: number) => string = value): string {
  return Number.isNaN(low) ? 'without a finite number' : `from ${words(low)} to ${words(high)}`;
}

export function boundsOf({ low, high }: Curve): [low: number, high: number] {
  return [bounds(low)[0], bounds(high)[1]];
}

/** The numbers that stand beside a curve: its lowest, its highest and one between, as far as they differ. */
export function marksOf(curve: Curve): number[] {
  const [bottom, top] = boundsOf(curve);
  return [...new Set([bottom, bottom / 2 + top / 2, top])].filter(Number.isFinite);
}

/** How far up a number lies between two others. Halves, because two of the largest numbers are further apart than any number. */
export function shareOf(number: number, low: number, high: number): number {
  return (number / 2 - low / 2) / (high / 2 - low / 2 || 1);
}

/** The first row of a stretch. */
function rowOf({ start, end, low: { length } }: Curve, stretch: number): number {
  return start + Math.ceil((stretch * (end - start)) / Math.max(1, length));
}

/** Numbers are drawn as shares: what draws them is at a loss with the largest, and with large ones that lie close together. */
function dataOf(curve: Curve): uPlot.AlignedData {
  const [bottom, top] = boundsOf(curve);
  const drawn = (numbers: Float64Array) => Array.from(numbers, (number) => (Number.isFinite(number) ? shareOf(number, bottom, top) : null));
  return [Array.from(curve.low, (_, at) => rowOf(curve, at)), drawn(curve.low), drawn(curve.high)];
}

/** Room for the numbers beside a curve, at least, and below it; and for a digit of them. */
const [BESIDE, BELOW, DIGIT] = [84, 22, 6.5];

function optionsOf(curve: Curve, box: HTMLElement, listening: { readonly current: Props }): Omit<uPlot.Options, 'width' | 'height'> {
  const colour = (name: string): string => {
    const probe = box.appendChild(document.createElement('span'));
    probe.style.color = `var(${name})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const [bottom, top] = boundsOf(curve);
  const marks = marksOf(curve);
  const [numberWords, labels] = [apart(marks), marks.map(apart(marks, brief))];
  const beside = Math.max(BESIDE, ...labels.map(({ length }) => 14 + DIGIT * length));
  const [first, last] = [curve.start, Math.max(curve.start + 1, curve.end - 1)];
  // All the same number: a line in the middle.
  const low = bottom === top ? -1 : 0;
  const stroke = colour('--data');
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: `10px ${getComputedStyle(box).fontFamily}` };
  const line = { stroke, width: 1.3, points: { show: false } };
  const words = (at: number): string => {
    const [row, next] = [rowOf(curve, at), rowOf(curve, at + 1)];
    const [lowest, highest] = [curve.low[at] ?? NaN, curve.high[at] ?? NaN];
    const numbers = Number.isNaN(lowest) ? 'no number' : lowest === highest ? numberWords(lowest) : `${numberWords(lowest)} to ${numberWords(highest)}`;
    const { named = 'row' } = listening.current;
    return next - row > 1 ? `${named}s ${count(row)} to ${count(next - 1)}: ${numbers}` : `${named} ${count(row)}: ${numbers}`;
  };
  let dragged = false;
  return {
    legend: { show: false },
    padding: [8, 36, 0, 0],
    cursor: { y: false, points: { size: 5 }, drag: { setScale: false, dist: 4 } },
    scales: { x: { time: false, range: [first, last] }, y: { range: [low, 1] } },
    axes: [
      { ...axis, size: BELOW, splits: () => evenly(first, last, 4).map(Math.round), values: (_, rows) => rows.map(count) },
      { ...axis, size: beside, splits: () => marks.map((mark) => shareOf(mark, bottom, top)), values: () => labels },
    ],
    series: [{}, line, line],
    bands: [{ series: [2, 1], fill: stroke }],
    hooks: {
      setCursor: [({ cursor: { idx } }) => listening.current.onPoint?.(typeof idx === 'number' ? words(idx) : '')],
      setSelect: [
        (chart) => {
          const { left, width } = chart.select;
          if (width === 0) return;
          dragged = true;
          chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          const [start, end] = [left, left + width].map((place) => Math.round(chart.posToVal(place, 'x')));
          listening.current.onRows?.(start ?? first, end ?? last);
        },
      ],
      ready: [
        ({ over, cursor }) => {
          over.addEventListener('mousedown', () => (dragged = false));
          over.addEventListener('click', () => {
            if (!dragged && typeof cursor.idx === 'number') listening.current.onRow?.(rowOf(curve, cursor.idx));
          });
        },
      ],
    },
  };
}

/** A number that fits beside the curve. */
export function brief(number: number): string {
  const text = value(number);
  return text.length > 10 ? number.toExponential(3) : text;
}

/** A number, another, and some between them. */
function evenly(from: number, to: number, steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, at) => from + (to - from) * (at / Math.max(1, steps)));
}
