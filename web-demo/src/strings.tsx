// Rows of a column of strings: a page of them, or of those that a search finds.
import { useEffect, useState } from 'preact/hooks';
import type { OpenFile } from './client';
import { bytes, count, plural } from './format';
import { Pages } from './pages';
import type { Place, Texts } from './worker';

const PAGE = 25;
/** Wait so long for the next key before searching. */
const PAUSE = 120;

const PLACES: readonly (readonly [Place, string])[] = [
  ['contains', 'contain'], ['startsWith', 'start with'], ['equals', 'are'],
];

export function Strings({ file, rows }: { readonly file: OpenFile; readonly rows: number }) {
  const [place, setPlace] = useState<Place>('contains');
  const [needle, setNeedle] = useState('');
  const [matches, setMatches] = useState<Uint32Array>();
  const [page, setPage] = useState(0);
  const [found, setFound] = useState<Texts>();
  const [error, setError] = useState('');

  useEffect(() => {
    let current = true;
    const fail = (error: Error): void => {
      if (current && error.name !== 'AbortError') setError(error.message);
    };
    const timer = setTimeout(() => {
      const show = (matches: Uint32Array | undefined): void => {
        if (!current) return;
        setError('');
        setMatches(matches);
        setPage(0);
      };
      // Everything contains the empty string, but exactly that are few rows.
      if (needle === '' && place !== 'equals') show(undefined);
      else file.search(place, needle).then(show, fail);
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [file, place, needle]);

  const total = matches?.length ?? rows;
  useEffect(() => {
    let current = true;
    const [start, end] = [page * PAGE, Math.min(total, (page + 1) * PAGE)];
    file.texts(matches?.slice(start, end), start, end).then(
      (texts) => current && setFound(texts),
      (error: Error) => {
        if (!current || error.name === 'AbortError') return;
        setFound(undefined);
        setError(error.message);
      },
    );
    return () => {
      current = false;
    };
  }, [file, matches, page, total]);

  const needleShown = matches === undefined ? '' : needle;
  return (
    <section class="preview" aria-label="Decoded values">
      <div class="heading">
        <h2>Values</h2>
        <form class="search" role="search" onSubmit={(event) => event.preventDefault()}>
          <label>
            rows that{' '}
            <select aria-label="How rows match" value={place} onChange={({ currentTarget }) => setPlace(currentTarget.value as Place)}>
              {PLACES.map(([place, words]) => <option key={place} value={place}>{words}</option>)}
            </select>
          </label>
          <input type="search" aria-label="Search" placeholder="search without decoding" value={needle} onInput={({ currentTarget }) => setNeedle(currentTarget.value)} />
        </form>
        <p class="facts" role="status">
          {matches === undefined ? plural(rows, 'row') : `${count(total)} of ${plural(rows, 'row')}`}
        </p>
      </div>
      {error !== '' && <p class="refused" role="alert">These rows cannot be decoded: {error}.</p>}
      {found !== undefined && found.rows.length > 0 && (
        <div class="table" tabIndex={0} role="region" aria-label="Rows">
          <table class="texts">
            <thead>
              <tr>
                <th scope="col">row</th>
                <th scope="col" class="text">text</th>
                <th scope="col">size</th>
              </tr>
            </thead>
            <tbody>
              {found.rows.map(({ row, text, bytes: size }) => (
                <tr key={row}>
                  <th scope="row">{count(row)}</th>
                  <td class="text">{size === 0 ? <i>empty</i> : <Marked text={text} needle={needleShown} />}</td>
                  <td class="size">{bytes(size)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {total === 0 && <p class="facts">{rows === 0 ? 'There is nothing to show.' : 'No row matches.'}</p>}
      <Pages page={page} pages={Math.ceil(total / PAGE)} onPage={setPage} />
    </section>
  );
}

/** A text with the first place marked that was searched for. */
function Marked({ text, needle }: { readonly text: string; readonly needle: string }) {
  const at = needle === '' ? -1 : text.indexOf(needle);
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{needle}</mark>
      {text.slice(at + needle.length)}
    </>
  );
}
