// What the page says about each format: its name, its export kinds, and code that decodes it.
import type { Format } from 'unspool';
import * as Name from 'unspool/names';
import type { Report, Summary } from '../model';
import { nodesNamed } from './named';
import type { At1Columns, ExportKind, Question } from '../values';

interface About {
  readonly name: string;
  /** A sentence for those who do not know the format. */
  readonly what: string;
  readonly saves: readonly ExportKind[];
  /** Code that decodes a column. `lent` adds the dictionary. */
  readonly call: (column: string, lent: boolean) => Call;
  /** The same for a broken file: decodes what precedes the error. */
  readonly start?: Start;
  /** The same for a file with broken chunks: decodes the others. */
  readonly sound?: About['call'];
  /** The same for a file whose final hash is wrong. */
  readonly unhashed?: Start;
  /** The stream that decodes a file too large for memory. */
  readonly stream?: string;
}

type Start = (brokenFrom: number, lent: boolean) => Call;
type Call = readonly [doors: string, lines: readonly string[]];

const NUMBERS: readonly ExportKind[] = ['csv', 'json', 'npy', 'raw'];

const bytesBy = (door: string): About['call'] => () => [door, [`const content = ${door}(bytes); // Uint8Array`]];
const startBy = (doors: string, stream: string): Start => () => [doors, [
  'const parts: Uint8Array<ArrayBuffer>[] = [];',
  'try {',
  `  for await (const part of new Blob([bytes]).stream().pipeThrough(${stream})) parts.push(part);`,
  '} catch (error) {',
  '  console.warn(error); // The file is broken. Everything before the error was decoded.',
  '}',
  'const content = new Uint8Array(await new Blob(parts).arrayBuffer());',
]];
const QUESTIONS = ["const rows = column.search({ contains: 'needle' });", 'const texts = column.texts();'];
const ZSTD = {
  saves: ['raw'],
  call: (_: string, lent: boolean): Call => ['decodeZstd', [`const content = decodeZstd(bytes${lent ? ', { dictionary }' : ''}); // Uint8Array`]],
  start: (end: number, lent: boolean): Call => startBy('zstdFormat, zstdStream', `zstdStream({ format: zstdFormat(bytes)${lent ? ', dictionary' : ''} })`)(end, lent),
  stream: 'zstdStream',
} as const;

export const ABOUT: Readonly<Record<Format, About>> = {
  cvc: {
    name: 'CVC embedding vectors',
    what: 'Vectors of numbers, as language models produce them, in chunks that decode one by one.',
    saves: NUMBERS,
    call: (column) => ['decodeCvc', [`const { data, shape } = decodeCvc(bytes${column === '' ? '' : `, { column: ${JSON.stringify(column)} }`});`]],
    sound: (column) => ['openCvc', [
      'const file = await openCvc(bytes);',
      `const column = file.column(${column === '' ? '' : JSON.stringify(column)});`,
      'const parts = [];',
      'for (const { start, end } of file.chunks) {',
      '  try {',
      '    parts.push(await column.rows(start, end)); // { data, shape }',
      '  } catch (error) {',
      '    console.warn(error); // The rows of this chunk cannot be decoded.',
      '  }',
      '}',
    ]],
  },
  pco: {
    name: 'Pco numbers',
    what: 'A column of numbers: each is predicted, then stored as a bin and an offset in it.',
    saves: NUMBERS,
    call: () => ['decodePco', ['const { dtype, data } = decodePco(bytes); // a typed array']],
    start: () => ['salvagePco', ['const { arrays, error } = salvagePco(bytes); // The numbers before the error, and the error.', 'const numbers = arrays[0]?.data;']],
  },
  onpair: {
    name: 'OnPair strings',
    what: 'A column of strings, built from dictionary tokens. Any row decodes by itself.',
    saves: ['csv', 'json', 'raw'],
    call: () => ['openOnPair', ['using column = openOnPair(bytes);', ...QUESTIONS]],
    start: () => ['salvageOnPair', ['const { column, error } = salvageOnPair(bytes); // The rows before the error, and the error.', ...QUESTIONS, 'column.release();']],
  },
  gzip: { name: 'gzip', what: 'Bytes of any kind, compressed with DEFLATE.', saves: ['raw'], call: bytesBy('decodeGzip'), start: startBy('gzipStream', 'gzipStream()'), stream: 'gzipStream' },
  zstd: { name: 'Zstandard', what: 'Bytes of any kind: literals, and matches that copy earlier bytes.', ...ZSTD },
  'zstd-v07': { name: 'Zstandard 0.7', what: 'Bytes of any kind, as Zstandard wrote them in 2016.', ...ZSTD },
  'zstd-skippable': { name: 'Zstandard skippable frame', what: 'Bytes that a Zstandard decoder skips.', ...ZSTD },
  xz: { name: 'xz', what: 'Bytes of any kind, compressed with LZMA2, in blocks with checksums.', saves: ['raw'], call: bytesBy('decodeXz'), start: startBy('xzStream', 'xzStream()'), stream: 'xzStream' },
  at1: {
    name: 'AT-1',
    what: 'A log, a table or another text file, split into columns that are compressed one by one.',
    saves: ['raw'],
    call: bytesBy('decodeAt1'),
    start: startBy('at1Stream', 'at1Stream()'),
    unhashed: (end) => ['decodeAt1', [`const content = decodeAt1(bytes.subarray(0, ${end})); // without the wrong hash`]],
  },
};

