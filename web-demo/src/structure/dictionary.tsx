// What is said of a Zstandard file that was compressed against a dictionary, or may have been.
import { inFirstBlock, type Report } from '../model';

/** What a decoder stumbles over that lacks what a dictionary would have given it: a code, a table, or bytes to copy. */
const LACKS: readonly string[] = ['ZstdLiteralsRepeat', 'ZstdTableRepeat', 'ZstdOffset'];

interface Props {
  readonly report: Report;
  /** The node that is broken. */
  readonly broken: number;
}

export function MayWantDictionary({ report: { error, format, model }, broken }: Props) {
  if (format !== 'zstd' || error === undefined || !LACKS.includes(error.name) || !inFirstBlock(model, broken)) return null;
  return (
    <section class="problem unknown" role="note" aria-label="Dictionary">
      <p>Or it was compressed against a dictionary that it does not name; open both together.</p>
    </section>
  );
}
