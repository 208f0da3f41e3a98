// Small drawings of vectors.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { count, value } from '../format';
import { bounds, brief, Chart, rangeOf, shareOf } from './chart';
import type { Curve } from '../values';
import { data, statistics as words } from '../words';

const [WIDTH, HEIGHT] = [560, 140];
const MARGIN = 8;
/** Width of the labels beside the curve. */
const LABELS = 76;

/** Maximum number of bars; more would be too thin. */
const BARS = 128;

interface PlotProps {
  readonly values: ArrayLike<number | bigint>;
  /** Word for the values, and the number of the first. */
  readonly named: string;
  readonly first: number;
  readonly onPoint: (words: string) => void;
}

/** Draws a vector as a curve, or as bars if it is short. */
export function Plot({ values, named, first, onPoint }: PlotProps) {
  const numbers = useMemo(() => Float64Array.from(values, Number), [values]);
  const curve = useMemo(() => curveOf(numbers, first), [numbers, first]);
  const [low, high] = bounds(numbers);
  const label = words.valuesOf(numbers.length, rangeOf(low, high));
  return numbers.length > BARS ? <Chart curve={curve} named={named} label={label} onPoint={onPoint} /> : <Bars first={first} values={values} numbers={numbers} bounds={[low, high]} label={label} />;
}

/** Maximum number of intervals of a curve, which is more than a screen has pixels. */
const INTERVALS = 4000;

/** Returns the curve of numbers; of many, the minimum and maximum of each interval. */
function curveOf(numbers: Float64Array, start: number): Curve {
  const end = start + numbers.length;
  if (numbers.length <= INTERVALS) return { start, end, low: numbers, high: numbers };
  const [low, high] = [new Float64Array(INTERVALS).fill(NaN), new Float64Array(INTERVALS).fill(NaN)];
  for (const [at, number] of numbers.entries()) {
    const interval = Math.floor((at * INTERVALS) / numbers.length);
    if (!Number.isFinite(number)) continue;
    if (!((low[interval] ?? NaN) <= number)) low[interval] = number;
    if (!((high[interval] ?? NaN) >= number)) high[interval] = number;
  }
  return { start, end, low, high };
}

interface BarsProps extends Pick<PlotProps, 'values' | 'first'> {
  readonly numbers: Float64Array;
  readonly bounds: readonly [low: number, high: number];
  readonly label: string;
}

function Bars({ values, first, numbers, bounds: [low, high], label }: BarsProps) {
  // Bars start at zero, which is always in range.
  const [bottom, top] = [Math.min(low || 0, 0), Math.max(high || 0, 0)];
  const y = (n: number): number => HEIGHT - MARGIN - shareOf(n, bottom, top) * (HEIGHT - 2 * MARGIN);
  const step = (WIDTH - MARGIN - LABELS) / Math.max(1, numbers.length);
  const x = (at: number): number => MARGIN + (at + 0.5) * step;
  return (
    <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {Array.from(numbers, (n, at) => {
        if (!Number.isFinite(n)) return <line key={at} class="missing" x1={x(at)} x2={x(at)} y1={MARGIN} y2={HEIGHT - MARGIN} />;
        const [a, b] = [y(n), y(0)];
        const gap = Math.min(2, step * 0.2);
        return <rect key={at} class="stick" x={x(at) - step / 2 + gap / 2} width={Math.max(0.5, Math.min(24, step - gap))} y={Math.min(a, b)} height={Math.max(0.75, Math.abs(a - b))}><title>{`${count(first + at)}: ${value(values[at] ?? n)}`}</title></rect>;
      })}
      <line class="zero" x1={MARGIN} x2={WIDTH - LABELS} y1={y(0)} y2={y(0)} />
      {!Number.isNaN(low) && <text class="bound" x={WIDTH - LABELS + 6} y={MARGIN + 8}>{brief(top)}</text>}
      {!Number.isNaN(low) && <text class="bound" x={WIDTH - LABELS + 6} y={HEIGHT - MARGIN - 1}>{brief(bottom)}</text>}
    </svg>
  );
}

interface HeatProps {
  /** Number of the first row. */
  readonly first: number;
  readonly rows: number;
  readonly dimension: number;
  readonly values: readonly (number | bigint)[];
  readonly chosen: number;
  readonly onRow: (row: number) => void;
  /** Reports the hovered cell, or an empty string. */
  readonly onPoint: (words: string) => void;
}

/** Draws rows below each other, with a coloured cell for each value. */
export function HeatMap({ first, rows, dimension, values, chosen, onRow, onPoint }: HeatProps) {
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (context === undefined || context === null || rows === 0 || dimension === 0) return;
    const numbers = Float64Array.from(values, Number);
    const [low, high] = bounds(numbers);
    const image = context.createImageData(dimension, rows);
    for (const [at, n] of numbers.entries()) {
      image.data.set(Number.isFinite(n) ? colour(shareOf(n, low, high)) : [220, 38, 38, 255], 4 * at);
    }
    context.putImageData(image, 0, 0);
  }, [rows, dimension, values]);

  /** Returns the row and the value under the pointer, from 0. */
  const cellAt = ({ clientX, clientY, currentTarget }: MouseEvent & { readonly currentTarget: HTMLCanvasElement }): [row: number, place: number] => {
    const box = currentTarget.getBoundingClientRect();
    const within = (share: number, count: number): number => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
    return [within((clientY - box.top) / box.height, rows), within((clientX - box.left) / box.width, dimension)];
  };

  return (
    <div class="heat">
      <canvas
        ref={canvas}
        width={Math.max(1, dimension)}
        height={Math.max(1, rows)}
        role="img"
        aria-label={data.heat(rows)}
        onClick={(event) => onRow(first + cellAt(event)[0])}
        onMouseMove={(event) => {
          const [row, place] = cellAt(event);
          onPoint(data.heatPoint(first + row, place, value(values[row * dimension + place] ?? NaN)));
        }}
        onMouseLeave={() => onPoint('')}
      />
      {chosen >= first && chosen < first + rows && (
        <span class="marker" style={{ top: `${(100 * (chosen - first)) / rows}%`, height: `${100 / rows}%` }} aria-hidden="true" />
      )}
    </div>
  );
}

/**
 * From deep blue through green to yellow: evenly spaced lightness, readable with colour blindness.
 */
const STOPS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]] as const;

export function colour(share: number): [number, number, number, number] {
  const place = Math.min(0.9999, Math.max(0, share)) * (STOPS.length - 1);
  const [from, to] = [STOPS[Math.floor(place)] ?? STOPS[0], STOPS[Math.floor(place) + 1] ?? STOPS[4]];
  const mix = (a: number, b: number): number => a + (b - a) * (place % 1);
  return [mix(from[0], to[0]), mix(from[1], to[1]), mix(from[2], to[2]), 255];
}
