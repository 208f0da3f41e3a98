// AT-1 tables: the block of each column in the group of a row.
import { trace as words } from '../words';
import { bytesAsBits, type Found, type MakeTracer } from './tracer';

export const at1: MakeTracer = (_, report) => {
  const table = report.summary?.table;
  return {
    async pieces({ row }) {
      if (table?.blocks === undefined) return [];
      const { blocks, columns, rowsPerGroup } = table;
      const group = Math.floor(row / rowsPerGroup);
      return columns.map(({ name }, column) => {
        const block = group * columns.length + column;
        return { what: words.column(name), value: words.group(group, row - group * rowsPerGroup), bits: bytesAsBits(blocks.start[block] ?? 0, blocks.end[block] ?? 0) };
      });
    },
    async valuesAt(byte) {
      if (table?.blocks === undefined) return [];
      const { blocks, columns, rowCount, rowsPerGroup } = table;
      const found: Found[] = [];
      blocks.start.forEach((start, block) => {
        if (byte < start || byte >= (blocks.end[block] ?? 0)) return;
        const [group, column] = [Math.floor(block / columns.length), block % columns.length];
        const first = group * rowsPerGroup;
        found.push({ first: { column, row: first, place: 0 }, words: words.rowsOf(columns[column]?.name ?? '', first, Math.min(rowCount, first + rowsPerGroup) - 1) });
      });
      return found;
    },
  };
};
