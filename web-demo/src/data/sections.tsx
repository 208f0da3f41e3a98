// Named ranges of rows.
import { RowTable, useList } from './rows';
import { count, visible } from '../format';
import type { Summary } from '../model';
import { data } from '../words';

interface Props {
  readonly sections: NonNullable<Summary['sections']>;
  readonly onRow: (row: number) => void;
}

export function Sections({ sections, onRow }: Props) {
  const rows = useList(sections, [sections]);
  if (sections.length === 0) return null;
  return (
    <details class="sections">
      <summary>{data.sectionsTitle(sections.length)}</summary>
      <RowTable
        rows={rows}
        label={data.sections}
        heads={[{ name: data.sectionHeads.section }, { name: data.sectionHeads.rows }, { name: data.sectionHeads.note, kind: 'text' }]}
        onRow={(at) => onRow(sections[at]?.start ?? 0)}
        cells={({ start, end, note }, at) => (
          <>
            <th scope="row">
              <button type="button" aria-label={data.showSection(at)} onClick={() => onRow(start)}>{count(at)}</button>
            </th>
            <td>{data.rowRange(start, end)}</td>
            <td class="text">{visible(note)}</td>
          </>
        )}
      />
    </details>
  );
}
