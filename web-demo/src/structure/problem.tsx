// The error of a file: its meaning, position and cause.
import * as Name from 'unspool/names';
import { nodesNamed } from '../formats/named';
import type { Fault, Report } from '../model';
import { placeOf } from './fields';
import { endsTooEarly, stretch } from './overview';
import { problem } from '../words';

interface Props {
  readonly report: Report;
  readonly error: Fault;
  /** The field around the error. */
  readonly node: number;
  readonly size: number;
  /** The bytes covered by a checksum that does not match, if known. */
  readonly covered: readonly [start: number, end: number] | undefined;
  readonly understood: number;
  readonly onShow: () => void;
}

export function Problem({ report, error, node, size, covered, understood, onShow }: Props) {
  const short = endsTooEarly(error);
  const part = error.part ?? placeOf(report.model, node);
  const missing = error.need - size;
  return (
    <section class="problem" role="alert">
      <h2>{advice(error, short, covered)}</h2>
      <p>
        {short ? problem.endsAfter(size) : problem.atByte(error.offset)}
        {part !== '' && <>{problem.in}<strong>{part}</strong></>}
        {short ? (missing > 0 ? problem.needs(missing) : part === '' ? '.' : problem.unfinished) : `: ${error.words}.`}
        {short && ` ${missingOf(report)}`}
      </p>
      <p class="fine">
        {problem.error(error.name, error.code)}{' '}
        {understood > 0 && problem.before(understood)}
      </p>
      <button type="button" onClick={onShow}>{short ? problem.showEnd : problem.showByte(error.offset)}</button>
    </section>
  );
}

/**
 * Says how much of the content is missing, as far as the header announces it: an error only knows
 * the next field.
 */
function missingOf({ format, model: { structure }, summary }: Report): string {
  const [all, here, one] = format === 'pco' ? [announced(structure), summary?.rows ?? 0, problem.number] : format === 'cvc' ? [summary?.rows ?? 0, completeRows(structure, summary?.chunkEnds), problem.row] : [0, 0, ''];
  const gone = all - here;
  return gone > 0 ? problem.announced(all, gone, one) : problem.more;
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

/** Explains an error to the person with the file. */
function advice({ class: class_ }: Fault, short: boolean, covered: Props['covered']): string {
  if (short) return problem.short;
  switch (class_) {
    case 'Checksum': return covered === undefined ? problem.checksum : problem.checksumOf(stretch(covered));
    case 'Corrupt': return problem.corrupt;
    case 'Unsupported': return problem.unsupported;
    case 'Limit': return problem.limit;
    default: return problem.other;
  }
}
