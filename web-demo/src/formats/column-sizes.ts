// Stored size of each column.
import type { Report } from '../model';
import { sharesOf } from './ratios';

/** Returns the stored bytes of each column; `undefined` for a column whose size is unknown. */
export function columnSizes(report: Report): (number | undefined)[] {
  const { summary } = report;
  const { table } = summary ?? {};
  if (table !== undefined) {
    const { blocks, groupCount, lengths, columns } = table;
    // Blocks that are compressed as one have no sizes.
    if (blocks === undefined) return columns.map(() => undefined);
    return columns.map((_, column) => Array.from({ length: groupCount }, (_, group) => lengths[group * columns.length + column] ?? 0).reduce((sum, length) => sum + length, 0));
  }
  if (report.format !== 'cvc') return (summary?.columns ?? []).map(() => undefined);
  const shares = sharesOf(report);
  return (summary?.columns ?? []).map(({ name }) => shares.find((share) => share.name === name)?.bytes);
}
