// What the file is, and what is wrong with it.
import { ABOUT } from './formats/about';
import type { Fault, Report } from './model';
import { advice, bytes, count, plural } from './format';

export function Overview({ report }: { readonly report: Report }) {
  const { summary, size, format, checksums } = report;
  const facts: [string, string][] = [['Size', bytes(size)]];
  if (report.wrapped !== undefined) facts.push(['Wrapped in', `gzip of ${bytes(report.wrapped)}`]);
  if (summary !== undefined) {
    for (const [term, fact] of summary.facts) facts.push([term, fact]);
    if (summary.decoded > 0) facts.push(['Decodes to', `${bytes(summary.decoded)}, ${(summary.decoded / size).toFixed(2)}×`]);
    if (summary.hasChecksums === false) facts.push(['Checksums', 'none in this version']);
    else if (checksums.right > 0) facts.push(['Checksums', `${count(checksums.right)} right`]);
  }
  const name = format === undefined ? 'Not a format that unspool knows' : ABOUT[format].name;
  return (
    <section class="overview" aria-label="What this file is">
      <h2>
        {name}
        {summary !== undefined && summary.version !== '' && <span class="version">version {summary.version}</span>}
      </h2>
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

interface ProblemProps {
  readonly error: Fault;
  readonly size: number;
  readonly understood: number;
  readonly onShow: () => void;
}

export function Problem({ error, size, understood, onShow }: ProblemProps) {
  return (
    <section class="problem" role="alert">
      <h2>{advice(error)}</h2>
      <p>{sentence(error.message)}.</p>
      <p class="fine">
        {error.name}, number {error.code}{error.part !== undefined && <>, in <strong>{error.part}</strong></>}.{' '}
        {understood > 0 && `What was understood before it is shown below: ${plural(understood, 'field')}.`}
      </p>
      {error.offset < size && (
        <button type="button" onClick={onShow}>
          Show byte {count(error.offset)}
        </button>
      )}
    </section>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
