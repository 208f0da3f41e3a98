// The compression of each piece of the file.
import { useMemo } from 'preact/hooks';
import { bytes, count, percent } from '../format';
import { sharesOf } from '../formats/ratios';
import type { Report } from '../model';
import { RowTable, useList } from '../data/rows';

interface Props {
  readonly report: Report;
  readonly onPick: (node: number) => void;
}

export function Shares({ report, onPick }: Props) {
  const shares = useMemo(() => sharesOf(report), [report]);
  const rows = useList(shares, [shares]);
  if (shares.length < 2) return null;
  const pick = (at: number): void => {
    const { node } = shares[at] ?? { node: -1 };
    if (node >= 0) onPick(node);
  };
  return (
    <details class="shares">
      <summary>Show sizes by piece</summary>
      <RowTable
        rows={rows}
        label="Pieces of the file"
        heads={[{ name: 'piece', kind: 'text' }, { name: 'stored' }, { name: 'share' }, { name: 'decoded' }, { name: 'ratio' }]}
        onRow={pick}
        cells={({ node, name, bytes: size, decoded }, at) => (
          <>
            <th scope="row" class="text">
              {node < 0 ? name : <button type="button" aria-label={`Show ${name}, number ${count(at)}`} onClick={() => pick(at)}>{name}</button>}
            </th>
            <td>{bytes(size)}</td>
            <td>{percent(size, report.size)}</td>
            <td>{decoded > 0 ? bytes(decoded) : '–'}</td>
            <td>{decoded > 0 ? `${(decoded / size).toFixed(2)}×` : '–'}</td>
          </>
        )}
      />
    </details>
  );
}
