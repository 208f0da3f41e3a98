// Texts of the views that load after the first one, so that opening a file does not wait for them.
// The rules are those of `words.ts`.
import { bytes, count, plural } from './format';

/** The comparison of two files. */
export const compare = {
  label: 'Comparison',
  title: (a: string, b: string): string => `${a} ↔ ${b}`,
  reading: (name: string): string => `Reading ${name}`,
  failed: (name: string): string => `${name} cannot be compared`,
  sides: ['A', 'B'],
  open: (name: string): string => `Open ${name}`,
  comparing: 'Comparing… ',
  job: 'comparing',
  start: (size: number): string => `Compare values (reads up to ${bytes(size)})`,
  stopped: 'The comparison stopped',
  identical: 'Identical files',
  sameValues: 'Same values, different files',
  differ: (columns: number): string => (columns === 1 ? 'Values differ' : `Values differ in ${count(columns)} columns`),
  otherKind: 'Different kinds of values',
  overview: 'Overview',
  heads: { fact: 'fact', difference: 'difference', piece: 'piece', field: 'field', column: 'column', sizeOf: (side: string): string => `size ${side}`, rowsOf: (side: string): string => `rows ${side}`, row: 'row', byte: 'byte', place: 'value', change: 'change', differ: 'differ', note: 'note', most: 'largest difference', share: 'change in percent' },
  facts: { format: 'Format', size: 'Size', verdict: 'Verdict', decoded: 'Decoded size', ratio: 'Ratio' },
  sizes: 'Size by piece',
  structure: 'Structure',
  fields: 'Fields',
  onlyDifferent: 'only differences',
  noDifference: 'No field differs in value or size.',
  fieldsDiffer: (fields: number, all: number): string => `${count(fields)} of ${plural(all, 'field')} differ or contain a difference.`,
  values: 'Values',
  rows: 'rows',
  content: 'content',
  unnamed: 'values',
  onlyOne: 'only one file has this column',
  dimensions: (a: number, b: number): string => `rows of ${count(a)} and of ${plural(b, 'value')}`,
  firstRows: (rows: number): string => `the first ${plural(rows, 'row')} were compared`,
  startOnly: 'Only the start of the content is compared: the files are large.',
  broken: 'A file is broken: what was decoded before the error is compared.',
  kinds: (a: string, b: string): string => `The values cannot be compared: one file holds ${a}, the other ${b}.`,
  kindsOf: { numbers: 'numbers', strings: 'strings', bytes: 'bytes', table: 'a table', none: 'nothing that decodes' },
  same: 'Same',
  none: '–',
  listed: (shown: number, all: number, column: string): string => `${count(shown)} of ${plural(all, 'difference')} in ${column}`,
  show: (column: string): string => `Show the differences in ${column}`,
  only: (size: number): string => `${count(size)} more`,
} as const;

/** Tools for vectors. */
export const vectors = {
  label: 'Vectors',
  neighboursOf: (row: number): string => `Neighbours of row ${count(row)}`,
  plane: 'Map a sample',
  odd: 'Find odd rows',
  oddTitle: 'Odd rows',
  jobs: { near: 'finding neighbours', plane: 'mapping the sample', odd: 'finding odd rows' },
  failed: 'This cannot be computed',
  noDirection: (row: number): string => `Row ${count(row)} has no direction: it is all zeros, or has a value that is not finite.`,
  noNeighbours: 'No other row has a direction.',
  neighbourHeads: ['row', 'cosine', 'similarity'],
  showRow: (row: number): string => `Show row ${count(row)}`,
  planeIs: (rows: number, total: number, first: string, second: string): string => `${rows === total ? `All ${plural(rows, 'row')}` : `A sample of ${count(rows)} of ${plural(total, 'row')}`} in the plane of largest variance (PCA): ${first} of it across, ${second} up.`,
  point: (row: number): string => `row ${count(row)}`,
  oddIs: (checked: number): string => `Of ${plural(checked, 'row')}:`,
  zeros: (rows: number): string => `${plural(rows, 'row')} of zeros`,
  nans: (rows: number): string => `${plural(rows, 'row')} with a value that is not a number`,
  duplicates: (rows: number): string => `${plural(rows, 'row')} that ${rows === 1 ? 'repeats' : 'repeat'} an earlier one`,
  repeats: (first: number): string => `= row ${count(first)}`,
  more: (rows: number): string => `and ${count(rows)} more`,
} as const;

