// The description of the file.
import { nodeAt } from 'unspool/inspect';
import * as Name from 'unspool/names';
import { bytes } from '../format';
import { aboutOf } from '../formats/about';
import { coveredBy, type Fault, type Report, type Verdict } from '../model';
import { facts as words, problem, verdict as verdicts } from '../words';
import { wantsDictionary } from './dictionary-wanted';

export function Overview({ report }: { readonly report: Report }) {
  const { summary, size, checksums, error } = report;
  const facts: [string, string][] = [[words.size, bytes(size)]];
  if (report.wrapped !== undefined) facts.push([words.wrapped, words.gzipOf(report.wrapped)]);
  if (summary !== undefined) {
    for (const [term, fact] of summary.facts) facts.push([term, fact]);
    if (summary.brokenFrom !== undefined) facts.push([error?.class === 'Checksum' ? words.beforeChecksum : words.beforeError, bytes(summary.decoded)]);
    else if (summary.decoded > 0 && !summary.startOnly) facts.push([words.decodes, words.ratio(summary.decoded, size)]);
    if (summary.hasChecksums === false) facts.push([words.checksums, words.noChecksums]);
    else if (checksums.right > 0 && error === undefined && !summary.startOnly) facts.push([words.checksums, words.verified(checksums.right)]);
  }
  const about = aboutOf(report);
  return (
    <section class="overview" aria-label={words.label}>
      <h2>
        {about?.name ?? verdicts.unknown}
        {summary !== undefined && summary.version !== '' && <span class="version">{words.version(summary.version)}</span>}
      </h2>
      {about !== undefined && <p class="what">{about.what}</p>}
      <dl>
        {facts.map(([term, fact]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Returns the number of bytes after the end of the file. They are not an error. */
export function bytesAfterEnd({ model: { structure }, size }: Report): number {
  const last = structure.length - 1;
  if (last < 0) return 0;
  const { id, part, depth, start, end } = nodeAt(structure, last);
  return depth === 0 && part === 'padding' && end === 8 * size && id === Name.TrailingBytes ? (end - start) / 8 : 0;
}

/** Returns the verdict on the file in a word; `undefined` if unknown. */
export function verdictOf({ format, error: met, read, checksums, wrapped, summary, model }: Report, checked: Verdict | undefined): { kind: 'good' | 'bad'; words: string } | undefined {
  const error = met ?? checked?.error;
  if (format === undefined || (error === undefined && checked === undefined && read !== 'all' && read !== 'pieces')) return undefined;
  if (met === undefined && (checked?.badRows ?? 0) > 0) return { kind: 'bad', words: verdicts.badRows(checked?.badRows ?? 0) };
  if (wantsDictionary(error)) return { kind: 'bad', words: verdicts.needsDictionary };
  if (error?.class === 'Unsupported' || error?.class === 'Limit') return { kind: 'bad', words: verdicts.notDecoded };
  if (error?.class === 'Checksum') {
    const covered = coveredBy(model, error);
    return { kind: 'bad', words: covered === undefined ? verdicts.damaged : verdicts.damagedIn(stretch(covered)) };
  }
  if (error !== undefined) return { kind: 'bad', words: endsTooEarly(error) ? verdicts.incomplete : verdicts.brokenAt(error.offset) };
  if (summary?.startOnly && checked === undefined) return undefined;
  const hasChecksums = checked !== undefined && (summary?.hasChecksums ?? model.structure.part.includes(model.structure.parts.indexOf('checksum')));
  const proven = checksums.right > 0 || hasChecksums || format === 'gzip' || wrapped !== undefined;
  return { kind: 'good', words: proven ? verdicts.intact : verdicts.noError };
}

/** Returns `true` if the end of the file is missing. */
export function endsTooEarly({ class: class_ }: Fault): boolean {
  return class_ === 'Truncated';
}

/** Formats a range of bytes by the first and the last. */
export function stretch([start, end]: readonly [start: number, end: number]): string {
  return problem.bytesFrom(start, end);
}
