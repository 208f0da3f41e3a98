// TypeScript that decodes what the page shows.
import type { Format } from 'unspool';
import type { Report, Summary } from '../model';
import type { At1Columns, Question } from '../values';

interface Code {
  /** Code that decodes a column. `lent` adds the dictionary. */
  readonly call: (column: string, lent: boolean) => Call;
  /** The same for a broken file: decodes what precedes the error. */
  readonly start?: Start;
  /** The same for a file with broken chunks: decodes the others. */
  readonly sound?: Code['call'];
  /** The same for a file whose final hash is wrong. */
  readonly unhashed?: Start;
  /** The stream that decodes a file too large for memory. */
  readonly stream?: string;
}

type Start = (brokenFrom: number, lent: boolean) => Call;
type Call = readonly [doors: string, lines: readonly string[]];

const bytesBy = (door: string): Code['call'] => () => [door, [`const content = ${door}(bytes); // Uint8Array`]];
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
  call: (_: string, lent: boolean): Call => ['decodeZstd', [`const content = decodeZstd(bytes${lent ? ', { dictionary }' : ''}); // Uint8Array`]],
  start: (end: number, lent: boolean): Call => startBy('zstdFormat, zstdStream', `zstdStream({ format: zstdFormat(bytes)${lent ? ', dictionary' : ''} })`)(end, lent),
  stream: 'zstdStream',
} as const;

const CODE: Readonly<Record<Format, Code>> = {
  cvc: {
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
    call: () => ['decodePco', ['const { dtype, data } = decodePco(bytes); // a typed array']],
    start: () => ['salvagePco', ['const { arrays, error } = salvagePco(bytes); // The numbers before the error, and the error.', 'const numbers = arrays[0]?.data;']],
  },
  onpair: {
    call: () => ['openOnPair', ['using column = openOnPair(bytes);', ...QUESTIONS]],
    start: () => ['salvageOnPair', ['const { column, error } = salvageOnPair(bytes); // The rows before the error, and the error.', ...QUESTIONS, 'column.release();']],
  },
  gzip: { call: bytesBy('decodeGzip'), start: startBy('gzipStream', 'gzipStream()'), stream: 'gzipStream' },
  lzma: { call: bytesBy('decodeLzma'), start: startBy('lzmaStream', 'lzmaStream()'), stream: 'lzmaStream' },
  zstd: ZSTD,
  'zstd-v07': ZSTD,
  'zstd-skippable': ZSTD,
  xz: { call: bytesBy('decodeXz'), start: startBy('xzStream', 'xzStream()'), stream: 'xzStream' },
  at1: {
    call: bytesBy('decodeAt1'),
    start: startBy('at1Stream', 'at1Stream()'),
    unhashed: (end) => ['decodeAt1', [`const content = decodeAt1(bytes.subarray(0, ${end})); // without the wrong hash`]],
  },
};

/** Returns TypeScript that decodes what the page shows. */
export function snippet({ format, wrapped: inGzip, error, lent }: Report, { brokenFrom, startOnly, unhashed, zstd }: Summary, file: string, column = ''): string {
  if (format === undefined) return '';
  const wrapped = inGzip !== undefined;
  const code = CODE[format];
  const { call, stream } = code;
  // Only Zstandard uses a dictionary.
  const dictionary = stream === ZSTD.stream ? lent?.name : undefined;
  const given = dictionary === undefined ? [] : [`const dictionary = ${bytesOf(dictionary)};`];
  const start = unhashed ? code.unhashed : code.start;
  if (startOnly && stream !== undefined) {
    const options = [...(zstd === 'zstd-draft' ? ["format: 'zstd-draft'"] : []), ...(dictionary === undefined ? [] : ['dictionary'])];
    const streams = [...(wrapped ? ['gzipStream()'] : []), `${stream}(${options.length === 0 ? '' : `{ ${options.join(', ')} }`})`];
    const piped = streams.map((stream) => `.pipeThrough(${stream})`).join('');
    return [imports(wrapped ? `gzipStream, ${stream}` : stream), '', ...given, `const response = await fetch(${JSON.stringify(file)});`, `const content = response.body?${piped}; // a ReadableStream of bytes`].join('\n');
  }
  const whole = (error !== undefined && code.sound) || call;
  const [door, lines] = brokenFrom === undefined || start === undefined ? whole(column, given.length > 0) : start(brokenFrom, given.length > 0);
  return program(door, file, wrapped, [...given, ...lines]);
}

/** Returns TypeScript for the current query. */
export function snippetOfQuery(file: string, question: Question, table: At1Columns, wrapped: boolean): string {
  const { conditions, ask, columns, column, group, limit } = question;
  const place = (at: number): string => (table.columns[at]?.known === true ? JSON.stringify(table.columns[at].name) : String(at));
  const text = JSON.stringify;
  const ends = (from: string, to: string): string => `${from === '' ? '' : `, from: ${text(from)}`}${to === '' ? '' : `, to: ${text(to)}`}`;
  const where = conditions.filter(({ test, from, to }) => test === 'between' && from + to !== '').map(({ column, from, to }) => `{ column: ${place(column)}${ends(from, to)} }`);
  const eq = conditions.filter(({ test }) => test === 'equals').map(({ column, from }) => `{ column: ${place(column)}, value: ${text(from)} }`);
  const contained = conditions.filter(({ test, from }) => test === 'contains' && from !== '');
  if (contained.length > 0 || ask === 'groups') {
    // The engine returns the columns; the rest is plain code.
    const all = (ask === 'rows' && columns.length === 0) || ask === 'lines';
    const shown = all ? table.columns.map((_, at) => at) : ask === 'rows' ? columns : ask === 'groups' ? [group, column] : ask === 'count' ? [] : [column];
    const read = all ? shown : [...shown, ...contained.map(({ column }) => column)];
    const tests = contained.map(({ column, from }, at) => `row[${all ? column : shown.length + at}]?.includes(${text(from)})`);
    const options = [...(where.length > 0 ? [`where: [${where.join(', ')}],`] : []), ...(eq.length > 0 ? [`eq: [${eq.join(', ')}],`] : []), `select: [${read.map(place).join(', ')}],`];
    return program('queryAt1', file, wrapped, [
      'const { rows } = await queryAt1(bytes, {', ...options.map((option) => `  ${option}`), '});',
      `const found = rows${tests.length > 0 ? `.filter((row) => ${tests.join(' && ')})` : ''};`,
      ...(ask === 'groups' ? ['const groups = new Map<string, string[]>();', 'for (const [key = \'\', number = \'\'] of found) groups.set(key, [...(groups.get(key) ?? []), number]);'] : []),
    ]);
  }
  if (ask === 'average') {
    const options = [...(where.length > 0 ? [`where: [${where.join(', ')}],`] : []), ...(eq.length > 0 ? [`eq: [${eq.join(', ')}],`] : []), `sum: ${place(column)},`];
    return program('queryAt1', file, wrapped, ['const { result, count, withoutNumber } = await queryAt1(bytes, {', ...options.map((option) => `  ${option}`), '});', 'const average = Number(result) / (count - withoutNumber);']);
  }
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
  return ['at1', 'cvc', 'gzip', 'lzma', 'onpair', 'pco', 'xz', 'zstd'].find((format) => name.toLowerCase().includes(format)) ?? '';
}
