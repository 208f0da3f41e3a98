// The blocks of DEFLATE in a gzip file: their codes, matches and symbols.
import { useMemo } from 'preact/hooks';
import type { GzipBlock } from 'unspool/inspect';
import type { OpenFile } from '../client';
import { RowTable, useList } from '../data/rows';
import { bits as bitSize, bytes, count, percent } from '../format';
import { distancesOf, FIRST_LENGTH, lengthsOf, usesOf } from '../formats/deflate';
import type { Report } from '../model';
import { useAnswer } from '../tools/answer';
import { Refused } from '../tools/refused';
import { canTrace } from '../trace/going';
import { deflate as text, inside } from '../words';
import { Histogram } from './histogram';
import { PartList } from './part-list';
import { SymbolList } from './symbol-list';

interface Props {
  readonly file: OpenFile;
  readonly report: Report;
}

export function Deflate({ file, report }: Props) {
  return (
    <PartList
      text={text}
      report={report}
      ask={(care) => file.gzipBlocks(care)}
      atOnce={report.read === 'all'}
      of={[file, report]}
      cells={(block, at) => (
        <>
          <th scope="row">{count(at)}</th>
          <td>{text.types[block.type]}</td>
          <td>{count(Math.floor(block.start / 8))}</td>
          <td>{bitSize(block.end - block.start)}</td>
          <td>{bytes(block.content.end - block.content.start)}</td>
          <td>{count(symbolsIn(block))}</td>
          <td>{count(block.literals)}</td>
          <td>{count(block.matches)}</td>
          <td>{block.type === 'stored' ? '–' : ((block.end - block.data) / symbolsIn(block)).toFixed(2)}</td>
        </>
      )}
    >
      {(block, at) => <Block key={block.start} file={file} block={block} number={at} hasContent={canTrace(report)} />}
    </PartList>
  );
}

/** Returns the number of symbols: the end of a block is one; stored bytes are one. */
function symbolsIn({ type, content, literals, matches }: GzipBlock): number {
  return type === 'stored' ? Math.min(1, content.end - content.start) : literals + matches + 1;
}

interface BlockProps {
  readonly file: OpenFile;
  readonly block: GzipBlock;
  readonly number: number;
  readonly hasContent: boolean;
}

function Block({ file, block, number, hasContent }: BlockProps) {
  const { value: codes, error, again } = useAnswer(async () => file.gzipCodes(block), [file, block]);
  const uses = useMemo(() => {
    if (codes === undefined || block.type === 'stored') return [];
    const all = [...usesOf(codes.literalLengths, codes.literalCounts, false), ...usesOf(codes.distanceLengths, codes.distanceCounts, true)];
    return all.sort((a, b) => b.bits - a.bits);
  }, [codes]);
  const rows = useList(uses, [uses]);
  const literals = useMemo(() => uses.filter(({ key }) => Number(key) < FIRST_LENGTH - 1).reduce((sum, { bits }) => sum + bits, 0), [uses]);
  const data = block.end - block.data;
  const bars = (counts: Float64Array, from: number, to: number, words: (symbol: number, count: number) => string) =>
    Array.from(counts.subarray(from, to), (count, at) => ({ count, words: words(from + at, count) }));
  return (
    <>
      <h3>{text.blockIs(number, text.types[block.type])}</h3>
      <p class="facts">
        {block.type === 'stored' ? inside.storedIs(block.content.end - block.content.start) : text.bitsAre(block.data - block.start, literals, data - literals)}
      </p>
      <Refused what={text.codesFailed} error={error} onRetry={again} />
      <RowTable
        rows={rows}
        label={text.codes}
        heads={text.codeHeads.map((name, at) => ({ name, kind: at === 0 ? ('text' as const) : undefined }))}
        cells={({ name, codeBits, extraBits, count: used, bits, ideal }) => (
          <>
            <th scope="row" class="text">{name}</th>
            <td>{codeBits}</td>
            <td>{extraBits}</td>
            <td>{count(used)}</td>
            <td>{used === 0 ? '–' : ideal.toFixed(2)}</td>
            <td>{count(bits)}</td>
            <td>{percent(bits, data)}</td>
          </>
        )}
      />
      {codes !== undefined && block.matches > 0 && (
        <>
          <h3>{inside.lengths}</h3>
          <Histogram
            label={inside.lengthsChart(block.matches)}
            caption={text.lengthsCaption}
            bars={bars(codes.literalCounts, FIRST_LENGTH, 286, (symbol, count) => inside.bar(text.length(lengthsOf(symbol).from, lengthsOf(symbol).to), count))}
          />
          <h3>{inside.distances}</h3>
          <Histogram
            label={inside.distancesChart(block.matches)}
            caption={text.distancesCaption}
            bars={bars(codes.distanceCounts, 0, 30, (symbol, count) => inside.bar(text.distance(distancesOf(symbol).from, distancesOf(symbol).to), count))}
          />
        </>
      )}
      <h3>{inside.symbols}</h3>
      <SymbolList
        label={inside.symbols}
        total={symbolsIn(block)}
        hasContent={hasContent}
        of={[file, block]}
        read={async (start, end) => {
          const { starts, ends, places, lengths, values } = await file.gzipSymbols(block, start, end);
          return Array.from(starts, (from, at) => {
            const [to, length, value] = [ends[at] ?? 0, lengths[at] ?? 0, values[at] ?? 0];
            const name = block.type === 'stored' ? text.stored(length) : length > 0 ? text.match(length, value) : value === FIRST_LENGTH - 1 ? text.end : text.literal(value);
            return { bits: [from, to] as const, place: places[at] ?? 0, name, cost: count(to - from) };
          });
        }}
      />
    </>
  );
}
