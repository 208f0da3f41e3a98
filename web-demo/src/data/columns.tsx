// The columns of a file: searched by name, with type, size and a drawing of their first values.
import { useMemo, useState } from 'preact/hooks';
import { bytes, count, percent, value, visible } from '../format';
import { columnSizes } from '../formats/column-sizes';
import type { Report } from '../model';
import { usePieces } from '../tools/pieces';
import { columns as words } from '../words';
import { RowTable, useList } from './rows';
import './columns.css';

/** A column in the list. */
export interface Listed {
  readonly name: string;
  readonly type: string;
  /** Values per row. */
  readonly dimension: number;
  /** Stored bytes, if known. */
  readonly stored: number | undefined;
}

interface Props {
  readonly columns: readonly Listed[];
  /** Size of the file. */
  readonly size: number;
  /** The column shown, or -1. */
  readonly picked: number;
  readonly onPick: (column: number) => void;
  /** Reads the first numbers of a column; returns none for text. */
  readonly first: (column: number) => Promise<readonly number[]>;
}

/** The columns of numbers of a file. */
export function NumberColumns({ report, ...props }: Omit<Props, 'columns' | 'size'> & { readonly report: Report }) {
  const columns = useMemo(() => {
    const sizes = columnSizes(report);
    return (report.summary?.columns ?? []).map(({ name, dtype, dimension }, at) => ({ name, type: dtype, dimension, stored: sizes[at] }));
  }, [report]);
  return <Columns {...props} columns={columns} size={report.size} />;
}

/** Columns that need no search. */
const FEW = 8;

export function Columns({ columns, size, picked, onPick, first }: Props) {
  const [wanted, setWanted] = useState('');
  const found = useMemo(() => {
    const text = wanted.trim().toLowerCase();
    return columns.map((_, at) => at).filter((at) => [columns[at]?.name, columns[at]?.type].some((words) => words?.toLowerCase().includes(text)));
  }, [columns, wanted]);
  const rows = useList(found, [found]);
  const { lines } = rows;
  // Drawings of the columns in sight, one piece each.
  const sparks = usePieces(async (at) => first(found[at] ?? 0), lines.first, lines.last - 1, [columns, found]);
  const vectors = columns.some(({ dimension }) => dimension > 1);
  const known = columns.some(({ stored }) => stored !== undefined);
  const { heads } = words;
  return (
    <div class="column-list">
      <div class="heading">
        <h3>{words.title(columns.length)}</h3>
        {columns.length > FEW && (
          <label class="search">
            {words.search} <input type="search" placeholder={words.hint} value={wanted} onInput={({ currentTarget }) => setWanted(currentTarget.value)} />
          </label>
        )}
        {wanted !== '' && <p class="facts" role="status">{words.found(found.length, columns.length)}</p>}
      </div>
      {found.length === 0 && <p class="facts">{words.none}</p>}
      <RowTable
        rows={rows}
        label={words.label}
        heads={[
          { name: heads.name, kind: 'text' }, { name: heads.type, kind: 'text' }, ...(vectors ? [{ name: heads.dimension }] : []),
          ...(known ? [{ name: heads.stored }, { name: heads.share }] : []), { name: heads.values, kind: 'text' },
        ]}
        chosen={found.indexOf(picked)}
        onRow={(at) => onPick(found[at] ?? 0)}
        cells={(column, at) => {
          const { name, type, dimension, stored } = columns[column] ?? { name: '', type: '', dimension: 1, stored: undefined };
          return (
            <>
              <th scope="row" class="text">
                <button type="button" aria-label={words.show(visible(name))} aria-pressed={column === picked} onClick={() => onPick(column)}>{visible(name)}</button>
              </th>
              <td class="text">{type}</td>
              {vectors && <td>{count(dimension)}</td>}
              {known && <td>{stored === undefined ? '–' : bytes(stored)}</td>}
              {known && <td class="bar-cell">{stored !== undefined && <><span style={{ width: `${(100 * stored) / Math.max(1, size)}%` }} />{percent(stored, size)}</>}</td>}
              <td class="text"><Spark numbers={sparks.get(at)?.here ?? []} /></td>
            </>
          );
        }}
      />
    </div>
  );
}

const [WIDTH, HEIGHT] = [120, 20];

/** Draws numbers as a line. */
function Spark({ numbers }: { readonly numbers: readonly number[] }) {
  const finite = numbers.filter(Number.isFinite);
  if (finite.length < 2) return null;
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const y = (number: number): number => (high > low ? HEIGHT - 2 - ((number - low) / (high - low)) * (HEIGHT - 4) : HEIGHT / 2);
  const points = numbers.map((number, at) => (Number.isFinite(number) ? `${((at * WIDTH) / (numbers.length - 1)).toFixed(1)},${y(number).toFixed(1)}` : '')).join(' ');
  return (
    <svg class="spark" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words.spark(value(low), value(high), numbers.length)}>
      <polyline points={points} />
    </svg>
  );
}
