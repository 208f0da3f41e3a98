// What the address of the page says: which sample or file of a server is open, and where in it the visitor is.

export interface Address {
  readonly sample: string | undefined;
  readonly url: string | undefined;
  /** Whether a file of a server is fetched as a whole, however large it is. */
  readonly all: boolean;
  /** Whether all of its chunks are listed, at a request each. */
  readonly list: boolean;
  /** The byte under the cursor. */
  readonly at: number | undefined;
  /** The selected node. */
  readonly node: number | undefined;
  /** The column that is shown. */
  readonly column: number | undefined;
  /** The first row in sight, and the one that is drawn. */
  readonly row: number | undefined;
  readonly drawn: number | undefined;
  /** The page of the content. */
  readonly page: number | undefined;
}

export function readAddress(): Address {
  const parameters = parametersHere();
  const whole = (name: string): number | undefined => {
    const text = parameters.get(name) ?? '';
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const text = (name: string): string | undefined => parameters.get(name) ?? undefined;
  return {
    // Nothing is no address: it would be that of this page.
    sample: text('sample'), url: text('url') || undefined, all: parameters.has('all'), list: parameters.has('list'),
    at: whole('at'), node: whole('node'), column: whole('column'), row: whole('row'), drawn: whole('drawn'), page: whole('page'),
  };
}

/** All that the address says, for those who have more than a number to note. */
export function parametersHere(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

/** Places in a file, each by the name of its parameter. Nothing, or a number below 0, takes the parameter away; a list is one parameter for each. */
export type Places = Readonly<Record<string, number | string | readonly string[] | undefined>>;

/** Browsers let a page change its address only so often: it is changed when the visitor rests for so long, in milliseconds. */
const REST = 150;

/** What has not been written yet, of which file. */
let noted: { readonly file: string; readonly places: Places } = { file: '', places: {} };
let timer: ReturnType<typeof setTimeout> | undefined;

/** Reads an address that the visitor has just gone to: what was noted of the one before must not be written into it. */
export function arriveAt(): Address {
  clearTimeout(timer);
  noted = { file: '', places: {} };
  return readAddress();
}

/** Notes where the visitor is; a file of their own has no address. */
export function noteInAddress(places: Places): void {
  const file = fileOf(readAddress());
  noted = { file, places: { ...(noted.file === file ? noted.places : {}), ...places } };
  clearTimeout(timer);
  timer = setTimeout(() => {
    const { places } = noted;
    noted = { file, places: {} };
    // Another file may have been opened meanwhile.
    if (file === '' || file !== fileOf(readAddress())) return;
    const parameters = parametersHere();
    for (const [name, place] of Object.entries(places)) {
      parameters.delete(name);
      if (place === undefined || (typeof place === 'number' && place < 0)) continue;
      for (const text of Array.isArray(place) ? place : [place]) parameters.append(name, String(text));
    }
    history.replaceState(history.state, '', `#${parameters}`);
  }, REST);
}

/** The file that an address names, whatever place in it. */
export function fileOf({ sample, url, all }: Address): string {
  return sample !== undefined ? `sample ${sample}` : url !== undefined ? `${all ? 'all of ' : ''}url ${url}` : '';
}

/** Opens the file of a server that is open once more, and fetches all of it. */
export function askForAll(): void {
  location.hash += '&all=';
}

/** Leaves the file that is being opened, or only what was asked for of it besides. */
export function leave(): void {
  const parameters = parametersHere();
  const { all, list } = readAddress();
  for (const name of ['all', 'list']) parameters.delete(name);
  location.hash = all || list ? parameters.toString() : '';
}