/** The draft between the other two, which shares its magic numbers with both. */
const ZSTD_DRAFT: About = { name: 'Zstandard draft 0.2.0', what: 'Bytes of any kind, in a draft of Zstandard between version 0.7 and RFC 8878.', ...ZSTD };

const LOG = { name: 'AT-1 log', what: 'Lines of a log, split into templates and columns of variables.' };
const TABLE = { name: 'AT-1 table', what: 'A table as text, split into columns that are compressed one by one.' };
const LINES = { name: 'AT-1 lines of JSON', what: 'Lines of JSON, split into keys and columns of values.' };

/** Content of an AT-1 file, by codec. */
const AT1: Readonly<Record<string, Pick<About, 'name' | 'what'>>> = {
  ssh: LOG,
  log: LOG,
  columnar: TABLE,
  qcolumnar: TABLE,
  json: LINES,
  qjson: { ...LINES, name: 'AT-1 table' },
  qjson2: LINES,
  jsondoc: { name: 'AT-1 JSON', what: 'A JSON document, split into its structure and columns of values.' },
  osm: { name: 'AT-1 map', what: 'A map of OpenStreetMap: nodes, ways and relations, as deltas of numbers.' },
  vcf: { name: 'AT-1 variants', what: 'Genetic variants in VCF: columns of text, and the genotypes of samples.' },
  dicom: { name: 'AT-1 image', what: 'A DICOM image: its pixels, and the bytes before and after them.' },
  embed: { name: 'AT-1 array', what: 'An array of numbers, split into byte planes.' },
  bundle: { name: 'AT-1 bundle', what: 'Several files, each in AT-1.' },
  raw: { name: 'AT-1', what: 'Bytes of any kind, compressed without a model.' },
};

/** Returns what the page says about a file. */
export function aboutOf({ format, zstd, model }: Pick<Report, 'format' | 'zstd' | 'model'>): About | undefined {
  const inFrames = format === 'zstd' || format === 'zstd-v07';
  if (inFrames && zstd === 'zstd-draft') return ZSTD_DRAFT;
  const about = format && ABOUT[format];
  if (format !== 'at1' || about === undefined) return about;
  const [codec] = nodesNamed(model.structure, Name.Codec);
  return { ...about, ...AT1[codec?.value ?? ''] };
}

