// The structure of the file.
import { nodeAt } from 'unspool/inspect';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isGroup, isNoise, openAtFirst, visibleNodes, type Model } from '../model';
import { bits } from '../format';
import { heldBy, labelOf, whichOf } from './fields';
import { useLines } from '../tools/virtual';
import { parts, structure as words } from '../words';

const LINE = 26;
/** Height of the line above the tree. */
export const HEAD = 28;

interface Props {
  readonly model: Model;
  readonly selected: number;
  /** Increases with each request for a place, to scroll to it again. */
  readonly asked: number;
  readonly hovered: number;
  /** The node of the error, and its label. */
  readonly broken: number;
  readonly flag: string;
  readonly onSelect: (node: number) => void;
  readonly onHover: (node: number) => void;
}

export function TreeView({ model, selected, asked, hovered, broken, flag, onSelect, onHover }: Props) {
  const [open, setOpen] = useState(() => openAtFirst(model));
  const kept = selected >= 0 && isNoise(model, selected) ? selected : -1;
  const visible = useMemo(() => visibleNodes(model, open, [kept, broken]), [model, open, kept, broken]);
  const siblings = useMemo(() => siblingsOf(visible, model.parent), [visible, model]);
  const lines = useLines(visible.length, LINE, HEAD);
  const { parent } = model;

  // Open the groups around a node selected elsewhere.
  useEffect(() => {
    if (selected < 0) return;
    const closed: number[] = [];
    for (let at = parent[selected] ?? -1; at >= 0; at = parent[at] ?? -1) if (!open.has(at)) closed.push(at);
    if (closed.length > 0) setOpen(new Set([...open, ...closed]));
  }, [selected, asked]);

  const line = useMemo(() => lineOf(visible, selected), [visible, selected]);
  useEffect(() => {
    if (line >= 0) lines.reveal(line, 1, true);
  }, [line, selected, asked]);

  const toggle = (node: number, to = !open.has(node)): void => {
    const next = new Set(open);
    if (to) next.add(node);
    else next.delete(node);
    setOpen(next);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowDown: 1, ArrowUp: -1, PageDown: lines.page - 1, PageUp: 1 - lines.page, Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      // With nothing selected, an arrow selects the first line.
      const from = line < 0 && Number.isFinite(step) ? -step : line;
      const to = Math.min(visible.length - 1, Math.max(0, from + step));
      onSelect(visible[to] ?? -1);
    } else if (selected >= 0 && event.key === 'ArrowRight' && isGroup(model, selected)) {
      if (!open.has(selected)) toggle(selected, true);
      else if (visible[line + 1] !== undefined) onSelect(visible[line + 1] ?? -1);
    } else if (selected >= 0 && event.key === 'ArrowLeft') {
      if (isGroup(model, selected) && open.has(selected)) toggle(selected, false);
      else if ((parent[selected] ?? -1) >= 0) onSelect(parent[selected] ?? -1);
    } else if (selected >= 0 && (event.key === 'Enter' || event.key === ' ') && isGroup(model, selected)) {
      toggle(selected);
    } else {
      return;
    }
    event.preventDefault();
  };

  return (
    <div
      class="lines tree"
      ref={lines.box}
      role="tree"
      aria-label={words.tree}
      tabIndex={0}
      aria-activedescendant={line >= lines.first && line < lines.last ? `node-${selected}` : undefined}
      onKeyDown={onKeyDown}
      onMouseLeave={() => onHover(-1)}
    >
      <div class="line head" aria-hidden="true" style={{ height: HEAD }}>
        <span>{words.treeHead}</span>
        <span class="size">{words.sizeHead}</span>
      </div>
      <div class="scrolled" role="presentation" style={{ height: lines.height }}>
        <div class="window" role="presentation" style={{ transform: `translateY(${lines.top}px)` }}>
          {Array.from(visible.subarray(lines.first, lines.last), (node, at) => (
            <TreeLine
              key={node}
              model={model}
              node={node}
              position={siblings.position[lines.first + at] ?? 0}
              siblings={siblings.count[(parent[node] ?? -1) + 1] ?? 0}
              open={open.has(node)}
              state={(node === selected ? ' selected' : '') + (node === hovered ? ' hovered' : '')}
              selected={node === selected}
              flag={node === broken ? flag : ''}
              onSelect={onSelect}
              onHover={onHover}
              onToggle={toggle}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface LineProps extends Pick<Props, 'model' | 'onSelect' | 'onHover'> {
  readonly node: number;
  /** Its place among the nodes of its group, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  readonly open: boolean;
  readonly state: string;
  readonly selected: boolean;
  /** Label of the error, or an empty string. */
  readonly flag: string;
  readonly onToggle: (node: number) => void;
}

function TreeLine({ model, node, position, siblings, open, state, selected, flag, onSelect, onHover, onToggle }: LineProps) {
  const { id, name, value, part, depth, start, end } = nodeAt(model.structure, node);
  return (
    <div
      id={`node-${node}`}
      class={`line node${state}${flag === '' ? '' : ' broken'}`}
      style={{ height: LINE, paddingLeft: 10 + 16 * depth }}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={selected}
      aria-expanded={part === undefined ? open : undefined}
      onClick={() => onSelect(node)}
      onDblClick={() => part === undefined && onToggle(node)}
      onMouseEnter={() => onHover(node)}
    >
      {part === undefined ? (
        <span
          class={open ? 'fold open' : 'fold'}
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onToggle(node);
          }}
        />
      ) : (
        <span class={`dot part-${part}`} aria-hidden="true" title={parts[part]?.name ?? part} />
      )}
      <span class="name">{labelOf({ id, name })}</span>
      <span class="value">{part === undefined ? whichOf(id, value) : heldBy(id, value)}</span>
      {flag !== '' && <span class="flag">{flag}</span>}
      <span class="size">{bits(end - start)}</span>
    </div>
  );
}

/**
 * Numbers the lines within their groups: only lines in sight are in the page, so browsers cannot
 * count them.
 */
function siblingsOf(visible: Uint32Array, parent: Int32Array): { readonly position: Uint32Array; readonly count: Uint32Array } {
  // At 0, the nodes without a parent.
  const count = new Uint32Array(parent.length + 1);
  const position = visible.map((node) => {
    const group = (parent[node] ?? -1) + 1;
    return (count[group] = (count[group] ?? 0) + 1);
  });
  return { position, count };
}

/** Returns the position of a node in the list, or -1. */
function lineOf(visible: Uint32Array, node: number): number {
  let [low, high] = [0, visible.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((visible[middle] ?? 0) < node) low = middle + 1;
    else high = middle;
  }
  return visible[low] === node ? low : -1;
}
