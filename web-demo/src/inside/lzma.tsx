// The chunks of LZMA in a file of xz or .lzma: their symbols, and what each costs.
import { useMemo } from 'preact/hooks';
import type { LzmaChunk, LzmaKind } from 'unspool/inspect';
import type { OpenFile } from '../client';
import { RowTable, useList } from '../data/rows';
import { bytes, count, percent } from '../format';
import { distancesOf, lastUsed } from '../formats/lzma-symbols';
import type { Report } from '../model';
import { useAnswer } from '../tools/answer';
import { Refused } from '../tools/refused';
import { canTrace } from '../trace/going';
import { inside, lzma as text } from '../words';
import { Histogram } from './histogram';
import { PartList } from './part-list';
import { SymbolList } from './symbol-list';

interface Props {
  readonly file: OpenFile;
  readonly report: Report;
}

export function Lzma({ file, report }: Props) {
  return (
    <PartList
      text={text}
      report={report}
      ask={(care) => file.lzmaChunks(care)}
      atOnce={report.read === 'all' && report.size <= SMALL}
      of={[file, report]}
      cells={(chunk, at) => (
        <>
          <th scope="row">{count(at)}</th>
          <td>{typeOf(chunk)}</td>
          <td>{count(chunk.start)}</td>
          <td>{bytes(chunk.end - chunk.start)}</td>
          <td>{bytes(chunk.content.end - chunk.content.start)}</td>
          <td>{count(sum(chunk.symbols))}</td>
          <td>{count(chunk.symbols[0] ?? 0)}</td>
          <td>{count(sum(chunk.symbols) - (chunk.symbols[0] ?? 0))}</td>
          <td>{isStored(chunk) ? '–' : (sum(chunk.bits) / Math.max(1, sum(chunk.symbols))).toFixed(2)}</td>
        </>
      )}
    >
      {(chunk, at, { kinds }) => <Chunk key={chunk.start} file={file} kinds={kinds} chunk={chunk} number={at} hasContent={canTrace(report)} />}
    </PartList>
  );
}

/** Larger files are measured on demand. */
const SMALL = 2 ** 24;

const sum = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const isStored = ({ control }: LzmaChunk): boolean => control !== undefined && control < 128;

function typeOf(chunk: LzmaChunk): string {
  if (isStored(chunk)) return text.types.stored;
  return chunk.control === undefined ? text.types.stream : text.resets(chunk.control >> 5);
}

interface ChunkProps {
  readonly file: OpenFile;
  readonly chunk: LzmaChunk;
  /** Kinds in the order of counts. */
  readonly kinds: readonly LzmaKind[];
  readonly number: number;
  readonly hasContent: boolean;
}

function Chunk({ file, chunk, kinds, number, hasContent }: ChunkProps) {
  const { value: counts, error, again } = useAnswer(async () => (isStored(chunk) ? undefined : file.lzmaCounts(chunk)), [file, chunk]);
  const used = useMemo(() => kinds.map((kind, at) => ({ kind, symbols: chunk.symbols[at] ?? 0, bits: chunk.bits[at] ?? 0 })).filter(({ symbols }) => symbols > 0), [chunk]);
  const rows = useList(used, [used]);
  const [symbols, bits] = [sum(chunk.symbols), sum(chunk.bits)];
  if (isStored(chunk)) return <><h3>{text.chunkIs(number, typeOf(chunk))}</h3><p class="facts">{inside.storedIs(chunk.content.end - chunk.content.start)}</p></>;
  const matches = counts?.lengths.reduce((sum, count) => sum + count, 0) ?? 0;
  const longest = counts === undefined ? 0 : lastUsed(counts.lengths);
  const farthest = counts === undefined ? 0 : lastUsed(counts.distances);
  return (
    <>
      <h3>{text.chunkIs(number, typeOf(chunk))}</h3>
      <p class="facts">{text.bitsAre(symbols, Math.round(bits))}</p>
      <RowTable
        rows={rows}
        label={text.costs}
        heads={text.costHeads.map((name, at) => ({ name, kind: at === 0 ? ('text' as const) : undefined }))}
        cells={({ kind, symbols: own, bits: cost }) => (
          <>
            <th scope="row" class="text">{text.kinds[kind]}</th>
            <td>{count(own)}</td>
            <td>{percent(own, symbols)}</td>
            <td>{count(Math.round(cost))}</td>
            <td>{percent(cost, bits)}</td>
            <td>{(cost / own).toFixed(2)}</td>
          </>
        )}
      />
      <p class="fine">{text.costsCaption}</p>
      <Refused what={text.countsFailed} error={error} onRetry={again} />
      {counts !== undefined && matches > 0 && (
        <>
          <h3>{inside.lengths}</h3>
          <Histogram label={inside.lengthsChart(matches)} caption={text.lengthsCaption(longest)} bars={Array.from(counts.lengths.subarray(1, longest + 1), (count, at) => ({ count, words: inside.bar(text.length(at + 1), count) }))} />
          <h3>{inside.distances}</h3>
          <Histogram
            label={inside.distancesChart(matches)}
            caption={text.distancesCaption(distancesOf(farthest).to)}
            bars={Array.from(counts.distances.subarray(0, farthest + 1), (count, at) => ({ count, words: inside.bar(text.distance(distancesOf(at).from, distancesOf(at).to), count) }))}
          />
        </>
      )}
      <h3>{inside.symbols}</h3>
      <SymbolList
        label={inside.symbols}
        total={symbols}
        hasContent={hasContent}
        of={[file, chunk]}
        read={async (start, end) => {
          const found = await file.lzmaSymbols(chunk, start, end);
          return Array.from(found.starts, (from, at) => {
            const kind = kinds[found.kinds[at] ?? 0] ?? 'literal';
            const [to, length, distance] = [found.ends[at] ?? 0, found.lengths[at] ?? 0, found.distances[at] ?? 0];
            const name = kind === 'literal' ? text.literal(found.bytes[at] ?? 0) : kind === 'endMarker' ? text.kinds.endMarker : text.match(text.kinds[kind], length, distance);
            // The bits of a symbol that takes in no byte are in those taken in before.
            return { bits: [8 * Math.max(0, from - AHEAD), 8 * Math.max(to, from - AHEAD + 1)] as const, place: found.places[at] ?? 0, name, cost: (found.bits[at] ?? 0).toFixed(2) };
          });
        }}
      />
    </>
  );
}

/** Bytes that the range coder is ahead. */
const AHEAD = 4;
