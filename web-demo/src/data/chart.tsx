// A curve of any number of values, as the minimum and maximum of each interval.
import { useEffect, useRef, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { apart, count, value } from '../format';
import type { Curve } from '../values';
import { data, statistics as text } from '../words';

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

export function Chart(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const dark = useDark();
  // The callbacks may change while the curve stays.
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
      watch = new ResizeObserver(() => here.clientWidth > 0 && chart?.setSize(size()));
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

/** Returns `true` in dark mode: a canvas does not follow the style sheet. */
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

/** Scales numbers to 0 to 1: the library cannot draw very large or very close ones. */
function dataOf(curve: Curve): uPlot.AlignedData {
  const [bottom, top] = boundsOf(curve);
  const drawn = (numbers: Float64Array) => Array.from(numbers, (number) => (Number.isFinite(number) ? shareOf(number, bottom, top) : null));
  return [Array.from(curve.low, (_, at) => rowOf(curve, at)), drawn(curve.low), drawn(curve.high)];
}

/** Least width of the labels beside a curve, height of those below it, and width of a digit. */
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
  // If all numbers are equal, the line is in the middle.
  const low = bottom === top ? -1 : 0;
  const stroke = colour('--data');
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: `10px ${getComputedStyle(box).fontFamily}` };
  const line = { stroke, width: 1.3, points: { show: false } };
  const words = (at: number): string => {
    const [row, next] = [rowOf(curve, at), rowOf(curve, at + 1)];
    const [lowest, highest] = [curve.low[at] ?? NaN, curve.high[at] ?? NaN];
    const numbers = Number.isNaN(lowest) ? text.noNumber : lowest === highest ? numberWords(lowest) : text.between(numberWords(lowest), numberWords(highest));
    const { named = data.row } = listening.current;
    return next - row > 1 ? text.points(named, row, next - 1, numbers) : text.point(named, row, numbers);
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

/** Formats a number to fit beside the curve. */
export function brief(number: number): string {
  const text = value(number);
  return text.length > 10 ? number.toExponential(3) : text;
}

/** Returns two numbers and evenly spaced ones between them. */
function evenly(from: number, to: number, steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, at) => from + (to - from) * (at / Math.max(1, steps)));
}
