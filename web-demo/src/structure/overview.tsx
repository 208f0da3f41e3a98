// The description of the file, and its error.
import type { ComponentChildren } from 'preact';
import * as Name from 'unspool/names';
import { nodeAt } from 'unspool/inspect';
import { aboutOf } from '../formats/about';
import { coveredBy, type Report, type Verdict } from '../model';
import { bytes, count, plural } from '../format';
import { wantsDictionary } from './dictionary';
import { endsTooEarly, stretch } from './problem';

interface Props {
  readonly report: Report;
  /** Result of checking the whole file. */
  readonly checked: Verdict | undefined;
  /** A button that checks it. */
  readonly check: ComponentChildren;
}

export function Overview({ report, checked, check }: Props) {
  const { summary, size, checksums } = report;
  const facts: [string, string][] = [['Size', bytes(size)]];
  if (report.wrapped !== undefined) facts.push(['Wrapped in', `gzip of ${bytes(report.wrapped)}`]);
  if (summary !== undefined) {
    for (const [term, fact] of summary.facts) facts.push([term, fact]);
    if (summary.brokenFrom !== undefined) facts.push([report.error?.class === 'Checksum' ? 'Decoded before the checksum' : 'Decoded before the error', bytes(summary.decoded)]);
    else if (summary.decoded > 0 && !summary.startOnly) facts.push(['Decodes to', `${bytes(summary.decoded)}, ${(summary.decoded / size).toFixed(2)}×`]);
    if (summary.hasChecksums === false) facts.push(['Checksums', 'none in this version']);
    else if (checksums.right > 0 && report.error === undefined && !summary.startOnly) facts.push(['Checksums', `${count(checksums.right)} verified`]);
  }
  const verdict = verdictOf(report, checked);
  const after = bytesAfterEnd(report) || (checked?.extra ?? 0);
  const about = aboutOf(report);
  return (
    <section class="overview" aria-label="Overview">
      <div class="kind">
        <h2>
          {about?.name ?? 'Unknown format'}
          {summary !== undefined && summary.version !== '' && <span class="version">version {summary.version}</span>}
        </h2>
        {verdict !== undefined && <p id="verdict" class={`verdict ${verdict.kind}`}>{verdict.words}</p>}
        {verdict === undefined && check}
        {after > 0 && <p class="verdict warn">{after === 1 ? '1 extra byte' : bytes(after).replace(/ bytes$/, ' extra bytes')} after the end</p>}
      </div>
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
function bytesAfterEnd({ model: { structure }, size }: Report): number {
  const last = structure.length - 1;
  if (last < 0) return 0;
  const { id, part, depth, start, end } = nodeAt(structure, last);
  return depth === 0 && part === 'padding' && end === 8 * size && id === Name.TrailingBytes ? (end - start) / 8 : 0;
}

/** Returns the verdict on the file in a word; `undefined` if unknown. */
function verdictOf({ format, error: met, read, checksums, wrapped, summary, model }: Report, checked: Verdict | undefined): { kind: 'good' | 'bad'; words: string } | undefined {
  const error = met ?? checked?.error;
  if (format === undefined || (error === undefined && checked === undefined && read !== 'all' && read !== 'pieces')) return undefined;
  if (met === undefined && (checked?.badRows ?? 0) > 0) return { kind: 'bad', words: `Damaged: ${plural(checked?.badRows ?? 0, 'row')} cannot be decoded` };
  if (wantsDictionary(error)) return { kind: 'bad', words: 'Needs its dictionary' };
  if (error?.class === 'Unsupported' || error?.class === 'Limit') return { kind: 'bad', words: 'Not decoded' };
  if (error?.class === 'Checksum') {
    const covered = coveredBy(model, error);
    return { kind: 'bad', words: covered === undefined ? 'Damaged' : `Damaged in ${stretch(covered)}` };
  }
  if (error !== undefined) return { kind: 'bad', words: endsTooEarly(error) ? 'Incomplete' : `Broken at byte ${count(error.offset)}` };
  if (summary?.startOnly && checked === undefined) return undefined;
  const hasChecksums = checked !== undefined && (summary?.hasChecksums ?? model.structure.part.includes(model.structure.parts.indexOf('checksum')));
  const proven = checksums.right > 0 || hasChecksums || format === 'gzip' || wrapped !== undefined;
  return { kind: 'good', words: proven ? 'Intact' : 'No error found' };
}
