// The address of the page: the open sample or remote file, and the place in it. A file of the
// visitor has no address; its place is kept in the history of this window.

export interface Address {
  readonly sample: string | undefined;
  readonly url: string | undefined;
  /** The addresses of two files to compare. */
  readonly pair: readonly [a: string, b: string] | undefined;
  /** True to fetch a remote file as a whole, however large. */
  readonly all: boolean;
  /** True to list all of its chunks, with one request each. */
  readonly list: boolean;
  /** The tab. */
  readonly view: string | undefined;
  /** The byte under the cursor. */
  readonly at: number | undefined;
  /** The selected node. */
  readonly node: number | undefined;
  /** The column shown. */
  readonly column: number | undefined;
  /** The first row in sight, and the row drawn. */
  readonly row: number | undefined;
  readonly drawn: number | undefined;
  /** The first value of a vector in the table. */
  readonly place: number | undefined;
  /** The page of the content. */
  readonly page: number | undefined;
}

// `/compare?a=…&b=…` is the page at `/compare.html`, a copy of this one.
const asked = new URLSearchParams(location.search);
if (asked.get('a') && asked.get('b')) history.replaceState(null, '', `./#${asked}`);

/** A position in the history with a file of the visitor: its key, and the place in it. */
interface Own {
  readonly own: string;
  readonly places: string;
}

function ownHere(): Own | undefined {
  const state: unknown = history.state;
  return location.hash === '' && typeof state === 'object' && state !== null && 'own' in state ? (state as Own) : undefined;
}

export function readAddress(): Address {
  const parameters = parametersHere();
  const whole = (name: string): number | undefined => {
    const text = parameters.get(name) ?? '';
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const text = (name: string): string | undefined => parameters.get(name) ?? undefined;
  const [a, b] = [text('a'), text('b')];
  return {
    pair: a && b ? [a, b] : undefined,
    // An empty URL is not an address: it would be that of this page.
    sample: text('sample'), url: text('url') || undefined, all: parameters.has('all'), list: parameters.has('list'), view: text('view'),
    at: whole('at'), node: whole('node'), column: whole('column'), row: whole('row'), drawn: whole('drawn'), place: whole('place'), page: whole('page'),
  };
}

/** Returns all parameters of the address, for values that are not numbers. */
export function parametersHere(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1) || ownHere()?.places || '');
}

/**
 * Places in a file by parameter name. `undefined` or a number below 0 removes the parameter; a list
 * repeats it.
 */
export type Places = Readonly<Record<string, number | string | readonly string[] | undefined>>;

/**
 * Delay before the address is updated, in milliseconds: browsers limit how often a page may change
 * it.
 */
const REST = 150;

/** Places not yet written, and their file. */
let noted: { readonly key: string; readonly places: Places } = { key: '', places: {} };
let timer: ReturnType<typeof setTimeout> | undefined;
/** The last parameters of each file, to return to it. */
const last = new Map<string, string>();

/**
 * Reads an address that the visitor has just gone to. Discards places noted for the previous one.
 */
export function arriveAt(): Address {
  clearTimeout(timer);
  noted = { key: '', places: {} };
  return readAddress();
}

/** Notes the current place. */
export function noteInAddress(places: Places): void {
  const key = keyHere();
  noted = { key, places: { ...(noted.key === key ? noted.places : {}), ...places } };
  clearTimeout(timer);
  timer = setTimeout(writeAddress, REST);
}

/** Writes the noted place now. */
export function writeAddress(): void {
  clearTimeout(timer);
  const { key, places } = noted;
  noted = { key, places: {} };
  // Another file may have been opened meanwhile.
  if (key === '' || key !== keyHere()) return;
  const parameters = parametersHere();
  for (const [name, place] of Object.entries(places)) {
    parameters.delete(name);
    if (place === undefined || (typeof place === 'number' && place < 0)) continue;
    for (const text of Array.isArray(place) ? place : [place]) parameters.append(name, String(text));
  }
  last.set(key, parameters.toString());
  const own = ownHere();
  if (own === undefined) history.replaceState(history.state, '', `#${parameters}`);
  else history.replaceState({ ...own, places: parameters.toString() }, '');
}

/** Returns the key of the file that is open here; empty on the start page. */
export function keyHere(): string {
  return fileOf(readAddress()) || (ownHere()?.own ?? '');
}

/** Goes to a file of the visitor. */
export function goToOwn(key: string): void {
  history.pushState({ own: key, places: last.get(key) ?? '' } satisfies Own, '', location.pathname + location.search);
}

/** Returns the parameters of the last place in a file. */
export function lastPlaces(key: string): string | undefined {
  return last.get(key);
}

/** Returns the key of the file in an address, without the place in it. */
export function fileOf({ sample, url, pair, all }: Address): string {
  if (pair !== undefined) return `compare ${pair.join(' ')}`;
  return sample !== undefined ? `sample ${sample}` : url !== undefined ? `${all ? 'all of ' : ''}url ${url}` : '';
}

/** Reopens the current remote file as a whole. */
export function askForAll(): void {
  location.hash += '&all=';
}

/** Cancels opening a file, or the extra request for it. */
export function leave(): void {
  const parameters = parametersHere();
  const { all, list } = readAddress();
  for (const name of ['all', 'list']) parameters.delete(name);
  location.hash = all || list ? parameters.toString() : '';
}