/** Returns TypeScript that decodes what the page shows. */
export function snippet({ format, wrapped: inGzip, error, lent }: Report, { brokenFrom, startOnly, unhashed, zstd }: Summary, file: string, column = ''): string {
  if (format === undefined) return '';
  const wrapped = inGzip !== undefined;
  const about = ABOUT[format];
  const { call, stream } = about;
  // Only Zstandard uses a dictionary.
  const dictionary = stream === ZSTD.stream ? lent?.name : undefined;
  const given = dictionary === undefined ? [] : [`const dictionary = ${bytesOf(dictionary)};`];
  const start = unhashed ? about.unhashed : about.start;
  if (startOnly && stream !== undefined) {
    const options = [...(zstd === 'zstd-draft' ? ["format: 'zstd-draft'"] : []), ...(dictionary === undefined ? [] : ['dictionary'])];
    const streams = [...(wrapped ? ['gzipStream()'] : []), `${stream}(${options.length === 0 ? '' : `{ ${options.join(', ')} }`})`];
    const piped = streams.map((stream) => `.pipeThrough(${stream})`).join('');
    return [imports(wrapped ? `gzipStream, ${stream}` : stream), '', ...given, `const response = await fetch(${JSON.stringify(file)});`, `const content = response.body?${piped}; // a ReadableStream of bytes`].join('\n');
  }
  const whole = (error !== undefined && about.sound) || call;
  const [door, lines] = brokenFrom === undefined || start === undefined ? whole(column, given.length > 0) : start(brokenFrom, given.length > 0);
  return program(door, file, wrapped, [...given, ...lines]);
}

/** Returns TypeScript for the current query. */
export function snippetOfQuery(file: string, { conditions, ask, columns, column, limit }: Question, table: At1Columns, wrapped: boolean): string {
  const place = (at: number): string => (table.columns[at]?.known === true ? JSON.stringify(table.columns[at].name) : String(at));
  const text = JSON.stringify;
  const ends = (from: string, to: string): string => `${from === '' ? '' : `, from: ${text(from)}`}${to === '' ? '' : `, to: ${text(to)}`}`;
  const where = conditions.filter(({ test, from, to }) => test === 'between' && from + to !== '').map(({ column, from, to }) => `{ column: ${place(column)}${ends(from, to)} }`);
  const eq = conditions.filter(({ test }) => test === 'equals').map(({ column, from }) => `{ column: ${place(column)}, value: ${text(from)} }`);
  const one = ask === 'sum' || ask === 'min' || ask === 'max';
  const options = [
    ...(where.length > 0 ? [`where: [${where.join(', ')}],`] : []),
    ...(eq.length > 0 ? [`eq: [${eq.join(', ')}],`] : []),
    ...(ask === 'rows' && columns.length > 0 ? [`select: [${columns.map(place).join(', ')}],`] : []),
    ...(ask === 'lines' || ask === 'count' ? [`${ask}: true,`] : []),
    ...(one ? [`${ask}: ${place(column)},`] : ask === 'count' ? [] : [`limit: ${limit},`]),
  ];
  const found = one ? '{ result, stats }' : ask === 'count' ? '{ count, stats }' : '{ rows, stats }';
  return program('queryAt1', file, wrapped, [`const ${found} = await queryAt1(bytes, {`, ...options.map((option) => `  ${option}`), '});']);
}

function program(door: string, file: string, wrapped: boolean, lines: readonly string[]): string {
  const source = bytesOf(file);
  return [
    imports(wrapped ? `decodeGzip, ${door}` : door),
    '',
    wrapped ? `const bytes = decodeGzip(${source});` : `const bytes = ${source};`,
    ...lines,
  ].join('\n');
}

/** Returns code that fetches a file by name. */
function bytesOf(file: string): string {
  return `new Uint8Array(await (await fetch(${JSON.stringify(file)})).arrayBuffer())`;
}

/** Returns an import of each name once: nested gzip uses one function twice. */
function imports(doors: string): string {
  const names = [...new Set(doors.split(', '))];
  const entries = [...new Set(names.map(entryOf))];
  return entries.map((entry) => `import { ${names.filter((name) => entryOf(name) === entry).join(', ')} } from 'unspool/${entry}';`).join('\n');
}

/** Returns the entry of the package that has a function. */
function entryOf(name: string): string {
  if (name === 'xzStream' || name === 'zstdStream') return name.replace('Stream', '-stream');
  return ['at1', 'cvc', 'gzip', 'onpair', 'pco', 'xz', 'zstd'].find((format) => name.toLowerCase().includes(format)) ?? '';
}
