// What the address of the page says: which sample or file of a server is open, and where in it the visitor is.

export interface Address {
  readonly sample: string | undefined;
  readonly url: string | undefined;
  /** Whether a file of a server is fetched as a whole, however large it is. */
  readonly all: boolean;
  /** The byte under the cursor. */
  readonly at: number | undefined;
  /** The selected node. */
  readonly node: number | undefined;
  /** The column that is shown. */
  readonly column: number | undefined;
}

export function readAddress(): Address {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const whole = (name: string): number | undefined => {
    const text = parameters.get(name) ?? '';
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const text = (name: string): string | undefined => parameters.get(name) ?? undefined;
  return { sample: text('sample'), url: text('url'), all: parameters.has('all'), at: whole('at'), node: whole('node'), column: whole('column') };
}

/** Notes where the visitor is; a file of their own has no address. */
export function noteInAddress(places: { readonly [name in 'at' | 'node' | 'column']?: number | undefined }): void {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (!parameters.has('sample') && !parameters.has('url')) return;
  for (const [name, place] of Object.entries(places)) {
    if (place === undefined || place < 0) parameters.delete(name);
    else parameters.set(name, String(place));
  }
  history.replaceState(history.state, '', `#${parameters}`);
}

/** The file that an address names, whatever place in it. */
export function fileOf({ sample, url, all }: Address): string {
  return sample !== undefined ? `sample ${sample}` : url !== undefined ? `${all ? 'all of ' : ''}url ${url}` : '';
}

/** Opens the file of a server that is open again, and fetches all of it. */
export function askForAll(): void {
  location.hash += '&all=';
}
