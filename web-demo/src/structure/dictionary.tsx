// Asks for the dictionary of a Zstandard file that needs one or may need one.
import { useContext } from 'preact/hooks';
import { pickFile } from '../arrive/file-input';
import { Opening } from '../arrive/opening';
import type { Report } from '../model';
import { mayWantDictionary, wantsDictionary } from './dictionary-wanted';
import { dictionary as words } from '../words';

interface Props {
  readonly report: Report;
}

/** Replaces the description of the error: the file itself is intact. */
export function WantsDictionary({ report: { error, lent } }: Props) {
  return (
    <section class="problem" role="alert">
      <h2>{words.needed}</h2>
      <p>
        {words.id}<strong>{error?.need}</strong>.{' '}
        {lent !== undefined && <>{given(lent)}. </>}
        {words.drop}
      </p>
      <OpenDictionary />
    </section>
  );
}

/** Adds a possible reason to the description of the error. */
export function MayWantDictionary({ report }: Props) {
  const { error, lent } = report;
  if (wantsDictionary(error) || !mayWantDictionary(report)) return null;
  return (
    <section class="problem unknown" role="note" aria-label={words.label}>
      <p>
        {lent === undefined
          ? words.perhaps
          : words.another(given(lent))}
      </p>
      <OpenDictionary />
    </section>
  );
}

function OpenDictionary() {
  const { dictionary } = useContext(Opening);
  return <button type="button" onClick={() => dictionary(pickFile())}>{words.open}</button>;
}

function given({ id }: NonNullable<Report['lent']>): string {
  return words.givenId(id);
}
