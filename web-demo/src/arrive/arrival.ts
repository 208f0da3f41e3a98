// Whether the visitor has used the page.

/**
 * True if the page was opened with an address and not used yet: its first tab stop is at the top.
 */
let justArrived = location.hash + location.search !== '';

export function hasJustArrived(): boolean {
  return justArrived;
}

/** Called once the first file has loaded or failed. */
export function settle(): void {
  justArrived = false;
}
