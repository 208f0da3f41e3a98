// Chooses one of several parts of a file: the last one selected, at first the first.
import { useEffect, useState } from 'preact/hooks';

export function usePicked(parts: readonly { node: number }[], selected: number): number {
  const [at, setAt] = useState(0);
  useEffect(() => {
    const picked = parts.findIndex(({ node }) => node === selected);
    if (picked >= 0) setAt(picked);
  }, [parts, selected]);
  return at;
}
