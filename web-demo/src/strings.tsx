// Rows of a column of strings: a page of them, or of those that a search finds.
import { useEffect, useState } from 'preact/hooks';
import { pause, useAnswer } from './answer';
import { Export } from './export';
import { ABOUT, snippet } from './formats/about';
import { bytes, count, plural } from './format';
import { Pages } from './pages';
import type { ValuesProps } from './preview';
import type { Place } from './values';

const PAGE = 25;
/** Wait so long for the next key before searching. */
const PAUSE = 120;

const PLACES: readonly (readonly [Place, string])[] = [
  ['contains', 'contain'], ['startsWith', 'start with'], ['equals', 'are'],
];

export function Strings({ file, name, report, summary: { rows } }: ValuesProps) {
  const [place, setPlace] = useState<Place>('contains');
  const [needle, setNeedle] = useState('');
  const [page, setPage] = useState(0);

  const search = useAnswer(
    async (gone): Promise<Uint32Array | undefined> => {
      await pause(PAUSE, gone);
      // Everything contains the empty string, but exactly that are few rows.
      return needle === '' && place !== 'equals' ? undefined : file.search({ place, needle });
    },
    [file, place, needle],
  );
  const matches = search.value;
  useEffect(() => setPage(0), [matches]);

  const total = matches?.length ?? rows;
  const { value: found, error: refused } = useAnswer(() => {
    const [start, end] = [Math.min(total, page * PAGE), Math.min(total, (page + 1) * PAGE)];
    return file.texts({ numbers: matches?.slice(start, end), start, end });
  }, [file, matches, page, total]);
  const error = search.error || refused;

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
      {report.format !== undefined && (
        <Export file={file} name={name} column={0} kinds={ABOUT[report.format].saves} snippet={snippet(report.format, name, '', report.wrapped !== undefined)} />
      )}
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
