// The bytes of the file, coloured by part.
import { useEffect, useState } from 'preact/hooks';
import { bytesOf, leafAt, type Model } from '../model';
import { hex } from '../format';
import { useBytes, type Unread } from './bytes';
import type { Content } from '../arrive/remote';
import { HEAD } from '../structure/tree-view';
import { useLines } from '../tools/virtual';
import { structure as words } from '../words';

const LINE = 24;

interface Props {
  readonly blob: Content;
  readonly model: Model;
  readonly selected: number;
  /** Increases with each request for a place, to scroll to it again. */
  readonly asked: number;
  readonly hovered: number;
  /** The byte under the cursor, or -1. */
  readonly cursor: number;
  /** The byte of the error, or -1. */
  readonly broken: number;
  /** The bytes covered by a checksum that does not match. */
  readonly covered: readonly [start: number, end: number] | undefined;
  /** The bits of a value. */
  readonly traced: readonly [start: number, end: number] | undefined;
  readonly onCursor: (byte: number) => void;
  readonly onHover: (node: number) => void;
  /** Called when bytes in sight cannot be read, and when they can. */
  readonly onUnread: (unread: Unread) => void;
}

export function HexView({ blob, model, selected, asked, hovered, cursor, broken, covered, traced, onCursor, onHover, onUnread }: Props) {
  const [width, setWidth] = useState(16);
  const total = Math.ceil(blob.size / width);
  const lines = useLines(total, LINE, HEAD);
  const { at: data, error, again } = useBytes(blob, lines.first * width, lines.last * width);
  useEffect(() => onUnread({ error, again }), [error, again]);
  const marked = selected >= 0 ? bytesOf(model, selected) : undefined;
  const hinted = hovered >= 0 ? bytesOf(model, hovered) : undefined;
  const digits = Math.max(4, (blob.size - 1).toString(16).length);

  // As many columns as fit: sixteen on a desktop, eight on a phone.
  useEffect(() => {
    const element = lines.box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => element.clientWidth > 0 && setWidth(element.clientWidth < 520 ? 8 : 16));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (marked === undefined) return;
    const inside = cursor >= marked[0] && cursor < marked[1];
    const first = Math.floor((inside ? cursor : marked[0]) / width);
    const last = inside ? first : Math.floor(Math.max(marked[0], marked[1] - 1) / width);
    lines.reveal(first, last - first + 1, true);
  }, [selected, cursor, asked, width]);

  useEffect(() => {
    if (selected < 0 && cursor >= 0) lines.reveal(Math.floor(cursor / width), 1, true);
  }, [selected, cursor, asked, width]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowRight: 1, ArrowLeft: -1, ArrowDown: width, ArrowUp: -width,
      PageDown: width * (lines.page - 1), PageUp: -width * (lines.page - 1), Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || blob.size === 0) return;
    const from = cursor >= 0 ? cursor : (marked?.[0] ?? 0);
    onCursor(Math.min(blob.size - 1, Math.max(0, cursor < 0 && Number.isFinite(step) ? from : from + step)));
    event.preventDefault();
  };

  const byteOf = (event: MouseEvent): number => {
    const cell = (event.target as Element).closest<HTMLElement>('[data-byte]');
    return cell === null ? -1 : Number(cell.dataset['byte']);
  };

  const rows = [];
  for (let line = lines.first; line < lines.last; line++) {
    const cells = [];
    const letters = [];
    for (let at = line * width; at < Math.min(blob.size, (line + 1) * width); at++) {
      const leaf = leafAt(model, at);
      const part = leaf < 0 ? 'unknown' : (model.structure.parts[model.structure.part[leaf] ?? 255] ?? 'unknown');
      let state = '';
      if (marked !== undefined && at >= marked[0] && at < marked[1]) state += ' selected';
      if (hinted !== undefined && at >= hinted[0] && at < hinted[1]) state += ' hovered';
      if (at === cursor) state += ' cursor';
      if (at === broken) state += ' broken';
      if (covered !== undefined && at >= covered[0] && at < covered[1]) state += ' covered';
      if (traced !== undefined && 8 * at + 8 > traced[0] && 8 * at < traced[1]) state += ' traced';
      const byte = data(at);
      cells.push(
        <span
          key={at}
          id={`byte-${at}`}
          role="gridcell"
          aria-selected={state.includes(' selected')}
          class={`byte part-${part}${state}`}
          data-byte={at}
        >
          {byte === undefined ? '··' : hex(byte, 2)}
        </span>,
      );
      letters.push(
        <span key={at} class={`letter${state}`} data-byte={at}>
          {byte !== undefined && byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·'}
        </span>,
      );
    }
    // Pad the last line to full width.
    for (let gap = cells.length; gap < width; gap++) cells.push(<span key={-gap} class="byte" aria-hidden="true" />);
    rows.push(
      <div key={line} class="line row" role="row" aria-rowindex={line + 1} style={{ height: LINE }}>
        <span class="offset" role="rowheader">{hex(line * width, digits)}</span>
        <span class="cells" role="presentation">{cells}</span>
        <span class="letters" aria-hidden="true">{letters}</span>
      </div>,
    );
  }

  return (
    <div
      class="lines hex"
      ref={lines.box}
      role="grid"
      aria-label={words.hex}
      aria-rowcount={total}
      tabIndex={0}
      style={{ '--digits': digits }}
      aria-activedescendant={cursor >= 0 ? `byte-${cursor}` : undefined}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const byte = byteOf(event);
        if (byte >= 0) onCursor(byte);
      }}
      onMouseOver={(event) => {
        const byte = byteOf(event);
        onHover(byte < 0 ? -1 : leafAt(model, byte));
      }}
      onMouseLeave={() => onHover(-1)}
    >
      <div class="line row head" aria-hidden="true" style={{ height: HEAD }}>
        <span class="offset">{'\u00a0'.repeat(digits)}</span>
        <span class="cells">{Array.from({ length: width }, (_, at) => <span key={at} class="byte">{hex(at, 1)}</span>)}</span>
        <span>{words.textHead}</span>
      </div>
      <div class="scrolled" role="presentation" style={{ height: lines.height }}>
        <div class="window" role="rowgroup" style={{ transform: `translateY(${lines.top}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
