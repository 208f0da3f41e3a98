// The sequences of a Zstandard block: what it copies from where.
import { useMemo } from 'preact/hooks';
import { useAnswer } from './answer';
import { bytes, count, plural } from './format';
import { blocksOf, versionOf } from './formats/zstd-tables';
import type { InsideProps } from './inside';
import { usePicked } from './picked';
import { useLines } from './virtual';

const LINE = 26;

export function ZstdSequences({ file, report: { format, model: { structure } }, selected, onSelect }: InsideProps) {
  const blocks = useMemo(() => blocksOf(structure), [structure]);
  const at = usePicked(blocks, selected);
  const block = blocks[at];
  const { value: found, error } = useAnswer(
    async () => {
      if (block === undefined) return undefined;
      const { start, end, index } = block;
      const sequences = await file.sequences({ start, end, index, version: versionOf(format) });
      // Where in the block each match is written to.
      const places = new Uint32Array(sequences.offsets.length + 1);
      sequences.literalLengths.forEach((literals, at) => (places[at + 1] = (places[at] ?? 0) + literals + (sequences.matchLengths[at] ?? 0)));
      return { ...sequences, places };
    },
    [block, file, format],
  );
  const lines = useLines(found?.offsets.length ?? 0, LINE);
  if (block === undefined) return null;
  const rows = [];
  if (found !== undefined) {
    for (let line = lines.first; line < lines.last; line++) {
      const cells = [line, found.places[line], found.literalLengths[line], found.matchLengths[line], found.offsets[line]];
      rows.push(
        <div key={line} class="line" role="row" aria-rowindex={line + 2} style={{ height: LINE }}>
          {cells.map((cell = 0, at) => <span key={at} role={at === 0 ? 'rowheader' : 'cell'}>{count(cell)}</span>)}
        </div>,
      );
    }
  }
  const literals = found?.literalLengths.reduce((sum, length) => sum + length, 0) ?? 0;
  const total = found?.places.at(-1) ?? 0;
  return (
    <section class="inside" aria-label="Sequences of a block">
      <div class="heading">
        <h2>Sequences</h2>
        <label>
          <span class="hidden">Block</span>
          <select aria-label="Block" value={at} onChange={({ currentTarget }) => onSelect(blocks[Number(currentTarget.value)]?.node ?? -1)}>
            {blocks.map(({ node, block, count: sequences }, at) => <option key={node} value={at}>{block}: {plural(sequences, 'sequence')}</option>)}
          </select>
        </label>
        {found !== undefined && <p class="facts">{bytes(literals)} of literals before matches, {bytes(total - literals)} copied from what came before</p>}
      </div>
      {error !== '' && <p class="refused" role="alert">These sequences cannot be shown: {error}.</p>}
      <div class="sequences" role="table" aria-label="Sequences" aria-rowcount={(found?.offsets.length ?? 0) + 1}>
        <div class="line names" role="row" aria-rowindex={1}>
          {['sequence', 'starts at', 'literals', 'match length', 'offset'].map((name) => <span key={name} role="columnheader">{name}</span>)}
        </div>
        <div class="lines" ref={lines.box} role="rowgroup" tabIndex={0} aria-label="Rows of sequences" style={{ height: Math.min(LINE * (found?.offsets.length ?? 0), 12 * LINE) }}>
          <div class="scrolled" role="presentation" style={{ height: lines.height }}>
            <div class="window" role="presentation" style={{ transform: `translateY(${lines.top}px)` }}>{rows}</div>
          </div>
        </div>
      </div>
    </section>
  );
}
