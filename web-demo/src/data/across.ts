// Tables with any number of columns: only those in sight are rendered.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Maximum width of an element in browsers, in CSS pixels. */
const WIDEST = 8_000_000;

/** The columns of a table at any scroll position. */
export interface Across {
  /** First column in sight, and the column after the last one. */
  readonly first: number;
  readonly last: number;
  readonly total: number;
  /** Width of a column. */
  readonly cell: number;
  /** Width of the scrolled content, and the position of the columns in sight in it. */
  readonly width: number;
  readonly left: number;
  /** Scrolls until this column is the first in sight, or to the end. */
  readonly go: (column: number) => void;
}

/** Tracks the columns in sight beside a fixed first column of this width. */
export function useAcross(box: RefObject<HTMLDivElement>, total: number, cell: number, head: number, start: number): Across {
  const [left, setLeft] = useState(0);
  const [room, setRoom] = useState(0);
  // More columns than the browser has pixels are closer to each other on the scroll bar.
  const step = Math.min(cell, WIDEST / Math.max(1, total));
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => {
      setRoom(element.clientWidth);
      setLeft(element.scrollLeft);
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.scrollLeft = start * step;
    measure();
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [total, step]);
  const shown = Math.ceil(Math.max(0, room - head) / cell) + 1;
  const first = Math.max(0, Math.min(total - 1, Math.floor(left / step)));
  return {
    first,
    last: Math.min(total, first + shown),
    total,
    cell,
    width: head + total * step + (step < cell ? room : 0),
    left: first * step,
    go: (column) => {
      // Rounded up, or the column before might be the first.
      if (box.current !== null) box.current.scrollLeft = Math.ceil(column * step);
    },
  };
}
