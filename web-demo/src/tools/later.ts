// Renders parts further down the page one frame later.
import { useEffect, useState } from 'preact/hooks';

/** Returns `true` once the first frame was painted. */
export function useLater(): boolean {
  const [painted, paint] = useState(false);
  useEffect(() => {
    // Effects usually run after a frame, but a busy browser runs them before.
    const timer = setTimeout(() => paint(true));
    return () => clearTimeout(timer);
  }, []);
  return painted;
}
