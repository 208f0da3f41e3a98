// The error of a file: its meaning, position and cause.
import * as Name from 'unspool/names';
import { nodesNamed } from '../formats/named';
import { bytes, count, percent, plural } from '../format';
import type { Fault, Report } from '../model';

interface Props {
  readonly report: Report;
  readonly error: Fault;
  /** The structure around the error. */
  readonly part: string;
  readonly size: number;
  /** The bytes covered by a checksum that does not match, if known. */
  readonly covered: readonly [start: number, end: number] | undefined;
  readonly understood: number;
  readonly onShow: () => void;
}

export function Problem({ report, error, part, size, covered, understood, onShow }: Props) {
  const short = endsTooEarly(error);
  const missing = error.need - size;
  return (
    <section class="problem" role="alert">
      <h2>{advice(error, short, covered)}</h2>
      <p>
        {short ? `It ends after ${bytes(size)}` : `At byte ${count(error.offset)}`}
        {part !== '' && <>, in <strong>{part}</strong></>}
        {short ? (missing > 0 ? `: the next field needs ${bytes(missing)} more.` : part === '' ? '.' : ', which is incomplete.') : `: ${error.words}.`}
        {short && ` ${missingOf(report)}`}
      </p>
      <p class="fine">
        {error.name}, error {error.code}.{' '}
        {understood > 0 && `${plural(understood, 'field')} before the error ${understood === 1 ? 'is' : 'are'} shown below.`}
      </p>
      <button type="button" onClick={onShow}>{short ? 'Show where it ends' : `Show byte ${count(error.offset)}`}</button>
    </section>
  );
}

/**
 * Says how much of the content is missing, as far as the header announces it: an error only knows
 * the next field.
 */
function missingOf({ format, model: { structure }, summary }: Report): string {
  const [all, here, one] = format === 'pco' ? [announced(structure), summary?.rows ?? 0, 'number'] : format === 'cvc' ? [summary?.rows ?? 0, completeRows(structure, summary?.chunkEnds), 'row'] : [0, 0, ''];
  const gone = all - here;
  return gone > 0 ? `The header announces ${plural(all, one)}: ${count(gone)} (${percent(gone, all)}) ${gone === 1 ? 'is' : 'are'} missing.` : 'More may be missing.';
}

function announced(structure: Report['model']['structure']): number {
  const [hint] = nodesNamed(structure, Name.NHint);
  return Number(hint?.value ?? 0);
}

/** Returns the rows of the chunks before the cut one. */
function completeRows(structure: Report['model']['structure'], ends: readonly number[] = []): number {
  const chunks = [...nodesNamed(structure, Name.Chunk)].filter(({ depth }) => depth === 0).length;
  return ends[chunks - 2] ?? 0;
}

/** Returns `true` if the end of the file is missing. */
export function endsTooEarly({ class: class_ }: Fault): boolean {
  return class_ === 'Truncated';
}

/** Formats a range of bytes by the first and the last. */
export function stretch([start, end]: readonly [start: number, end: number]): string {
  return `bytes ${count(start)} to ${count(end - 1)}`;
}

/** Explains an error to the person with the file. */
function advice({ class: class_ }: Fault, short: boolean, covered: Props['covered']): string {
  if (short) return 'The file ends too early. It may have been copied or downloaded only in part.';
  switch (class_) {
    case 'Checksum': return covered === undefined ? 'Checksum mismatch: the bytes it covers are damaged.' : `Checksum mismatch: ${stretch(covered)} are damaged. A checksum cannot say which byte.`;
    case 'Corrupt': return 'The file contradicts itself here. It is damaged, or its writer has a bug.';
    case 'Unsupported': return 'This page cannot decode this variant of the format.';
    case 'Limit': return 'The file exceeds the limits of this page.';
    default: return 'The decoder stopped here.';
  }
}
