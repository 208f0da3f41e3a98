// Files and addresses that are dropped on the page or pasted.
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Opening } from './opening';

const ADDRESS = /^https?:\/\/\S+$/;

/**
 * Listens for drops and pastes anywhere on the page. Returns `true` while something is held over
 * it.
 */
export function useDropped({ files: onFiles, address: onAddress }: Pick<Opening, 'files' | 'address'>): boolean {
  const [over, setOver] = useState(false);
  // An effect that waits for the first frame would miss a drop before it.
  useLayoutEffect(() => {
    const open = (event: Event, list: FileList | undefined): boolean => {
      const files = [...(list ?? [])];
      if (files.length === 0) return false;
      event.preventDefault();
      onFiles(files);
      return true;
    };
    const listen = <K extends 'dragover' | 'dragleave' | 'drop' | 'paste'>(name: K, hear: (event: WindowEventMap[K]) => void): (() => void) => {
      addEventListener(name, hear);
      return () => removeEventListener(name, hear);
    };
    const ends = [
      listen('dragover', (event) => {
        if (!event.dataTransfer?.types.some((type) => type === 'Files' || type === 'text/uri-list')) return;
        event.preventDefault();
        setOver(true);
      }),
      listen('dragleave', (event) => {
        if (event.relatedTarget === null) setOver(false);
      }),
      listen('drop', (event) => {
        setOver(false);
        if (open(event, event.dataTransfer?.files)) return;
        // A link from another page, or its address.
        const [url] = (event.dataTransfer?.getData('text/uri-list') ?? '').split(/\r?\n/).filter((line) => ADDRESS.test(line));
        if (url === undefined) return;
        event.preventDefault();
        onAddress(url);
      }),
      listen('paste', (event) => {
        if (event.target instanceof Element && event.target.closest('input, textarea') !== null) return;
        if (open(event, event.clipboardData?.files)) return;
        const url = event.clipboardData?.getData('text/plain').trim() ?? '';
        if (ADDRESS.test(url)) onAddress(url);
      }),
    ];
    return () => ends.forEach((end) => end());
  }, [onFiles, onAddress]);
  return over;
}
