// The whole file as a strip with every byte in proportion, to zoom into.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RemoteFile, type Content } from '../arrive/remote';
import { colour as scaled } from '../data/heat';
import { sharesOf } from '../formats/ratios';
import { useAnswer } from '../tools/answer';
import { bytesOf, isGroup, leafAt, type Model, type Report } from '../model';
import { placeOf } from './fields';
import { entropyOf, ratiosOf, type Shade } from './map-scale';
import { map as words } from '../words';

interface Props {
  readonly report: Report;
  readonly content: Content;
  readonly cursor: number;
  readonly selected: number;
  readonly hovered: number;
  /** The byte of the error, or -1. */
  readonly broken: number;
  /** The bytes covered by a checksum that does not match. */
  readonly covered: readonly [start: number, end: number] | undefined;
  readonly onCursor: (byte: number) => void;
  readonly onHover: (node: number) => void;
}

/** What the colours mean. */
const BYS = ['kind', 'ratio', 'entropy'] as const;
type By = (typeof BYS)[number];
const NONE: readonly Shade[] = [];

const HEIGHT = 44;
/** Minimum number of bytes across the width. */
const LEAST = 16;
/** Width in pixels from which parts are separated by a line. */
const APART = 8;

export function FileMap({ report, content, cursor, selected, hovered, broken, covered, onCursor, onHover }: Props) {
  const { model, size } = report;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [[start, end], setRange] = useState<readonly [number, number]>([0, size]);
  const [width, setWidth] = useState(600);
  const [dark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches);
  const span = end - start;
  const cuts = useMemo(() => cutsOf(model), [model]);
  const [by, colourBy] = useState<By>('kind');
  const ratios = useMemo(() => ratiosOf(model, sharesOf(report)), [report]);
  const { value: shades = NONE } = useAnswer(async () => (by === 'kind' ? NONE : by === 'ratio' ? ratios : entropyOf(content, start, end)), [by, ratios, content, start, end]);
  const choices = BYS.filter((by) => (by === 'ratio' ? ratios.length > 1 : by === 'kind' || !(content instanceof RemoteFile)));
  const place = cursor >= 0 ? cursor : selected >= 0 ? bytesOf(model, selected)[0] : 0;

  /** Shows this range as far as possible. Returns `true` if it differs from the previous one. */
  const show = (from: number, to: number): boolean => {
    const wide = Math.min(size, Math.max(LEAST, to - from));
    const first = Math.min(size - wide, Math.max(0, from));
    setRange([first, first + wide]);
    return first !== start || first + wide !== end;
  };
  const zoom = (factor: number, around: number): boolean => show(around - (around - start) * factor, around + (end - around) * factor);

  /** Zooms with Ctrl, and pans sideways. Other wheel events scroll the page. */
  const onWheel = (event: WheelEvent): void => {
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (!event.ctrlKey && !sideways) return;
    const by = (span / width) * (event.deltaX || event.deltaY);
    const moved = event.ctrlKey ? zoom(event.deltaY > 0 ? 1.25 : 0.8, byteAt(event)) : show(start + by, end + by);
    if (moved) event.preventDefault();
  };

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => element.clientWidth > 0 && setWidth(element.clientWidth));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const onScheme = (): void => setDark(scheme.matches);
    scheme.addEventListener('change', onScheme);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', onScheme);
    };
  }, []);

  // Keep the current place in sight.
  useEffect(() => {
    if (place < start || place >= end) show(place - span / 2, place + span / 2);
  }, [place]);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (element === null || context === undefined || context === null) return;
    const colours = new Map<string, string>();
    const colour = (name: string): string => {
      const known = colours.get(name) ?? swatch(name);
      colours.set(name, known);
      return known;
    };
    const pixels = Math.round(width * devicePixelRatio);
    [element.width, element.height] = [pixels, HEIGHT * devicePixelRatio];
    const at = (byte: number): number => ((byte - start) / span) * pixels;
    // A column of pixels has the colour of the field in its middle. Runs of one field are drawn at
    // once.
    for (let x = 0; x < pixels; ) {
      const leaf = leafAt(model, Math.floor(start + ((x + 0.5) / pixels) * span));
      const to = leaf < 0 ? x + 1 : Math.max(x + 1, Math.min(pixels, Math.floor(at((model.structure.end[leaf] ?? 0) / 8))));
      const part = leaf < 0 ? 'unknown' : (model.structure.parts[model.structure.part[leaf] ?? 255] ?? 'unknown');
      context.fillStyle = colour(part);
      context.fillRect(x, 0, to - x, element.height);
      x = to;
    }
    for (const { start: from, end: to, share } of shades) {
      context.fillStyle = `rgb(${scaled(share).slice(0, 3).join()})`;
      context.fillRect(Math.floor(at(from)), 0, Math.ceil(at(to)) - Math.floor(at(from)), element.height);
    }
    const here = cuts.filter((cut) => cut > start && cut < end);
    if (here.length * APART < width) {
      context.fillStyle = colour('card');
      for (const cut of here) context.fillRect(Math.round(at(cut)), 0, devicePixelRatio, element.height);
    }
    const band = 5 * devicePixelRatio;
    const mark = (from: number, to: number, name: string): void => {
      context.fillStyle = colour(name);
      const [left, right] = [Math.floor(at(from)), Math.ceil(at(to))];
      context.fillRect(left - 2, 0, Math.max(3, right - left + 4), band);
      context.fillRect(left - 2, element.height - band, Math.max(3, right - left + 4), band);
    };
    /**
     * Draws a full-height line inside the strip: corners are round, and the last byte may be where
     * the file was cut.
     */
    const strike = (byte: number): void => {
      if (byte < start || byte >= end) return;
      context.fillStyle = colour('bad');
      const wide = Math.max(band, Math.ceil(at(byte + 1)) - Math.floor(at(byte)));
      context.fillRect(Math.min(pixels - wide, Math.max(0, Math.floor(at(byte)))), 0, wide, element.height);
    };
    if (covered !== undefined) mark(...covered, 'bad');
    if (selected >= 0) mark(...bytesOf(model, selected), 'ink');
    if (cursor >= 0) mark(cursor, cursor + 1, 'ink');
    if (broken >= 0) strike(broken);
  }, [model, cuts, shades, start, end, width, cursor, selected, broken, covered, dark]);

  const byteAt = (event: MouseEvent): number => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return 0;
    return Math.min(size - 1, Math.max(0, Math.floor(start + ((event.clientX - box.left) / box.width) * span)));
  };

  // The hovered node, wherever on the page it is.
  const [from, to] = hovered < 0 ? [0, 0] : bytesOf(model, hovered).map((byte) => Math.min(end, Math.max(start, byte)) - start);
  const hint = from !== undefined && to !== undefined && to > from ? { left: `${(100 * from) / span}%`, width: `${(100 * (to - from)) / span}%` } : undefined;

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = Math.max(1, Math.floor(span / 50));
    const steps: Record<string, () => unknown> = {
      ArrowRight: () => onCursor(Math.min(size - 1, place + step)),
      ArrowLeft: () => onCursor(Math.max(0, place - step)),
      PageDown: () => onCursor(Math.min(size - 1, place + 10 * step)),
      PageUp: () => onCursor(Math.max(0, place - 10 * step)),
      Home: () => onCursor(0),
      End: () => onCursor(size - 1),
      '+': () => zoom(0.5, place),
      '-': () => zoom(2, place),
      '0': () => show(0, size),
    };
    const act = steps[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };

  return (
    <section class="map" aria-label={words.title}>
      <h2>{words.title}</h2>
      <div class="strip">
        <canvas
          ref={canvas}
          style={{ height: HEIGHT }}
          role="slider"
          tabIndex={0}
          aria-label={words.place}
          aria-valuemin={0}
          aria-valuemax={size - 1}
          aria-valuenow={place}
          aria-valuetext={words.byte(place)}
          onKeyDown={onKeyDown}
          onClick={(event) => onCursor(byteAt(event))}
          onMouseMove={(event) => onHover(leafAt(model, byteAt(event)))}
          onMouseLeave={() => onHover(-1)}
          onWheel={onWheel}
        />
        {hint !== undefined && <span class="hint" aria-hidden="true" style={hint} />}
      </div>
      <div class="controls">
        <button type="button" title={words.zoomInKeys} aria-disabled={span <= LEAST} onClick={() => span > LEAST && zoom(0.5, place >= start && place < end ? place : start + span / 2)}>{words.zoomIn}</button>
        <button type="button" title={words.zoomOutKeys} aria-disabled={span >= size} onClick={() => zoom(2, start + span / 2)}>{words.zoomOut}</button>
        <button type="button" aria-disabled={span >= size} onClick={() => show(0, size)}>{words.whole}</button>
        {choices.length > 1 && (
          <label>
            {words.colourBy}{' '}
            <select value={by} onChange={({ currentTarget }) => colourBy(currentTarget.value as By)}>
              {choices.map((by) => <option key={by} value={by}>{words.by[by]}</option>)}
            </select>
          </label>
        )}
        {by !== 'kind' && <span class="facts">{words.scale[by]}</span>}
        <span class="facts">
          {span >= size ? words.all(size) : words.range(Math.floor(start), Math.ceil(end), Math.round(span))}
        </span>
        {hovered >= 0 && <span class="pointed">{placeOf(model, hovered)}</span>}
      </div>
    </section>
  );
}

/**
 * Returns the start of each chunk, block or stream: the groups at the top, or those in the only
 * one.
 */
function cutsOf(model: Model): number[] {
  const outer = groupsIn(model, 0, model.structure.length);
  const [only = 0] = outer;
  const groups = outer.length === 1 ? groupsIn(model, only + 1, model.after[only] ?? 0) : outer;
  return groups.map((node) => bytesOf(model, node)[0]);
}

function groupsIn(model: Model, start: number, end: number): number[] {
  const groups = [];
  for (let at = start; at < end; at = model.after[at] ?? end) if (isGroup(model, at)) groups.push(at);
  return groups;
}

/**
 * Returns a colour of the style sheet for the canvas; it may depend on the colour scheme. In a
 * high-contrast theme the map keeps its colours.
 */
function swatch(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
