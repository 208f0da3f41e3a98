// Tools for all vectors of a column: neighbours of a row, a map of a sample, and odd rows.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Care, OpenFile } from '../client';
import { count, percent, reasonOf } from '../format';
import { Cancel, useJob } from '../tools/cancel';
import { Refused } from '../tools/refused';
import type { Neighbour, OddRows, Projected } from '../values';
import { vectors as words } from '../words';
import './vectors.css';

interface Props {
  readonly file: OpenFile;
  readonly column: number;
  /** Number of rows. */
  readonly rows: number;
  /** The selected row. */
  readonly chosen: number;
  readonly onRow: (row: number) => void;
}

/** Neighbours that are listed. */
const MOST = 20;

type Found =
  | { readonly kind: 'near'; readonly row: number; readonly neighbours: readonly Neighbour[] | undefined }
  | { readonly kind: 'plane'; readonly plane: Projected }
  | { readonly kind: 'odd'; readonly odd: OddRows };

export function Vectors({ file, column, rows, chosen, onRow }: Props) {
  const job = useJob();
  const [doing, setDoing] = useState<Found['kind']>('near');
  const [found, setFound] = useState<Found>();
  const [problem, setProblem] = useState('');
  const run = (kind: Found['kind'], work: (care: Required<Care>) => Promise<Found>): void => {
    if (job.going) return;
    setDoing(kind);
    setProblem('');
    void job.run(async (care) => setFound(await work(care))).catch((error: unknown) => setProblem(reasonOf(error)));
  };
  const tools: Readonly<Record<Found['kind'], readonly [name: string, run: () => void]>> = {
    near: [words.neighboursOf(chosen), () => run('near', async (care) => ({ kind: 'near', row: chosen, neighbours: await file.neighbours(column, chosen, MOST, care) }))],
    plane: [words.plane, () => run('plane', async (care) => ({ kind: 'plane', plane: await file.projected(column, care) }))],
    odd: [words.odd, () => run('odd', async (care) => ({ kind: 'odd', odd: await file.oddRows(column, care) }))],
  };
  return (
    <section class="vectors" aria-label={words.label}>
      <div class="controls">
        {Object.entries(tools).map(([kind, [name, run]]) => <button key={kind} type="button" aria-disabled={job.going} onClick={run}>{name}</button>)}
        <Cancel job={job} what={words.jobs[doing]} />
      </div>
      <Refused what={words.failed} error={problem} onRetry={tools[doing][1]} />
      {found?.kind === 'near' && <Neighbours row={found.row} neighbours={found.neighbours} onRow={onRow} />}
      {found?.kind === 'plane' && <Plane plane={found.plane} rows={rows} chosen={chosen} onRow={onRow} />}
      {found?.kind === 'odd' && <Odd odd={found.odd} onRow={onRow} />}
    </section>
  );
}

function Row({ row, onRow, children }: { readonly row: number; readonly onRow: (row: number) => void; readonly children?: ComponentChildren }) {
  return <button type="button" class="row-link" aria-label={words.showRow(row)} onClick={() => onRow(row)}>{count(row)}{children}</button>;
}

interface NeighboursProps {
  readonly row: number;
  readonly neighbours: readonly Neighbour[] | undefined;
  readonly onRow: (row: number) => void;
}

function Neighbours({ row, neighbours, onRow }: NeighboursProps) {
  const title = words.neighboursOf(row);
  if (neighbours === undefined || neighbours.length === 0) return <p class="facts" role="status">{neighbours === undefined ? words.noDirection(row) : words.noNeighbours}</p>;
  return (
    <div class="table" tabIndex={0} role="region" aria-label={title}>
      <table aria-label={title}>
        <thead>
          <tr>{words.neighbourHeads.map((name) => <th key={name} scope="col">{name}</th>)}</tr>
        </thead>
        <tbody>
          {neighbours.map(({ row, cosine }) => (
            <tr key={row} onClick={() => onRow(row)}>
              <th scope="row"><Row row={row} onRow={onRow} /></th>
              <td>{cosine.toFixed(4)}</td>
              <td class="bar-cell"><span style={{ width: `${100 * Math.max(0, cosine)}%` }} /></td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Size of the drawing, and space around the points. */
const [WIDTH, HEIGHT, MARGIN] = [560, 360, 10];

interface PlaneProps {
  readonly plane: Projected;
  readonly rows: number;
  readonly chosen: number;
  readonly onRow: (row: number) => void;
}

/** Draws the sample as points; a click leads to the row. */
function Plane({ plane: { rows, x, y, explained }, rows: total, chosen, onRow }: PlaneProps) {
  const [low, high] = [[x, y].map((all) => all.reduce((least, number) => Math.min(least, number), Infinity)), [x, y].map((all) => all.reduce((most, number) => Math.max(most, number), -Infinity))];
  const place = (number: number, axis: number, size: number): number => MARGIN + ((number - (low[axis] ?? 0)) / ((high[axis] ?? 0) - (low[axis] ?? 0) || 1)) * (size - 2 * MARGIN);
  const caption = words.planeIs(rows.length, total, percent(explained[0], 1), percent(explained[1], 1));
  const point = (at: number) => ({ cx: place(x[at] ?? 0, 0, WIDTH), cy: HEIGHT - place(y[at] ?? 0, 1, HEIGHT) });
  const marked = rows.indexOf(chosen);
  return (
    <figure class="plane">
      <svg
        class="plot"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={caption}
        onClick={({ target }) => target instanceof Element && target.hasAttribute('data-row') && onRow(Number(target.getAttribute('data-row')))}
      >
        {rows.map((row, at) => <circle key={row} data-row={row} r={3} {...point(at)}><title>{words.point(row)}</title></circle>)}
        {marked >= 0 && <circle class="chosen" r={6} {...point(marked)} />}
      </svg>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

/** Rows of a kind that are listed at first. */
const LISTED = 24;

function Odd({ odd: { checked, zeroRows, zeros, nanRows, nans, duplicateRows, duplicates }, onRow }: { readonly odd: OddRows; readonly onRow: (row: number) => void }) {
  const kinds: readonly (readonly [title: string, all: number, rows: readonly (readonly [row: number, first?: number])[]])[] = [
    [words.zeros(zeroRows), zeroRows, zeros.map((row) => [row])],
    [words.nans(nanRows), nanRows, nans.map((row) => [row])],
    [words.duplicates(duplicateRows), duplicateRows, duplicates],
  ];
  return (
    <section aria-label={words.oddTitle}>
      <p class="facts" role="status">{words.oddIs(checked)}</p>
      <ul class="odd">
        {kinds.map(([title, all, rows]) => (
          <li key={title}>
            <strong>{title}</strong>
            {rows.slice(0, LISTED).map(([row, first]) => <Row key={row} row={row} onRow={onRow}>{first !== undefined && ` ${words.repeats(first)}`}</Row>)}
            {all > LISTED && <span class="fine">{words.more(all - LISTED)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
