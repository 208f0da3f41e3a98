// Zone maps: the bounds of each row group, and which groups a query needed.
import { useMemo, useState } from 'preact/hooks';
import { bytes, count, value } from '../format';
import { shareOf } from '../data/chart';
import { RowTable, useList } from '../data/rows';
import type { At1Columns, Condition, Fate } from '../values';
import { query as text } from '../words';
import './zone-maps.css';

const [WIDTH, HEIGHT, MARGIN] = [760, 120, 8];
/** Maximum number of bars; more groups share bars. */
const BARS = 240;

/** The fates of a group in words. */
const FATES: readonly (readonly [name: string, words: string])[] = [['unneeded', text.fates.unneeded], ['skipped', text.fates.skipped], ['read', text.fates.read]];

interface Props {
  readonly table: At1Columns;
  readonly groups: readonly Fate[];
  readonly conditions: readonly Condition[];
}

export function ZoneMaps({ table, groups, conditions }: Props) {
  const numeric = table.columns.flatMap(({ type }, at) => (type === 'text' ? [] : [at]));
  const asked = conditions.find(({ column }) => numeric.includes(column))?.column;
  const [picked, setPicked] = useState<number>();
  const [listed, list] = useState(false);
  const column = picked ?? asked ?? numeric[0];
  const columns = table.columns.length;
  const low = (group: number): number => (column === undefined ? NaN : (table.low[group * columns + column] ?? NaN));
  const high = (group: number): number => (column === undefined ? NaN : (table.high[group * columns + column] ?? NaN));
  const fate = (group: number): (typeof FATES)[number] => FATES[groups[group] ?? 0] ?? ['unneeded', text.fates.unneeded];
  return (
    <section class="zones" aria-label={text.zones}>
      <div class="fates">
        <h3>{text.groups}</h3>
        {numeric.length > 0 && (
          <label>
            {text.zonesOf}{' '}
            <select aria-label={text.zonesOfLabel} value={column} onChange={({ currentTarget }) => setPicked(Number(currentTarget.value))}>
              {numeric.map((at) => <option key={at} value={at}>{table.columns[at]?.name}</option>)}
            </select>
          </label>
        )}
        {[...FATES].reverse().map(([name, words]) => <span key={name} class={`fate ${name}`}>{words}</span>)}
      </div>
      <Chart groups={groups} low={low} high={high} condition={conditions.find((condition) => condition.column === column && condition.test === 'between')} />
      <details open={listed} onToggle={({ currentTarget }) => list(currentTarget.open)}>
        <summary>{text.allGroups(groups.length)}</summary>
        {listed && <Groups table={table} low={low} high={high} fate={fate} />}
      </details>
    </section>
  );
}

interface GroupsProps {
  readonly table: At1Columns;
  readonly low: (group: number) => number;
  readonly high: (group: number) => number;
  readonly fate: (group: number) => (typeof FATES)[number];
}

/** A row for each group. */
function Groups({ table, low, high, fate }: GroupsProps) {
  const { groupCount, lengths, rowsPerGroup } = table;
  const columns = table.columns.length;
  const rows = useList(useMemo(() => Array.from({ length: groupCount }, (_, at) => at), [groupCount]), [table]);
  const size = (group: number): number => lengths.subarray(group * columns, (group + 1) * columns).reduce((sum, length) => sum + length, 0);
  const bound = (number: number): string => (Number.isNaN(number) ? '–' : value(number));
  return (
    <RowTable
      rows={rows}
      label={text.groups}
      heads={text.groupHeads.map((name) => ({ name }))}
      cells={(group) => (
        <>
          <th scope="row">{count(group)}</th>
          <td>{count(Math.min(rowsPerGroup, table.rowCount - group * rowsPerGroup))}</td>
          <td>{bytes(size(group))}</td>
          <td>{bound(low(group))}</td>
          <td>{bound(high(group))}</td>
          <td>{fate(group)[1]}</td>
        </>
      )}
    />
  );
}

interface ChartProps {
  readonly groups: readonly Fate[];
  readonly low: (group: number) => number;
  readonly high: (group: number) => number;
  readonly condition: Condition | undefined;
}

/** A bar for each group from its lower to its upper bound, crossed by the condition. */
function Chart({ groups, low, high, condition }: ChartProps) {
  const share = Math.max(1, Math.ceil(groups.length / BARS));
  const bars = Array.from({ length: Math.ceil(groups.length / share) }, (_, at) => {
    const [start, end] = [at * share, Math.min(groups.length, (at + 1) * share)];
    let [bottom, top, fate]: [number, number, number] = [Infinity, -Infinity, 0];
    for (let group = start; group < end; group++) {
      if (Number.isFinite(low(group))) bottom = Math.min(bottom, low(group));
      if (Number.isFinite(high(group))) top = Math.max(top, high(group));
      fate = Math.max(fate, groups[group] ?? 0);
    }
    return { start, end, bottom, top, fate };
  });
  const bottom = bars.reduce((least, bar) => Math.min(least, bar.bottom), Infinity);
  const top = bars.reduce((most, bar) => Math.max(most, bar.top), -Infinity);
  const mapped = bottom <= top;
  const room = HEIGHT - 2 * MARGIN;
  const y = (number: number): number => MARGIN + (mapped ? 1 - Math.min(1, Math.max(0, shareOf(number, bottom, top))) : 0) * room;
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, bars.length);
  const bound = (text: string, otherwise: number): number => (text.trim() === '' || Number.isNaN(Number(text)) ? otherwise : Number(text));
  const [from, to] = [bound(condition?.from ?? '', bottom), bound(condition?.to ?? '', top)];
  return (
    <>
      <svg class="plot zone-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text.zoneChart(groups.length, mapped ? value(bottom) : undefined, mapped ? value(top) : undefined)}>
        {mapped && condition !== undefined && from <= to && (
          <rect class="wanted" x={MARGIN} width={WIDTH - 2 * MARGIN} y={y(to) - 1} height={Math.max(2, y(from) - y(to) + 2)} />
        )}
        {bars.map((bar, at) => {
          const [name, words] = FATES[bar.fate] ?? ['', ''];
          const span = bar.bottom <= bar.top;
          const [head, foot] = span ? [y(bar.top), y(bar.bottom)] : [MARGIN, HEIGHT - MARGIN];
          const height = Math.max(3, foot - head);
          const which = bar.end - bar.start === 1 ? text.group(bar.start) : text.groupsFrom(bar.start, bar.end - 1);
          return (
            <rect
              key={at}
              class={`zone ${name}`}
              x={MARGIN + at * step}
              width={Math.max(1, Math.min(40, step - Math.min(3, step * 0.2)))}
              y={Math.min(head, HEIGHT - MARGIN - height)}
              height={height}
            >
              <title>{text.zone(which, span ? text.zoneRange(value(bar.bottom), value(bar.top)) : '', words)}</title>
            </rect>
          );
        })}
      </svg>
      {mapped && <p class="fine">{text.zoneCaption(value(bottom), value(top))}</p>}
    </>
  );
}
