// The entropy tables of a Zstandard file: the code length of each symbol.
import { useMemo } from 'preact/hooks';
import * as Name from 'unspool/names';
import { useAnswer } from '../tools/answer';
import { count, percent, plural } from '../format';
import { codesOf, tablesOf, versionOf } from '../formats/zstd-tables';
import type { InsideProps } from './inside';
import { Refused } from '../tools/refused';
import { usePicked } from './picked';

const [WIDTH, HEIGHT, MARGIN] = [760, 110, 8];

const TITLES = {
  [Name.HuffmanCode]: 'Huffman code of literals', [Name.LiteralLengths]: 'FSE table of literal lengths', [Name.Offsets]: 'FSE table of offsets', [Name.MatchLengths]: 'FSE table of match lengths',
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
    <section class="inside" aria-label="Inside the codec" data-jump="Tables" tabIndex={-1}>
      <div class="heading">
        <h2>Tables</h2>
        <label>
          <span class="hidden">Table</span>
          <select aria-label="Table" value={at} onChange={({ currentTarget }) => onSelect(tables[Number(currentTarget.value)]?.node ?? -1)}>
            {tables.map(({ node, kind, block }, at) => <option key={node} value={at}>{block}: {TITLES[kind]}</option>)}
          </select>
        </label>
        {codes !== undefined && (
          <p class="facts">
            {plural(codes.length, 'symbol')},{' '}
            {huffman ? `codes of ${Math.min(...codes.map(({ bits }) => bits))} to ${table.log} bits` : `${count(all)} states of ${table.log} bits`}, described in {plural(table.end - table.start, 'byte')}
          </p>
        )}
      </div>
      <Refused what="This table cannot be shown" error={error} onRetry={again} />
      {codes !== undefined && (
        <>
          <svg class="plot zone-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Bits of ${plural(codes.length, 'symbol')}, the most likely first`}>
            {codes.map(({ symbol, meaning, bits }, place) => {
              const step = (WIDTH - 2 * MARGIN) / codes.length;
              const height = Math.max(1, (bits / Math.max(...codes.map((code) => code.bits), 1)) * (HEIGHT - 2 * MARGIN));
              return (
                <rect key={symbol} class="stick" x={MARGIN + place * step} width={Math.max(0.5, step - Math.min(2, step * 0.2))} y={HEIGHT - MARGIN - height} height={height}>
                  <title>{`${symbol} ${meaning}: ${bits.toFixed(huffman ? 0 : 2)} bits`}</title>
                </rect>
              );
            })}
          </svg>
          <p class="fine">A bar for each symbol, the most likely first. Its height is the cost in bits.</p>
          <div class="table" tabIndex={0} role="region" aria-label="Codes">
            <table>
              <thead>
                <tr>
                  <th scope="col">{huffman ? 'literal' : 'code'}</th><th scope="col">meaning</th><th scope="col">bits</th>
                  <th scope="col">{huffman ? 'prefix' : 'states'}</th><th scope="col">expected</th>
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
