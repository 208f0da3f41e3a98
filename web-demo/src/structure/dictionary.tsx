// Asks for the dictionary of a Zstandard file that needs one or may need one.
import { useContext } from 'preact/hooks';
import * as Name from 'unspool/names';
import { pickFile } from '../arrive/file-input';
import { Opening } from '../arrive/opening';
import { brokenAt, inFirstBlock, type Fault, type Model, type Report } from '../model';

/** Errors of a decoder without the dictionary: a missing code, table or match. */
const LACKS: readonly string[] = ['ZstdLiteralsRepeat', 'ZstdTableRepeat', 'ZstdOffset'];

export function wantsDictionary(error: Fault | undefined): boolean {
  return error?.name === 'ZstdDictionaryWanted';
}

/** Returns `true` if a dictionary, or another one, may be all that is missing. */
export function mayWantDictionary({ error, format, model, lent }: Report): boolean {
  if (!format?.startsWith('zstd') || error === undefined) return false;
  if (wantsDictionary(error)) return true;
  // A frame with a dictionary ID decodes with no other dictionary.
  if (idOfDictionary(model) >= 0) return false;
  return lent !== undefined || (LACKS.includes(error.name) && inFirstBlock(model, brokenAt(model, error.offset)));
}

/** Returns the field with the dictionary ID, or -1. */
export function idOfDictionary({ structure }: Model): number {
  return structure.name.indexOf(Name.DictionaryId);
}

interface Props {
  readonly report: Report;
}

/** Replaces the description of the error: the file itself is intact. */
export function WantsDictionary({ report: { error, lent } }: Props) {
  return (
    <section class="problem" role="alert">
      <h2>This file needs its dictionary.</h2>
      <p>
        The dictionary has the ID <strong>{error?.need}</strong>.{' '}
        {lent !== undefined && <>{given(lent)}. </>}
        Drop it here, or open both files together.
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
    <section class="problem unknown" role="note" aria-label="Dictionary">
      <p>
        {lent === undefined
          ? 'Or it needs a dictionary that it does not name. Open both files together.'
          : `Or it needs another dictionary. ${given(lent)}, and the file does not name its own.`}
      </p>
      <OpenDictionary />
    </section>
  );
}

function OpenDictionary() {
  const { dictionary } = useContext(Opening);
  return <button type="button" onClick={() => void pickFile().then(dictionary)}>Open its dictionary</button>;
}

function given({ id }: NonNullable<Report['lent']>): string {
  return id === undefined ? 'The dictionary opened with it has no ID' : `The dictionary opened with it has the ID ${id}`;
}