/** Content as text. */
export const text = {
  as: 'Content as',
  ways: { table: 'Table', lines: 'Lines', bytes: 'Bytes' },
  line: 'line',
  goToLine: 'go to line',
  counts: (lines: number, rows: number | undefined): string => `, ${plural(lines, 'line')}${rows === undefined ? '' : `, ${plural(rows, 'row')} of a table`}`,
  reading: 'Finding the lines…',
  moreOf: (size: number): string => `${bytes(size)} more`,
  bad: (byte: number): string => `Byte ${count(byte)} is not UTF-8. Such bytes are shown as �.`,
  encodings: {
    'utf-16': 'This is text in UTF-16. Lines are shown of UTF-8 only.',
    binary: 'This is not text in UTF-8.',
  },
  search: 'Find in the content',
  searchLabel: 'Content',
  next: 'Next match',
  previous: 'Previous match',
  searchJob: 'searching the content',
  found: (line: number): string => `In line ${count(line)}.`,
  notFound: 'Not found. Case matters.',
  whole: (size: number): string => `Find all lines (reads ${bytes(size)})`,
  wholeJob: 'finding all lines',
  wholeFailed: 'The lines cannot be found',
  passed: 'scrolled past',
  readingRows: 'Reading rows…',
  rowsJob: 'reading rows',
  part: 'block',
  ofParts: (parts: number): string => `of ${count(parts)}`,
  showPart: 'Show block',
  showAll: 'Show from the start',
  partIs: (part: number, size: number, isStart: boolean): string => `Block ${count(part)}: ${isStart ? 'the first ' : ''}${bytes(size)}`,
  breaksOff: (why: string): string => `The content breaks off at its end: ${why}.`,
  partByte: 'go to byte of the block',
  partByteLabel: 'Byte of the block',
} as const;

/** The list of columns. */
export const columns = {
  label: 'Columns',
  title: (n: number): string => plural(n, 'column'),
  search: 'Find a column',
  hint: 'name or type',
  found: (n: number, all: number): string => `${count(n)} of ${count(all)}`,
  none: 'No column has this name or type.',
  heads: { name: 'column', type: 'type', dimension: 'dimension', stored: 'stored', share: 'share', values: 'first values' },
  show: (name: string): string => `Show column ${name}`,
  spark: (low: string, high: string, n: number): string => `The first ${plural(n, 'value')}, ${low} to ${high}`,
} as const;

