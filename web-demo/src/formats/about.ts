// What the page says of each format: its name, what its values can be saved as, and how the package decodes it.
import type { Format } from 'unspool';
import type { ExportKind } from '../values';

interface About {
  readonly name: string;
  readonly saves: readonly ExportKind[];
  /** The call that gives the values of a column, and what to do with them. */
  readonly call: (column: string) => readonly [door: string, lines: readonly string[]];
}

const NUMBERS: readonly ExportKind[] = ['csv', 'json', 'npy', 'raw'];

const bytesBy = (door: string): About['call'] => () => [door, [`const content = ${door}(bytes); // Uint8Array`]];

export const ABOUT: Readonly<Record<Format, About>> = {
  cvc: {
    name: 'CVC embedding vectors',
    saves: NUMBERS,
    call: (column) => ['decodeCvc', [`const { data, shape } = decodeCvc(bytes${column === '' ? '' : `, { column: ${JSON.stringify(column)} }`});`]],
  },
  pco: { name: 'Pco numbers', saves: NUMBERS, call: () => ['decodePco', ['const numbers = decodePco(bytes); // a typed array']] },
  onpair: {
    name: 'OnPair strings',
    saves: ['csv', 'json', 'raw'],
    call: () => ['openOnPair', ['using column = openOnPair(bytes);', "const rows = column.search({ contains: 'needle' });", 'const texts = column.texts();']],
  },
  gzip: { name: 'gzip', saves: ['raw'], call: bytesBy('decodeGzip') },
  zstd: { name: 'Zstandard', saves: ['raw'], call: bytesBy('decodeZstd') },
  'zstd-v07': { name: 'Zstandard 0.7', saves: ['raw'], call: bytesBy('decodeZstd') },
  'zstd-skippable': { name: 'Zstandard skippable frame', saves: ['raw'], call: bytesBy('decodeZstd') },
  xz: { name: 'xz', saves: ['raw'], call: bytesBy('decodeXz') },
  at1: { name: 'AT-1 table', saves: ['raw'], call: bytesBy('decodeAt1') },
};

/** TypeScript that decodes what the page shows. */
export function snippet(format: Format, file: string, column: string, wrapped: boolean): string {
  const [door, lines] = ABOUT[format].call(column);
  const imports = wrapped ? `decodeGzip, ${door}` : door;
  const source = `new Uint8Array(await (await fetch(${JSON.stringify(file)})).arrayBuffer())`;
  return [
    `import { ${imports} } from 'unspool';`,
    '',
    wrapped ? `const bytes = decodeGzip(${source});` : `const bytes = ${source};`,
    ...lines,
  ].join('\n');
}
