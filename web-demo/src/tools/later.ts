// What is further down a page comes a frame later than what is seen first.
import { useEffect, useState } from 'preact/hooks';

/** Whether what is seen first has been painted. */
export function useLater(): boolean {
  const [painted, paint] = useState(false);
  useEffect(() => {
    // Effects run behind a frame, or before it where the browser is in a hurry.
    const timer = setTimeout(() => paint(true));
    return () => clearTimeout(timer);
  }, []);
  return painted;
}
