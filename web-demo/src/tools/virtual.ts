// Long lists of lines of equal height; only those in sight are rendered.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';

/** Maximum height of an element in browsers, in CSS pixels. */
const HIGHEST = 8_000_000;

export interface Lines {
  readonly box: RefObject<HTMLDivElement>;
  /** First line in sight, and the line after the last one. */
  readonly first: number;
  readonly last: number;
  /** Number of lines that fit. */
  readonly page: number;
  /** Height of the scrolled content, and the position of the lines in sight in it. */
  readonly height: number;
  readonly top: number;
  /** Scrolls until this line is the first in sight, or to the end. */
  readonly go: (line: number) => void;
  /** Scrolls as little as needed to show these lines, or centres them. */
  readonly reveal: (line: number, lines?: number, middle?: boolean) => void;
}

/** Tracks the lines in sight below a fixed header of this height. */
export function useLines(total: number, lineHeight: number, head = 0): Lines {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(400);
  // The first line, in fractions of a line. A file of gigabytes has more lines than the browser has
  // pixels, so this is the source of truth, and the scroll bar follows.
  const [top, setTop] = useState(0);
  const placed = useRef(-1);
  const full = total * lineHeight;
  const height = Math.min(full, HIGHEST);
  const most = Math.max(0, total - room / lineHeight);
  const range = Math.max(1, height - room);
  const scaled = full > HIGHEST;

  const go = useCallback(
    (line: number) => {
      const to = Math.min(Math.max(0, line), most);
      setTop(to);
      if (box.current === null) return;
      placed.current = Math.round(scaled ? (to / Math.max(1, most)) * range : to * lineHeight);
      box.current.scrollTop = placed.current;
    },
    [most, range, scaled, lineHeight],
  );

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => setRoom(element.clientHeight - head);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [total > 0]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const onScroll = (): void => {
      if (Math.abs(element.scrollTop - placed.current) < 1) return;
      placed.current = element.scrollTop;
      setTop(scaled ? (element.scrollTop / range) * most : element.scrollTop / lineHeight);
    };
    const onWheel = (event: WheelEvent): void => {
      if (!scaled || event.ctrlKey) return;
      const to = Math.min(Math.max(0, top + event.deltaY / lineHeight), most);
      // At its end, the list passes the wheel on to the page.
      if (to === top) return;
      event.preventDefault();
      go(to);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => {
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('wheel', onWheel);
    };
  }, [scaled, range, most, lineHeight, top, go]);

  const page = Math.max(1, Math.floor(room / lineHeight));
  const first = Math.min(Math.floor(top), Math.max(0, total - 1));
  const last = Math.min(total, first + page + 2);
  const reveal = useCallback(
    (line: number, lines = 1, middle = false) => {
      const end = Math.min(line + lines, line + page - 1);
      if (line >= top && end <= top + page) return;
      if (middle) go(line - Math.max(1, Math.floor((page - (end - line)) / 3)));
      else if (line < top) go(line);
      else go(end - page);
    },
    [top, page, go],
  );
  const at = scaled ? (top / Math.max(1, most)) * range - (top - first) * lineHeight : first * lineHeight;
  return { box, first, last, page, height, top: at, go, reveal };
}
