// The open files, to switch between them.
import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../format';
import { page } from '../words';
import type { Entry } from './entries';

interface Props {
  readonly entries: readonly Entry[];
  readonly active: string;
  readonly onPick: (key: string) => void;
  readonly onClose: (key: string) => void;
  /** Compares the current file with the one before. */
  readonly onCompare: () => void;
}

/** A single file needs no tab while it is shown. */
export function FileTabs({ entries, active, onPick, onClose, onCompare }: Props) {
  const row = useRef<HTMLElement>(null);
  // Scrolls to the current tab. `scrollIntoView` would scroll the page as well.
  useEffect(() => {
    const [box, tab] = [row.current, row.current?.querySelector('.current')].map((element) => element?.getBoundingClientRect());
    if (row.current !== null && box !== undefined && tab !== undefined) row.current.scrollLeft += Math.min(0, tab.left - box.left) + Math.max(0, tab.right - box.right);
  }, [active, entries.length]);
  if (entries.length === 0 || (entries.length === 1 && active !== '')) return null;
  /** Closes a file. Its button, which has the focus, is removed: moves the focus first. */
  const close = (key: string, { parentElement: tab }: HTMLButtonElement): void => {
    const buttons = [tab?.nextElementSibling, tab?.previousElementSibling].map((other) => other?.querySelector<HTMLElement>('.close'));
    // The next file takes the focus, or the name of the only one, which has no tab.
    const next = entries.length > 2 ? (buttons[0] ?? buttons[1]) : document.querySelector<HTMLElement>('main h1');
    if (key !== active) next?.focus({ preventScroll: true });
    onClose(key);
  };
  const files = entries.filter(({ wanted }) => wanted.pair === undefined);
  return (
    <nav ref={row} class="files" aria-label={page.files}>
      {entries.map(({ wanted: { key, name } }) => (
        <span key={key} class={key === active ? 'file current' : 'file'}>
          <button type="button" aria-current={key === active ? 'page' : undefined} title={visible(name)} onClick={() => onPick(key)}>{visible(name)}</button>
          <button type="button" class="close" aria-label={page.close(visible(name))} onClick={({ currentTarget }) => close(key, currentTarget)}>×</button>
        </span>
      ))}
      {files.length > 1 && files.some(({ wanted }) => wanted.key === active) && <button type="button" class="compare-files" title={page.compareWhy} onClick={onCompare}>{page.compare}</button>}
    </nav>
  );
}
