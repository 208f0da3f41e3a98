// The open files, to switch between them.
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
  if (entries.length === 0 || (entries.length === 1 && active !== '')) return null;
  const files = entries.filter(({ wanted }) => wanted.pair === undefined);
  return (
    <nav class="files" aria-label={page.files}>
      {entries.map(({ wanted: { key, name } }) => (
        <span key={key} class={key === active ? 'file current' : 'file'}>
          <button type="button" aria-current={key === active ? 'page' : undefined} title={visible(name)} onClick={() => onPick(key)}>{visible(name)}</button>
          <button type="button" class="close" aria-label={page.close(visible(name))} onClick={() => onClose(key)}>×</button>
        </span>
      ))}
      {files.length > 1 && files.some(({ wanted }) => wanted.key === active) && <button type="button" class="compare-files" title={page.compareWhy} onClick={onCompare}>{page.compare}</button>}
    </nav>
  );
}
