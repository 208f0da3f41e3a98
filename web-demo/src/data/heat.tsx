// Rows of vectors as a picture.
import { useEffect, useRef } from 'preact/hooks';
import { value } from '../format';
import { bounds, shareOf } from './chart';
import { data } from '../words';

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
