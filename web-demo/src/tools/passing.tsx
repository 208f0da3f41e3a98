// A button that disappears when it is used.
import type { ButtonHTMLAttributes } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

const STOPS = 'a[href], button, input, select, summary, [tabindex="0"]';

/**
 * A button that is removed after it was pressed or became obsolete. Moves the focus, which would
 * otherwise return to the top of the page.
 */
export function Passing(props: ButtonHTMLAttributes) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      if (current !== null && current === document.activeElement) before(current)?.focus();
    };
  }, []);
  return <button {...props} type="button" ref={button} />;
}

/** Returns the previous tab stop in the same part of the page, or that part. */
function before(element: HTMLElement): HTMLElement | undefined {
  const part = element.closest<HTMLElement>('[data-jump]');
  const stops = [...(part ?? document).querySelectorAll<HTMLElement>(STOPS)].filter((stop) => stop.tabIndex >= 0 && stop.checkVisibility());
  return stops[stops.indexOf(element) - 1] ?? part ?? undefined;
}
