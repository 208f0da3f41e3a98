// What all numbers of a column come to, and how they spread.
import { useState } from 'preact/hooks';
import type { Bin, Statistics as Found } from 'unspool';
import { useAnswer } from './answer';
import { Cancel, useJob } from './cancel';
import type { OpenFile } from './client';
import { count, value } from './format';
import { Line, Plot } from './plot';
import type { Summed } from './values';

const [WIDTH, HEIGHT, MARGIN] = [560, 120, 8];

export function Statistics({ file, column }: { readonly file: OpenFile; readonly column: number }) {
  const job = useJob();
  const [cancelled, setCancelled] = useState(false);
  const { value: found, error } = useAnswer(
    () =>
      new Promise<Summed>((resolve, reject) => {
        void job.run(async (signal) => {
          signal.addEventListener('abort', () => setCancelled(true));
          await file.statistics(column, signal).then(resolve, reject);
        });
      }),
    [file, column],
  );
  const [logarithmic, setLogarithmic] = useState(false);
  if (error !== '') return <p class="facts">These numbers are not summed up: {error}.</p>;
  if (found === undefined) {
    return (
      <p class="facts" role="status">
        {cancelled && !job.going ? 'These numbers have not been summed up.' : 'Summing up…'} <Cancel job={job} what="summing up" />
      </p>
    );
  }
  const { statistics, values } = found;
  if (statistics.count + statistics.nans === 0) return null;
  const bins = logarithmic ? statistics.magnitudes.bins : statistics.histogram;
  return (
    <section class="statistics" aria-label="Statistics">
      <dl>
        {facts(statistics).map(([term, fact]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <div class="drawings">
        <figure>
          <Bars bins={bins} logarithmic={logarithmic} />
          <figcaption>
            How {values < found.all ? `the first ${count(values)} of ${count(found.all)}` : `all ${count(values)}`} values spread{' '}
            <label class="switch">
              <input type="checkbox" checked={logarithmic} onChange={({ currentTarget }) => setLogarithmic(currentTarget.checked)} /> by size, in powers of two
            </label>
          </figcaption>
        </figure>
        {found.curve !== undefined && (
          <figure>
            <Line curve={found.curve} count={values} />
            <figcaption>In the order of the file</figcaption>
          </figure>
        )}
        {statistics.norms !== undefined && (
          <figure>
            <Plot values={thin(statistics.norms.each)} />
            <figcaption>
              Lengths of the vectors: {value(statistics.norms.min)} to {value(statistics.norms.max)}, mean {value(statistics.norms.mean)}
            </figcaption>
          </figure>
        )}
      </div>
    </section>
  );
}

function facts({ count: numbers, nans, infinite, min, max, mean, deviation }: Found): (readonly [string, string])[] {
  const all: (readonly [string, string])[] = [
    ['Values', count(numbers + nans)], ['Min', value(min)], ['Max', value(max)], ['Mean', value(mean)], ['Deviation', value(deviation)],
  ];
  if (nans > 0) all.push(['Not a number', count(nans)]);
  if (infinite > 0) all.push(['Infinite', count(infinite)]);
  return all;
}

/** No more than fit on the curve, evenly picked. */
function thin(values: Float64Array): number[] {
  const step = Math.max(1, Math.ceil(values.length / 1000));
  return Array.from({ length: Math.ceil(values.length / step) }, (_, at) => values[at * step] ?? NaN);
}

function Bars({ bins, logarithmic }: { readonly bins: readonly Bin[]; readonly logarithmic: boolean }) {
  const most = bins.reduce((most, bin) => Math.max(most, bin.count), 1);
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, bins.length);
  const room = HEIGHT - 2 * MARGIN - 12;
  const edge = (number: number): string => (logarithmic ? `2^${value(number)}` : value(number));
  const [first, last] = [bins[0], bins.at(-1)];
  const words = first === undefined || last === undefined ? 'no values' : `${bins.length} bins from ${edge(first.low)} to ${edge(last.high)}`;
  return (
    <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Histogram: ${words}`}>
      {bins.map(({ low, high, count: held }, at) => {
        const height = held === 0 ? 0 : Math.max(1, (held / most) * room);
        return (
          <rect key={at} class="stick" x={MARGIN + at * step} width={Math.max(0.5, step - Math.min(1, step * 0.1))} y={MARGIN + room - height} height={height}>
            <title>{`${edge(low)} to ${edge(high)}: ${count(held)}`}</title>
          </rect>
        );
      })}
      {first !== undefined && <text class="bound" x={MARGIN} y={HEIGHT - 6}>{edge(first.low)}</text>}
      {last !== undefined && <text class="bound" x={WIDTH - MARGIN} y={HEIGHT - 6} text-anchor="end">{edge(last.high)}</text>}
    </svg>
  );
}
