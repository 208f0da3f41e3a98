// Named ranges of rows.
import { RowTable, useList } from './rows';
import { count, plural, visible } from '../format';
import type { Summary } from '../model';

interface Props {
  readonly sections: NonNullable<Summary['sections']>;
  readonly onRow: (row: number) => void;
}

export function Sections({ sections, onRow }: Props) {
  const rows = useList(sections, [sections]);
  if (sections.length === 0) return null;
  return (
    <details class="sections">
      <summary>{plural(sections.length, 'section')} of rows, named by the writer</summary>
      <RowTable
        rows={rows}
        label="Sections"
        heads={[{ name: 'section' }, { name: 'rows' }, { name: 'metadata', kind: 'text' }]}
        onRow={(at) => onRow(sections[at]?.start ?? 0)}
        cells={({ start, end, note }, at) => (
          <>
            <th scope="row">
              <button type="button" aria-label={`Show the rows of section ${at}`} onClick={() => onRow(start)}>{count(at)}</button>
            </th>
            <td>{end > start ? `${count(start)} to ${count(end - 1)}` : 'none'}</td>
            <td class="text">{visible(note)}</td>
          </>
        )}
      />
    </details>
  );
}