/** Where values are stored, and what bytes decode to. */
export const trace = {
  storedLabel: 'Where this value is stored',
  decodesLabel: 'What this byte decodes to',
  failed: 'This cannot be traced',
  unknown: 'The bytes of this value are not known. For a file on a server, list its chunks first.',
  nothing: 'This byte is not part of a value: see its field.',
  pieces: 'Parts of the value',
  heads: ['part', 'value', 'place', 'bytes', 'go to'],
  placeLabel: 'Value of the row',
  ofValues: (n: number): string => `of ${count(n)}`,
  bits: (start: number, end: number): string => {
    const [first, last] = [Math.floor(start / 8), Math.floor((end - 1) / 8)];
    if (end <= start) return 'no bits';
    if (start % 8 === 0 && end % 8 === 0) return first === last ? `byte ${count(first)}` : `bytes ${count(first)} to ${count(last)}`;
    return `${plural(end - start, 'bit')} from bit ${start % 8} of byte ${count(first)}`;
  },
  show: 'Show',
  showOf: (what: string): string => `Show the bytes of ${what}`,
  follow: 'Follow',
  followOf: (what: string): string => `Go to: ${what}`,
  showValue: 'Show in Data',
  showValueOf: (what: string): string => `Show in Data: ${what}`,
  // OnPair
  rowOffsets: 'row offsets',
  codesFrom: (first: number, after: number): string => (after > first ? `codes ${count(first)} to ${count(after - 1)}` : 'no codes'),
  allCodes: 'codes of the row',
  codeCount: (codes: number, width: number): string => `${plural(codes, 'code')} of ${plural(width, 'bit')}`,
  code: (at: number): string => `code ${count(at)} of the row`,
  codeOf: (code: number, text: string): string => `token ${count(code)}: ${text}`,
  token: (code: number): string => `token ${count(code)}`,
  offsetOf: (row: number): string => `offset of row ${count(row)}`,
  partOf: (row: number): string => `codes of row ${count(row)}`,
  // CVC
  wholeRow: 'whole row',
  valuesOf: (n: number): string => plural(n, 'value'),
  storedAs: (encoding: string, dtype: string, width: number): string => (encoding === 'fp16' ? 'half float' : encoding === 'int8' ? 'code' : `${dtype}, ${plural(width, 'byte')}`),
  codeOfRange: (code: number): string => `${code}: the value is code × scale + min`,
  min: 'min of the chunk',
  scale: 'scale of the chunk',
  planeCode: (plane: number): string => `code in plane ${plane}`,
  codeInPlane: (code: number): string => `entry ${code} of its dictionary`,
  planeByte: (plane: number): string => `byte ${plane} of the float`,
  valueIn: (column: string, row: number, place: number | undefined, last: { readonly row: number; readonly place: number } | undefined): string =>
    `${column === '' ? '' : `${column}, `}row ${count(row)}${place === undefined ? '' : `, value ${count(place)}`}${last === undefined ? '' : ` to row ${count(last.row)}${place === undefined ? '' : `, value ${count(last.place)}`}`}`,
  // Pco
  state: (number: number): string => (number === 0 ? 'first number of the page' : `initial state ${count(number)}`),
  bin: (variable: string): string => `${variable} bin`,
  binOf: (bin: number, bits: number): string => `bin ${count(bin)}; ${plural(bits, 'bit')} for the bin of the number four later`,
  offset: (variable: string): string => `${variable} offset`,
  offsetInBin: (offset: bigint, latent: string | undefined): string => (latent === undefined ? String(offset) : `${offset}, so the latent is ${latent}`),
  before: 'number before it',
  deltaFrom: (delta: string): string => `the latent is added to what precedes it (${delta})`,
  mode: 'mode',
  isOf: (what: string, row: number): string => `${what} of row ${count(row)}`,
  // Zstandard, xz, gzip
  block: 'block',
  blockOf: (frame: number | undefined, block: number, kind: string, at: number, length: number): string =>
    `${frame === undefined ? '' : `frame ${count(frame)}, `}block ${count(block)}, ${kind}: byte ${count(at)} of ${count(length)}`,
  storedByte: 'stored byte',
  literal: (at: number): string => `literal ${count(at)} of the block`,
  huffman: 'Huffman-coded',
  raw: 'stored as it is',
  repeated: 'one byte for all literals',
  sequence: (at: number): string => `sequence ${count(at)}`,
  takesLiterals: (run: number, at: number): string => `appends ${plural(run, 'literal')}; this is number ${count(at)}`,
  afterSequences: 'no sequence',
  lastLiterals: 'literals after the last sequence',
  copies: (length: number, offset: number, at: number): string => `copies ${plural(length, 'byte')} from ${count(offset)} back; this is number ${count(at)}`,
  copiedFrom: 'copied from',
  contentByte: (byte: number): string => `byte ${count(byte)} of the content`,
  content: (what: string, first: number, last: number): string => `${what === '' ? '' : `${what}: `}${first === last ? `byte ${count(first)}` : `bytes ${count(first)} to ${count(last)}`} of the content`,
  // AT-1
  column: (name: string): string => `column ${name}`,
  group: (group: number, at: number): string => `row ${count(at)} of group ${count(group)}`,
  rowsOf: (column: string, first: number, last: number): string => `column ${column}, rows ${count(first)} to ${count(last)}`,
} as const;

/** Symbols of a codec, one by one. */
export const symbolList = {
  heads: ['symbol', 'content at', 'decodes to', 'bits', 'in the file', 'in the content'],
  failed: 'These symbols cannot be shown',
  bits: 'Bits',
  bitsOf: (symbol: number): string => `Show the bits of symbol ${count(symbol)}`,
  content: 'Content',
  contentOf: (symbol: number): string => `Show the content of symbol ${count(symbol)}`,
} as const;

/** Returns a byte as hexadecimal digits and, if it is a letter or a sign, as that. */
const byteOf = (byte: number): string => `${byte.toString(16).padStart(2, '0')}${byte > 0x20 && byte < 0x7f ? ` ${String.fromCharCode(byte)}` : byte === 0x20 ? ' space' : byte === 10 ? ' line feed' : ''}`;

const range = (from: number, to: number): string => (from === to ? count(from) : `${count(from)} to ${count(to)}`);

