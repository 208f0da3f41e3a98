// The sequences of a Zstandard block: its matches and literals.
import { useMemo } from 'preact/hooks';
import { useAnswer } from '../tools/answer';
import { count } from '../format';
import { blocksOf, versionOf } from '../formats/zstd-tables';
import type { InsideProps } from './inside';
import { usePicked } from './picked';
import { Refused } from '../tools/refused';
import { RowTable, useList } from '../data/rows';
import { codec as text, dictionary } from '../words';

export function ZstdSequences({ file, report, selected, onSelect }: InsideProps) {
  const { error: fault, model: { structure } } = report;
  const version = versionOf(report);
  const blocks = useMemo(() => blocksOf(structure), [structure]);
  const at = usePicked(blocks, selected);
  const block = blocks[at];
  const { value: found, error, again } = useAnswer(
    async () => {
      if (block === undefined) return undefined;
      const { start, end, index } = block;
      const sequences = await file.sequences({ start, end, index, version });
      // Position in the block that each match is written to.
      const places = new Uint32Array(sequences.offsets.length + 1);
      sequences.literalLengths.forEach((literals, at) => (places[at + 1] = (places[at] ?? 0) + literals + (sequences.matchLengths[at] ?? 0)));
      return { ...sequences, places };
    },
    [block, file, version],
  );
  const rows = useList(useMemo(() => Array.from(found?.offsets ?? [], (_, sequence) => sequence), [found]), [found]);
  if (block === undefined) return null;
  if (fault?.name === 'ZstdDictionaryWanted') return <p class="fine">{dictionary.forSequences}</p>;
  const literals = found?.literalLengths.reduce((sum, length) => sum + length, 0) ?? 0;
  const total = found?.places.at(-1) ?? 0;
  return (
    <section class="inside" aria-label={text.sequencesLabel} data-jump={text.sequences} tabIndex={-1}>
      <div class="heading">
        <h2>{text.sequences}</h2>
        <label>
          <span class="hidden">{text.blockLabel}</span>
          <select aria-label={text.blockLabel} value={at} onChange={({ currentTarget }) => onSelect(blocks[Number(currentTarget.value)]?.node ?? -1)}>
            {blocks.map(({ node, block, count: sequences }, at) => <option key={node} value={at}>{text.blockOf(block, sequences)}</option>)}
          </select>
        </label>
        {found !== undefined && <p class="facts">{text.copied(literals, total - literals)}</p>}
      </div>
      <Refused what={text.sequencesFailed} error={error} onRetry={again} />
      <RowTable
        rows={rows}
        label={text.sequences}
        heads={text.sequenceHeads.map((name) => ({ name }))}
        cells={(sequence) => (
          <>
            <th scope="row">{count(sequence)}</th>
            {[found?.places, found?.literalLengths, found?.matchLengths, found?.offsets].map((column, at) => <td key={at}>{count(column?.[sequence] ?? 0)}</td>)}
          </>
        )}
      />
    </section>
  );
}
