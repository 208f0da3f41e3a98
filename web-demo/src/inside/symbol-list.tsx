// The symbols of a block or a stream: each leads to its bits, and to the content that it decodes
// to.
import { useContext, useMemo } from 'preact/hooks';
import { count } from '../format';
import { RowTable, useRows } from '../data/rows';
import { Refused } from '../tools/refused';
import { Going } from '../trace/going';
import type { Bits } from '../trace/tracer';
import { symbolList as text } from '../words';
import './symbols.css';

/** A symbol as a row. */
export interface Line {
  readonly bits: Bits;
  /** The byte of the content at which it starts. */
  readonly place: number;
  readonly name: string;
  /** Cost in bits. */
  readonly cost: string;
}

interface Props {
  readonly label: string;
  readonly total: number;
  /** Reads symbols. */
  readonly read: (start: number, end: number) => Promise<readonly Line[]>;
  /** True if the content is shown. */
  readonly hasContent: boolean;
  /** What the list is of; another one starts at its top. */
  readonly of: readonly unknown[];
}

/** Symbols that one request reads, and requests whose results are kept. */
const [READ, KEPT] = [1024, 8];

export function SymbolList({ label, total, read, hasContent, of }: Props) {
  const { showBits, showValue } = useContext(Going);
  const get = useMemo(() => inPages(read, total), of);
  const rows = useRows(total, get, of);
  return (
    <>
      <Refused what={text.failed} error={rows.error} onRetry={rows.again} />
      <RowTable
        rows={rows}
        label={label}
        heads={text.heads.slice(0, hasContent ? 6 : 5).map((name, at) => ({ name, kind: at === 2 ? ('text' as const) : undefined }))}
        cells={({ bits, place, name, cost }, at) => (
          <>
            <th scope="row">{count(at)}</th>
            <td>{count(place)}</td>
            <td class="text">{name}</td>
            <td>{cost}</td>
            <td><button type="button" aria-label={text.bitsOf(at)} onClick={() => showBits(bits)}>{text.bits}</button></td>
            {hasContent && <td><button type="button" aria-label={text.contentOf(at)} onClick={() => showValue({ column: 0, row: place, place: 0 })}>{text.content}</button></td>}
          </>
        )}
      />
    </>
  );
}

/** Reads large pages, keeps the last few, and returns rows of them. */
function inPages(read: Props['read'], total: number): Props['read'] {
  const kept = new Map<number, Promise<readonly Line[]>>();
  const page = (number: number): Promise<readonly Line[]> => {
    const known = kept.get(number);
    const lines = known ?? read(number * READ, Math.min(total, (number + 1) * READ));
    // The last one used is the last to go.
    kept.delete(number);
    kept.set(number, lines);
    lines.catch(() => kept.delete(number));
    for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    return lines;
  };
  return async (start, end) => {
    const pages = [];
    for (let number = Math.floor(start / READ); number * READ < end; number++) pages.push(await page(number));
    const from = Math.floor(start / READ) * READ;
    return pages.flat().slice(start - from, end - from);
  };
}
