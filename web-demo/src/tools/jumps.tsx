// Links to parts further down the page.
import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * Renders a button for each element with `data-jump`, in the order of the page. Updated when `of`
 * changes.
 */
export function Jumps({ of }: { readonly of: unknown }) {
  const [targets, setTargets] = useState<readonly HTMLElement[]>([]);
  useLayoutEffect(() => setTargets([...document.querySelectorAll<HTMLElement>('[data-jump]')]), [of]);
  if (targets.length < 2) return null;
  return (
    <nav class="jumps" aria-label="On this page">
      {targets.map((target) => (
        <button
          key={target.dataset['jump']}
          type="button"
          onClick={() => {
            target.scrollIntoView();
            target.focus({ preventScroll: true });
          }}
        >
          {target.dataset['jump']}
        </button>
      ))}
    </nav>
  );
}