/** What the views of DEFLATE and LZMA share. */
export const inside = {
  ofParts: (parts: number): string => `of ${count(parts)}, from 0`,
  more: '; the file has more, which are not listed',
  broken: '; the list ends where the file breaks',
  storedIs: (length: number): string => `${bytes(length)}, stored as they are`,
  lengths: 'Match lengths',
  distances: 'Distances',
  lengthsChart: (matches: number): string => `Lengths of ${plural(matches, 'match', 'matches')}`,
  distancesChart: (matches: number): string => `Distances of ${plural(matches, 'match', 'matches')}`,
  bar: (name: string, uses: number): string => `${name}: ${plural(uses, 'match', 'matches')}`,
  symbols: 'Symbols',
} as const;

/** Blocks of DEFLATE. */
export const deflate = {
  parts: 'DEFLATE blocks',
  part: 'block',
  partLabel: 'Block',
  partsAre: (blocks: number): string => plural(blocks, 'block'),
  list: (size: number): string => `List the blocks (reads ${bytes(size)})`,
  job: 'listing the blocks',
  failed: 'The blocks cannot be listed',
  partHeads: ['block', 'type', 'starts at byte', 'size', 'content', 'symbols', 'literals', 'matches', 'bits per symbol'],
  types: { stored: 'stored', fixed: 'fixed code', dynamic: 'own code' },
  blockIs: (block: number, type: string): string => `Block ${count(block)}: ${type}`,
  bitsAre: (header: number, literals: number, rest: number): string => `${plural(header, 'bit')} of header, ${count(literals)} of literals, ${count(rest)} of matches and the end`,
  codesFailed: 'The code cannot be shown',
  codes: 'Code',
  codeHeads: ['symbol', 'code bits', 'extra bits', 'used', 'ideal bits', 'total bits', 'share'],
  literal: (byte: number): string => `literal ${byteOf(byte)}`,
  length: (from: number, to: number): string => `length ${range(from, to)}`,
  distance: (from: number, to: number): string => `distance ${range(from, to)}`,
  end: 'end of the block',
  stored: (length: number): string => `${plural(length, 'stored byte')}`,
  match: (length: number, distance: number): string => `${plural(length, 'byte')} from ${count(distance)} back`,
  lengthsCaption: 'A bar for each symbol of a length, from 3 to 258 bytes. Longer lengths share symbols.',
  distancesCaption: 'A bar for each symbol of a distance, from 1 to 32,768 bytes back. Longer distances share symbols.',
} as const;

/** Chunks of LZMA2 and streams of LZMA. */
export const lzma = {
  parts: 'LZMA chunks',
  part: 'chunk',
  partLabel: 'Chunk',
  partsAre: (chunks: number): string => plural(chunks, 'chunk'),
  list: (size: number): string => `Measure the symbols (decodes ${bytes(size)})`,
  job: 'measuring the symbols',
  failed: 'The symbols cannot be measured',
  partHeads: ['chunk', 'type', 'starts at byte', 'size', 'content', 'symbols', 'literals', 'matches', 'bits per symbol'],
  types: { stored: 'stored', stream: 'stream' },
  /** The resets of a chunk, by the highest bits of its control byte. */
  resets: (bits: number): string => ({ 5: 'LZMA, state reset', 6: 'LZMA, new properties', 7: 'LZMA, all reset' })[bits] ?? 'LZMA',
  chunkIs: (chunk: number, type: string): string => `Chunk ${count(chunk)}: ${type}`,
  bitsAre: (symbols: number, bits: number): string => `${plural(symbols, 'symbol')} cost ${plural(bits, 'bit')}`,
  costs: 'Cost by kind',
  costHeads: ['kind', 'symbols', 'share of symbols', 'bits', 'share of bits', 'bits each'],
  costsCaption: 'The cost of a symbol is the sum of −log₂ of the probabilities of its bits. The coder spends 32 to 40 bits more on its start and end.',
  kinds: { literal: 'literal', match: 'match', rep0: 'repeat of the last distance', rep1: 'repeat of the 2nd last distance', rep2: 'repeat of the 3rd last distance', rep3: 'repeat of the 4th last distance', shortRep: 'one byte at the last distance', endMarker: 'end marker' },
  countsFailed: 'The matches cannot be counted',
  length: (length: number): string => `length ${count(length)}`,
  distance: (from: number, to: number): string => `distance ${range(from, to)}`,
  lengthsCaption: (longest: number): string => `A bar for each length, from 1 to ${count(longest)} bytes.`,
  distancesCaption: (farthest: number): string => `Two bars for each power of two, from 1 to ${count(farthest)} bytes back.`,
  literal: (byte: number): string => `literal ${byteOf(byte)}`,
  match: (kind: string, length: number, distance: number): string => `${kind}: ${plural(length, 'byte')} from ${count(distance)} back`,
} as const;
