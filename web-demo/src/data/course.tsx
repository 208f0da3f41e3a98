// The values of a column in order, as a curve to zoom into.
import { useEffect, useState } from 'preact/hooks';
import { noteInAddress, parametersHere } from '../arrive/address';
import type { OpenFile } from '../client';
import { apart } from '../format';
import { useAnswer } from '../tools/answer';
import { Cancel, useJob } from '../tools/cancel';
import { Refused } from '../tools/refused';
import type { Curve } from '../values';
import { boundsOf, Chart, marksOf, rangeOf } from './chart';
import { data, statistics as words } from '../words';

interface Props {
  readonly file: OpenFile;
  readonly column: number;
  /** The curve of all rows. */
  readonly all: Curve;
  /** Word for one of its numbers. */
  readonly named: 'value' | 'norm';
  /** Caption of the curve. */
  readonly what: string;
  readonly onRow: (row: number) => void;
}

/** Minimum number of rows to zoom into. */
const FEWEST = 16;

/** Returns the rows named in the address, or all rows. */
function notedPart(total: number): readonly [start: number, end: number] {
  const [start = NaN, end = NaN] = (parametersHere().get('part') ?? '').split('-').map(Number);
  return Number.isSafeInteger(start) && start >= 0 && end <= total && end - start >= FEWEST ? [start, Math.floor(end)] : [0, total];
}

export function Course({ file, column, all, named, what, onRow }: Props) {
  const job = useJob();
  const total = all.end;
  const [[start, end], look] = useState(() => notedPart(total));
  const [pointed, point] = useState('');
  const whole = end - start === total;
  useEffect(() => noteInAddress({ part: whole ? undefined : `${start}-${end}` }), [start, end]);
  const { value: part, error, again } = useAnswer(
    (gone) => new Promise<Curve>((resolve, reject) => {
      if (whole) return resolve(all);
      gone.addEventListener('abort', job.cancel);
      void job.run(async (care) => {
        // If the visitor cancels, return to the curve in sight.
        care.signal.addEventListener('abort', () => gone.aborted || look([drawn.start, drawn.end]));
        await file.curve({ column, start, end }, care).then(resolve, reject);
      });
    }),
    [file, column, all, start, end],
  );
  const drawn = part ?? all;
  useEffect(() => point(''), [drawn]);

  /** Shows this many rows around a centre, within the column. */
  const around = (middle: number, rows: number): void => {
    const wanted = Math.min(total, Math.max(Math.min(FEWEST, total), Math.round(rows)));
    const from = Math.max(0, Math.min(total - wanted, Math.round(middle - wanted / 2)));
    look([from, from + wanted]);
  };
  const [rows, middle] = [end - start, (start + end) / 2];
  const moves = [
    [words.panLeft, '←', start > 0, () => around(middle - rows / 2, rows)],
    [words.panRight, '→', end < total, () => around(middle + rows / 2, rows)],
    [words.zoomIn, '+', rows > FEWEST, () => around(middle, rows / 4)],
    [words.zoomOut, '−', !whole, () => around(middle, rows * 4)],
    [words.showAll, 'all', !whole, () => look([0, total])],
  ] as const;
  const [bottom, top] = boundsOf(drawn);
  const which = drawn.end - drawn.start === total ? words.all(total, named) : (named === 'norm' ? words.someNorms : words.someValues)(drawn.start, drawn.end - 1);
  return (
    <figure>
      <Chart
        curve={drawn}
        label={words.curve(which, rangeOf(bottom, top, apart(marksOf(drawn))))}
        onPoint={point}
        onRow={onRow}
        onRows={(from, to) => around((from + to) / 2, to - from)}
      />
      <figcaption class="course">
        <span class="moves" role="group" aria-label={words.moves}>
          {moves.map(([name, sign, possible, move]) => (
            <button key={name} type="button" aria-label={name} title={name} aria-disabled={!possible} onClick={() => possible && move()}>{sign}</button>
          ))}
        </span>
        <span>
          {error !== '' ? <Refused what={words.drawFailed} error={error} onRetry={again} /> : pointed !== '' ? pointed : drawn.end - drawn.start === total ? what : data.rowsFrom(drawn.start, drawn.end - 1)}
        </span>
        <Cancel job={job} what={words.drawJob} />
      </figcaption>
    </figure>
  );
}
