// Keys that focus a field or pick a tab from anywhere on the page.
import { useEffect, useRef } from 'preact/hooks';

/**
 * Focuses the field with the key in `data-key`, and picks a tab by its number, unless the visitor
 * is typing. A field in another tab shows that tab first.
 */
export function useShortcuts(pick: (number: number) => void, reveal: (key: string) => Promise<void>): void {
  const acts = useRef({ pick, reveal });
  acts.current = { pick, reveal };
  useEffect(() => {
    const field = (key: string): HTMLElement | null => document.querySelector(`[data-key="${key}"]`);
    const focus = async (key: string): Promise<void> => {
      const found = field(key);
      // Now if it is shown, so that what is typed next arrives in it.
      if (found !== null && found.offsetParent !== null) return found.focus();
      await acts.current.reveal(key);
      // The tab may have to be rendered first.
      requestAnimationFrame(() => field(key)?.focus());
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const typing = event.target instanceof Element && event.target.closest('input, select, textarea, dialog[open]') !== null;
      if (typing || event.ctrlKey || event.metaKey || event.altKey || !/^[a-z1-9/]$/.test(event.key)) return;
      if (/\d/.test(event.key)) return acts.current.pick(Number(event.key));
      void focus(event.key);
      if (event.key === '/' || event.key === 'g') event.preventDefault();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
