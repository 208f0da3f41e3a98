// The blocks of DEFLATE in a gzip file: their codes, matches and symbols.
import { useMemo, useState } from 'preact/hooks';
import type { GzipBlock } from 'unspool/inspect';
import type { OpenFile } from '../client';
import { RowTable, useList } from '../data/rows';
import { bits as bitSize, bytes, count, percent } from '../format';
import { distancesOf, FIRST_LENGTH, lengthsOf, usesOf } from '../formats/deflate';
import type { Report } from '../model';
import { useAnswer } from '../tools/answer';
import { Cancel } from '../tools/cancel';
import { NumberField } from '../tools/number-field';
import { Refused } from '../tools/refused';
import { canTrace } from '../trace/going';
import { codec } from '../words';
import { deflate as text } from '../words-later';
import { Histogram } from './histogram';
import { useListing } from './listing';
import { SymbolList } from './symbol-list';

interface Props {
  readonly file: OpenFile;
  readonly report: Report;
}

export function Deflate({ file, report }: Props) {
  // Listing reads the whole file, so a large one waits for the visitor.
  const { found, error, job, list } = useListing((care) => file.gzipBlocks(care), report.read === 'all', [file, report]);
  const [picked, pick] = useState(0);
  const blocks = found?.blocks ?? [];
  const rows = useList(blocks, [found]);
  const block = blocks[Math.min(picked, blocks.length - 1)];
  return (
    <section class="inside" aria-label={codec.label} data-jump={text.blocks} tabIndex={-1}>
      <div class="heading">
        <h2>{text.blocks}</h2>
        {blocks.length > 1 && (
          <label>
            {text.block} <NumberField label={text.blockLabel} min={0} max={blocks.length - 1} value={picked} onValue={pick} /> {text.ofBlocks(blocks.length)}
          </label>
        )}
        {found !== undefined && <p class="facts">{text.blocksAre(blocks.length)}{found.hasMore && text.more}{found.broken && text.broken}</p>}
      </div>
      {found === undefined && !job.going && <p><button type="button" onClick={list}>{text.list(report.size)}</button></p>}
      <Cancel job={job} what={text.job} />
      <Refused what={text.failed} error={error} onRetry={list} />
      <RowTable
        rows={rows}
        label={text.blocks}
        heads={text.blockHeads.map((name) => ({ name }))}
        chosen={picked}
        onRow={pick}
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
      />
      {block !== undefined && <Block key={block.start} file={file} block={block} number={Math.min(picked, blocks.length - 1)} hasContent={canTrace(report)} />}
    </section>
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
        {block.type === 'stored' ? text.storedIs(block.content.end - block.content.start) : text.bitsAre(block.data - block.start, literals, data - literals)}
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
          <h3>{text.lengths}</h3>
          <Histogram
            label={text.lengthsChart(block.matches)}
            caption={text.lengthsCaption}
            bars={bars(codes.literalCounts, FIRST_LENGTH, 286, (symbol, count) => text.bar(text.length(lengthsOf(symbol).from, lengthsOf(symbol).to), count))}
          />
          <h3>{text.distances}</h3>
          <Histogram
            label={text.distancesChart(block.matches)}
            caption={text.distancesCaption}
            bars={bars(codes.distanceCounts, 0, 30, (symbol, count) => text.bar(text.distance(distancesOf(symbol).from, distancesOf(symbol).to), count))}
          />
        </>
      )}
      <h3>{text.symbols}</h3>
      <SymbolList
        label={text.symbols}
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
