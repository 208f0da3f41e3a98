// Small drawings of vectors.
import { useMemo } from 'preact/hooks';
import { count, value } from '../format';
import { bounds, brief, Chart, rangeOf, shareOf } from './chart';
import type { Curve } from '../values';
import { statistics as words } from '../words';

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
