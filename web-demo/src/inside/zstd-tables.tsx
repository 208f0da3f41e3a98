// The entropy tables of a Zstandard file: the code length of each symbol.
import { useMemo } from 'preact/hooks';
import * as Name from 'unspool/names';
import { useAnswer } from '../tools/answer';
import { count, percent } from '../format';
import { codesOf, tablesOf, versionOf } from '../formats/zstd-tables';
import type { InsideProps } from './inside';
import { Refused } from '../tools/refused';
import { usePicked } from './picked';
import { codec as text } from '../words';

const [WIDTH, HEIGHT, MARGIN] = [760, 110, 8];

const TITLES = {
  [Name.HuffmanCode]: text.tableTitles.huffman, [Name.LiteralLengths]: text.tableTitles.literalLengths, [Name.Offsets]: text.tableTitles.offsets, [Name.MatchLengths]: text.tableTitles.matchLengths,
};

export function ZstdTables({ file, report, selected, onSelect }: InsideProps) {
  const { structure } = report.model;
  const version = versionOf(report);
  const tables = useMemo(() => tablesOf(structure), [structure]);
  const at = usePicked(tables, selected);
  const table = tables[at];
  const { value: codes, error, again } = useAnswer(
    async () => (table === undefined ? undefined : codesOf(table, await file.codes({ kind: table.kind, start: table.start, end: table.end, version }))),
    [table, file, version],
  );
  if (table === undefined) return null;
  const huffman = table.kind === Name.HuffmanCode;
  const all = codes?.reduce((sum, { share }) => sum + share, 0) ?? 0;
  return (
    <section class="inside" aria-label={text.label} data-jump={text.tables} tabIndex={-1}>
      <div class="heading">
        <h2>{text.tables}</h2>
        <label>
          <span class="hidden">{text.table}</span>
          <select aria-label={text.table} value={at} onChange={({ currentTarget }) => onSelect(tables[Number(currentTarget.value)]?.node ?? -1)}>
            {tables.map(({ node, kind, block }, at) => <option key={node} value={at}>{text.tableIn(block, TITLES[kind])}</option>)}
          </select>
        </label>
        {codes !== undefined && (
          <p class="facts">
            {text.symbols(codes.length)}
            {huffman ? text.huffmanIs(Math.min(...codes.map(({ bits }) => bits)), table.log) : text.fseIs(all, table.log)}{text.described(table.end - table.start)}
          </p>
        )}
      </div>
      <Refused what={text.tableFailed} error={error} onRetry={again} />
      {codes !== undefined && (
        <>
          <svg class="plot zone-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text.tableChart(codes.length)}>
            {codes.map(({ symbol, meaning, bits }, place) => {
              const step = (WIDTH - 2 * MARGIN) / codes.length;
              const height = Math.max(1, (bits / Math.max(...codes.map((code) => code.bits), 1)) * (HEIGHT - 2 * MARGIN));
              return (
                <rect key={symbol} class="stick" x={MARGIN + place * step} width={Math.max(0.5, step - Math.min(2, step * 0.2))} y={HEIGHT - MARGIN - height} height={height}>
                  <title>{text.symbol(symbol, meaning, bits.toFixed(huffman ? 0 : 2))}</title>
                </rect>
              );
            })}
          </svg>
          <p class="fine">{text.tableCaption}</p>
          <div class="table" tabIndex={0} role="region" aria-label={text.codes}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{huffman ? text.codeHeads.literal : text.codeHeads.code}</th><th scope="col">{text.codeHeads.meaning}</th><th scope="col">{text.codeHeads.bits}</th>
                  <th scope="col">{huffman ? text.codeHeads.prefix : text.codeHeads.states}</th><th scope="col">{text.codeHeads.expected}</th>
                </tr>
              </thead>
              <tbody>
                {codes.map(({ symbol, meaning, code, bits, share }) => (
                  <tr key={symbol}>
                    <th scope="row">{symbol}</th><td>{meaning}</td><td>{huffman ? bits : bits.toFixed(2)}</td><td>{huffman ? code : count(share)}</td><td>{percent(share, all)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
}
