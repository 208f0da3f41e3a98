// Keys that focus a field from anywhere on the page.
import { useEffect } from 'preact/hooks';

/** Focuses the field with the key in `data-key`, unless the visitor is typing. */
export function useShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const typing = event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
      if (typing || event.ctrlKey || event.metaKey || event.altKey || !/^[a-z/]$/.test(event.key)) return;
      const field = document.querySelector<HTMLElement>(`[data-key="${event.key}"]`);
      if (field === null) return;
      event.preventDefault();
      field.focus();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}
