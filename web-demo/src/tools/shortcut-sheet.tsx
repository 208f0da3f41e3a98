// The sheet of keyboard shortcuts.
import { useEffect, useRef } from 'preact/hooks';
import { shortcuts } from '../words';

export function ShortcutSheet() {
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const typing = event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
      if (event.key !== '?' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      sheet.current?.showModal();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <button type="button" class="keys" title={shortcuts.title} aria-label={shortcuts.show} onClick={() => sheet.current?.showModal()}>?</button>
      <dialog ref={sheet} class="sheet" aria-label={shortcuts.title} onClick={({ target }) => target === sheet.current && sheet.current?.close()}>
        <div>
          <h2>{shortcuts.title}</h2>
          <dl>
            {shortcuts.keys.map(([keys, does]) => (
              <div key={keys}>
                <dt><kbd>{keys}</kbd></dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <button type="button" onClick={() => sheet.current?.close()}>{shortcuts.close}</button>
        </div>
      </dialog>
    </>
  );
}
