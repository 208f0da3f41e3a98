// Where the bytes go: the size and compression of each column, chunk, block, stream or part, as
// areas and as a table to sort.
import { useMemo, useState } from 'preact/hooks';
import { RowTable, useList, type Head } from '../data/rows';
import { bytes, percent } from '../format';
import { sharesOf, type Share } from '../formats/ratios';
import type { Report } from '../model';
import { sizes as words } from '../words';
import { tilesOf } from './treemap';

interface Props {
  readonly report: Report;
  readonly onPick: (node: number) => void;
}

/** What the table is sorted by; pieces without it come last. */
const ORDERS = {
  piece: (_: Share, at: number) => at,
  stored: (share: Share) => share.bytes,
  share: (share: Share) => share.bytes,
  decoded: ({ decoded }: Share) => decoded || undefined,
  ratio: ({ decoded, bytes }: Share) => (decoded > 0 ? decoded / bytes : undefined),
  bits: ({ values, bytes }: Share) => (values > 0 ? (8 * bytes) / values : undefined),
} as const;
type Order = keyof typeof ORDERS;

export function Sizes({ report, onPick }: Props) {
  const shares = useMemo(() => sharesOf(report), [report]);
  const [[by, descending], sortBy] = useState<readonly [Order, boolean]>(['stored', true]);
  const sorted = useMemo(() => {
    const keys = shares.map((share, at): readonly [number, number | undefined] => [at, ORDERS[by](share, at)]);
    keys.sort(([a, one], [b, other]) => (one === undefined || other === undefined ? Number(one === undefined) - Number(other === undefined) : descending ? other - one : one - other) || a - b);
    return keys.map(([at]) => at);
  }, [shares, by, descending]);
  const rows = useList(sorted, [sorted]);
  if (shares.length < 2) return null;
  const pick = (at: number): void => {
    const node = shares[at]?.node ?? -1;
    if (node >= 0) onPick(node);
  };
  const unknown = shares.reduce((sum, { decoded, bytes }) => sum + (decoded > 0 ? -bytes : bytes), 0);
  // Nothing is said about ratios if most bytes have none.
  const known = { decoded: unknown < 0, bits: shares.some(({ values }) => values > 0) };
  const shown = (Object.keys(ORDERS) as Order[]).filter((order) => (order === 'ratio' || order === 'decoded' ? known.decoded : order === 'bits' ? known.bits : true));
  const heads = shown.map((order): Head => ({
    name: words.pieceHeads[order],
    kind: order === 'piece' ? 'text' : undefined,
    order: order === by ? (descending ? 'descending' : 'ascending') : 'none',
    // Numbers start with the largest, pieces in the order of the file.
    onSort: () => sortBy([order, order === by ? !descending : order !== 'piece']),
  }));
  return (
    <section class="sizes" aria-label={words.title} data-jump={words.title}>
      <h2>{words.title}</h2>
      <Treemap shares={shares} size={report.size} onPick={pick} />
      {known.decoded && <p class="fine">{words.mapCaption}</p>}
      <div class="shares">
        <RowTable
          rows={rows}
          label={words.pieces}
          heads={heads}
          onRow={(row) => pick(sorted[row] ?? -1)}
          cells={(at) => {
            const { node, name, bytes: size, decoded, values } = shares[at] ?? { node: -1, name: '', bytes: 0, decoded: 0, values: 0 };
            return (
              <>
                <th scope="row" class="text">
                  {node < 0 ? name : <button type="button" aria-label={words.showPiece(name, at)} onClick={() => pick(at)}>{name}</button>}
                </th>
                <td>{bytes(size)}</td>
                <td class="bar-cell"><span style={{ width: `${(100 * size) / Math.max(1, report.size)}%` }} />{percent(size, report.size)}</td>
                {known.decoded && <td>{decoded > 0 ? bytes(decoded) : '–'}</td>}
                {known.decoded && <td>{decoded > 0 ? `${(decoded / size).toFixed(2)}×` : '–'}</td>}
                {known.bits && <td>{values > 0 ? ((8 * size) / values).toFixed(2) : '–'}</td>}
              </>
            );
          }}
        />
      </div>
    </section>
  );
}

/** Maximum number of tiles that differ visibly; the last one is the rest. */
const MOST = 160;
/** Size of the box in which tiles are placed; only their shares matter. */
const [WIDTH, HEIGHT] = [1000, 260];

function Treemap({ shares, size, onPick }: { readonly shares: readonly Share[]; readonly size: number; readonly onPick: (at: number) => void }) {
  const order = useMemo(() => shares.map((_, at) => at).sort((a, b) => (shares[b]?.bytes ?? 0) - (shares[a]?.bytes ?? 0)), [shares]);
  const tiles = useMemo(() => {
    const list = order.slice(0, MOST).map((at) => shares[at]?.bytes ?? 0);
    const rest = order.slice(MOST).reduce((sum, at) => sum + (shares[at]?.bytes ?? 0), 0);
    return tilesOf(rest > 0 ? [...list, rest] : list, WIDTH, HEIGHT);
  }, [shares, order]);
  return (
    <div class="treemap" role="img" aria-label={words.map(shares.length)}>
      {tiles.map(({ at, x, y, width, height }) => {
        const share = at < MOST ? shares[order[at] ?? 0] : undefined;
        const name = share?.name ?? words.rest(order.length - MOST);
        const ratio = share !== undefined && share.decoded > 0 ? share.decoded / share.bytes : undefined;
        // From 1× or worse to 4× or better.
        const deep = ratio === undefined ? 0.45 : 1 - Math.min(1, Math.max(0, Math.log2(Math.max(ratio, 1)) / 2));
        return (
          <span
            key={at}
            title={words.piece(name, share?.bytes ?? 0, percent(share?.bytes ?? 0, size), ratio === undefined ? '' : `${ratio.toFixed(2)}×`)}
            style={{ left: `${(100 * x) / WIDTH}%`, top: `${(100 * y) / HEIGHT}%`, width: `${(100 * width) / WIDTH}%`, height: `${(100 * height) / HEIGHT}%`, '--deep': `${Math.round(8 + 32 * deep)}%` }}
            onClick={() => share !== undefined && onPick(order[at] ?? -1)}
          >
            {width > 70 && height > 26 && <b>{name}</b>}
            {width > 70 && height > 48 && share !== undefined && <i>{bytes(share.bytes)}</i>}
          </span>
        );
      })}
    </div>
  );
}
