// The bins of a Pco chunk: expected and actual frequencies.
import { useMemo, useState } from 'preact/hooks';
import type { Structure } from 'unspool/inspect';
import { useAnswer } from '../tools/answer';
import { NumberField } from '../tools/number-field';
import type { OpenFile } from '../client';
import { percent } from '../format';
import { chunksOf, endsOf } from '../formats/pco-bins';
import { RowTable, useList } from '../data/rows';
import { codec as text } from '../words';

const [WIDTH, HEIGHT, MARGIN] = [560, 140, 8];

/** The column of counts, which a truncated file lacks. */
const COUNTED = 6;

export function PcoBins({ file, structure }: { readonly file: OpenFile; readonly structure: Structure }) {
  const chunks = useMemo(() => chunksOf(structure), [structure]);
  const [at, setAt] = useState(0);
  const [which, setWhich] = useState(0);
  const chunk = chunks[Math.min(at, chunks.length - 1)];
  const variable = chunk?.variables[Math.min(which, chunk.variables.length - 1)];
  const { value: taken } = useAnswer(
    async () => (chunk === undefined || variable === undefined ? undefined : file.bins({ chunk: chunk.index, variable: variable.name })),
    [file, chunk, variable],
  );
  const rows = useList(variable?.bins ?? [], [variable]);
  if (chunk === undefined || variable === undefined || variable.bins.length === 0) return null;
  const { bins, total } = variable;
  // A truncated file has no whole chunk to count in.
  const counts = taken?.length === bins.length ? taken : undefined;
  const all = counts?.reduce((sum, count) => sum + count, 0) ?? 0;
  const bits = bins.reduce((sum, { weight, offsetBits }) => sum + (weight / total) * (Math.log2(total / weight) + offsetBits), 0);
  const heads = text.binHeads.filter((_, at) => at !== COUNTED || counts !== undefined);
  return (
    <section class="inside" aria-label={text.label} data-jump={text.bins} tabIndex={-1}>
      <div class="heading">
        <h2>{text.bins}</h2>
        {chunks.length > 1 && (
          <label>
            {text.chunk}{' '}
            <NumberField label={text.chunkLabel} min={0} max={chunks.length - 1} value={at} onValue={setAt} /> {text.ofChunks(chunks.length)}
          </label>
        )}
        {chunk.variables.length > 1 && (
          <label>
            {text.variable}{' '}
            <select aria-label={text.variableLabel} value={which} onChange={({ currentTarget }) => setWhich(Number(currentTarget.value))}>
              {chunk.variables.map(({ name }, at) => <option key={at} value={at}>{name}</option>)}
            </select>
          </label>
        )}
        <p class="facts">
          {text.chunkIs(chunk.count, chunk.dtype, chunk.mode, chunk.delta, chunk.order)}{text.binsAre(bins.length, bits.toFixed(2))}
        </p>
      </div>
      <Chart weights={bins.map(({ weight }) => weight / total)} shares={counts && Array.from(counts, (count) => count / Math.max(1, all))} />
      <p class="fine">
        {text.binsCaption(counts !== undefined)}
      </p>
      <RowTable
        rows={rows}
        label={text.bins}
        heads={heads.map((name) => ({ name }))}
        cells={(bin, at) => {
          const [low, high] = endsOf(chunk, variable, bin);
          const held = counts?.[at] ?? 0;
          return (
            <>
              <th scope="row">{at}</th><td>{low}</td><td>{high}</td><td>{bin.offsetBits}</td><td>{text.weight(bin.weight, total)}</td>
              <td>{percent(bin.weight, total)}</td>{counts !== undefined && <td>{text.held(percent(held, all), held)}</td>}
              <td>{(Math.log2(total / bin.weight) + bin.offsetBits).toFixed(2)}</td>
            </>
          );
        }}
      />
    </section>
  );
}

/** Draws weights as bars, and shares of the data as lines across them. */
function Chart({ weights, shares }: { readonly weights: readonly number[]; readonly shares: readonly number[] | undefined }) {
  const most = Math.max(...weights, ...(shares ?? []));
  const step = (WIDTH - 2 * MARGIN) / weights.length;
  const y = (share: number): number => HEIGHT - MARGIN - (share / most) * (HEIGHT - 2 * MARGIN);
  const gap = Math.min(2, step * 0.2);
  return (
    <svg class="plot" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text.binsChart(weights.length, shares !== undefined)}>
      {weights.map((weight, at) => (
        <g key={at}>
          <rect class="stick" x={MARGIN + at * step + gap / 2} width={Math.max(0.5, step - gap)} y={y(weight)} height={HEIGHT - MARGIN - y(weight)}>
            <title>{text.bin(at, (100 * weight).toFixed(2), shares && (100 * (shares[at] ?? 0)).toFixed(2))}</title>
          </rect>
          {shares !== undefined && <line class="measured" x1={MARGIN + at * step} x2={MARGIN + (at + 1) * step} y1={y(shares[at] ?? 0)} y2={y(shares[at] ?? 0)} />}
        </g>
      ))}
    </svg>
  );
}
