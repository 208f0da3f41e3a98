// Statistics and distribution of all numbers of a column.
import { useState } from 'preact/hooks';
import type { Bin, Summary } from 'unspool/stats';
import { useAnswer } from '../tools/answer';
import { Cancel, useJob } from '../tools/cancel';
import { Passing } from '../tools/passing';
import type { OpenFile } from '../client';
import { apart, count, rest, value } from '../format';
import { Course } from './course';
import { Refused } from '../tools/refused';
import { RemoteFile } from '../arrive/remote';
import type { Summed } from '../values';
import { statistics as text } from '../words';

const [WIDTH, HEIGHT, MARGIN, LABEL] = [560, 140, 8, 13];

/** Values that are summed up in a moment. Of more, a sample is shown first. */
const LONG = 2 ** 22;

interface Props {
  readonly file: OpenFile;
  readonly column: number;
  /** Number of values. */
  readonly values: number;
  /** True if the values are in memory, though the file is on a server. */
  readonly here?: boolean | undefined;
  /** Goes to a row. */
  readonly onRow: (row: number) => void;
}

export function Statistics({ file, column, values, here = false, onRow }: Props) {
  const job = useJob();
  // A remote file is fetched only on request.
  const [wanted, want] = useState(here || !(file.source instanceof RemoteFile));
  /** Statistics of a sample of a long column, until those of all values are known. */
  const [sample, setSample] = useState<Summed>();
  const { value: found, error, again } = useAnswer(
    () => new Promise<Summed | undefined>((resolve, reject) => {
      if (!wanted) return resolve(undefined);
      void job.run(async (care) => {
        care.signal.addEventListener('abort', () => want(false));
        // Without the sample, the statistics of all values come later, and are the same.
        if (values > LONG) await file.sampled(column, { signal: care.signal }).then(setSample, () => undefined);
        // The sample may have failed because the visitor cancelled.
        care.signal.throwIfAborted();
        await file.statistics(column, care).then(resolve, reject);
      });
    }),
    [file, column, wanted],
  );
  const [logarithmic, setLogarithmic] = useState(false);
  if (error !== '') return <Refused what={text.none} error={error} onRetry={again} />;
  const coming = found === undefined && (
    <p class="facts" role="status">
      {sample !== undefined && text.sample(sample.statistics.count + sample.statistics.nans)}
      {wanted ? text.computing : <Passing onClick={() => want(true)}>{text.compute(values)}</Passing>}
      <Cancel job={job} what={text.job} />
    </p>
  );
  const summed = found ?? sample;
  if (summed === undefined) return <>{coming}</>;
  const { statistics, bounds, curve, leftOut, why } = summed;
  const { norms } = statistics;
  const all = statistics.count + statistics.nans;
  if (all === 0) return <>{coming}</>;
  const bins = logarithmic ? statistics.magnitudes.bins : statistics.histogram;
  return (
    <section class={found === undefined ? 'statistics sampled' : 'statistics'} data-workers={found?.workers} aria-label={found === undefined ? text.sampleLabel : text.label}>
      {coming}
      {found !== undefined && leftOut > 0 && <p class="refused">{text.leftOut(leftOut, why)}</p>}
      <dl>
        {facts(statistics, bounds).map(({ term, fact, all }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd title={all}>{fact}</dd>
          </div>
        ))}
      </dl>
      <div class="drawings">
        <figure>
          <Bars bins={bins} logarithmic={logarithmic} />
          <figcaption>
            {all === 1 ? text.only : text.distribution(all)}{' '}
            <label class="switch">
              <input type="checkbox" checked={logarithmic} onChange={({ currentTarget }) => setLogarithmic(currentTarget.checked)} /> {text.log}
            </label>
          </figcaption>
        </figure>
        {found !== undefined && <Course
          file={file}
          column={column}
          all={curve}
          named={norms === undefined ? 'value' : 'norm'}
          what={norms === undefined ? text.inOrder : text.norms(spreadOf(norms))}
          onRow={onRow}
        />}
      </div>
    </section>
  );
}

function spreadOf({ min, max, mean }: Pick<Summary, 'min' | 'max' | 'mean'>): string {
  return Number.isNaN(min) ? text.noNumber : text.spread(value(min), value(max), value(mean));
}

interface Fact {
  readonly term: string;
  readonly fact: string;
  /** All digits, if the shown value has fewer. */
  readonly all?: string | undefined;
}

function facts({ count: numbers, nans, infinite, min, max, mean, deviation }: Summary, bounds: Summed['bounds']): Fact[] {
  const [low, high] = bounds ?? [min, max];
  // Undefined, or not representable as a number.
  const known = (term: string, number: number | bigint): Fact => (Number.isNaN(number) ? { term, fact: '–' } : { term, fact: value(number), all: rest(number) });
  const all: Fact[] = [
    { term: text.values, fact: count(numbers + nans) }, known(text.min, low), known(text.max, high), known(text.mean, mean), known(text.deviation, deviation),
  ];
  if (nans > 0) all.push({ term: text.nan, fact: count(nans) });
  if (infinite > 0) all.push({ term: text.infinite, fact: count(infinite) });
  return all;
}

/**
 * Returns a formatter for the bounds of bins. Bounds of the largest numbers may exceed their range.
 */
function edgesOf(bins: readonly Bin[], logarithmic: boolean): (edge: number) => string {
  const within = (edge: number): number => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, edge));
  const words = apart(bins.flatMap(({ low, high }, at) => (at === 0 ? [low, high] : [high])).map(within));
  return (edge) => (logarithmic ? `2^${words(edge)}` : words(within(edge)));
}

function Bars({ bins, logarithmic }: { readonly bins: readonly Bin[]; readonly logarithmic: boolean }) {
  const most = bins.reduce((most, bin) => Math.max(most, bin.count), 1);
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, bins.length);
  // The largest count is above the bars, their bounds below.
  const room = HEIGHT - 2 * MARGIN - 2 * LABEL;
  const edge = edgesOf(bins, logarithmic);
  const [first, last] = [bins[0], bins.at(-1)];
  const words = first === undefined || last === undefined ? text.noValues : text.bins(bins.length, edge(first.low), edge(last.high));
  return (
    <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text.histogram(words)}>
      {bins.map(({ low, high, count: held }, at) => {
        const height = held === 0 ? 0 : Math.max(1, (held / most) * room);
        return (
          <rect key={at} class="stick" x={MARGIN + at * step} width={Math.max(0.5, step - Math.min(1, step * 0.1))} y={MARGIN + LABEL + room - height} height={height}>
            <title>{text.bar(edge(low), edge(high), held)}</title>
          </rect>
        );
      })}
      {first !== undefined && <text class="bound" x={MARGIN} y={HEIGHT - 6}>{edge(first.low)}</text>}
      {bins.length > 1 && <text class="bound" x={MARGIN} y={MARGIN + 8}>{count(most)}</text>}
      {last !== undefined && <text class="bound" x={WIDTH - MARGIN} y={HEIGHT - 6} text-anchor="end">{edge(last.high)}</text>}
    </svg>
  );
}
