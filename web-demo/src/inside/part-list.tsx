// The parts of a compressed file, such as blocks or chunks: a table to choose one from.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Care } from '../client';
import { RowTable, useList } from '../data/rows';
import type { Listed } from '../formats/symbols';
import type { Report } from '../model';
import { Cancel } from '../tools/cancel';
import { NumberField } from '../tools/number-field';
import { Refused } from '../tools/refused';
import { codec, inside } from '../words';
import { useListing } from './listing';

/** The words of a list. */
interface Words {
  readonly parts: string;
  readonly part: string;
  readonly partLabel: string;
  readonly partsAre: (parts: number) => string;
  readonly list: (size: number) => string;
  readonly job: string;
  readonly failed: string;
  readonly partHeads: readonly string[];
}

type PartOf<F extends Listed<unknown>> = F['parts'][number];

interface Props<F extends Listed<unknown>> {
  readonly text: Words;
  readonly report: Report;
  /** Lists the parts. That reads the whole file. */
  readonly ask: (care: Required<Care>) => Promise<F>;
  /** True if the list does not wait for the visitor. */
  readonly atOnce: boolean;
  readonly of: readonly unknown[];
  /** The cells of a row. */
  readonly cells: (part: PartOf<F>, at: number) => ComponentChildren;
  /** Shows the chosen part. */
  readonly children: (part: PartOf<F>, at: number, found: F) => ComponentChildren;
}

export function PartList<F extends Listed<unknown>>({ text, report, ask, atOnce, of, cells, children }: Props<F>) {
  const { found, error, job, list } = useListing(ask, atOnce, of);
  const [picked, pick] = useState(0);
  const parts: readonly PartOf<F>[] = found?.parts ?? [];
  const rows = useList(parts, [found]);
  const at = Math.min(picked, parts.length - 1);
  const part = parts[at];
  return (
    <section class="inside" aria-label={codec.label} data-jump={text.parts} tabIndex={-1}>
      <div class="heading">
        <h2>{text.parts}</h2>
        {parts.length > 1 && (
          <label>
            {text.part} <NumberField label={text.partLabel} min={0} max={parts.length - 1} value={at} onValue={pick} /> {inside.ofParts(parts.length)}
          </label>
        )}
        {found !== undefined && <p class="facts">{text.partsAre(parts.length)}{found.hasMore && inside.more}{found.broken && inside.broken}</p>}
      </div>
      {found === undefined && !job.going && <p><button type="button" onClick={list}>{text.list(report.size)}</button></p>}
      <Cancel job={job} what={text.job} />
      <Refused what={text.failed} error={error} onRetry={list} />
      <RowTable rows={rows} label={text.parts} heads={text.partHeads.map((name) => ({ name }))} chosen={at} onRow={pick} cells={cells} />
      {found !== undefined && part !== undefined && children(part, at, found)}
    </section>
  );
}
