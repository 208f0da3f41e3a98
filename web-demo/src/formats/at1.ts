import { at1Stream, at1Text, decodeAt1, decodeAt1Files, describeAt1, queryAt1, UnspoolError, type At1Answer, type At1QueryOptions, type At1Table, type Source } from 'unspool/at1/separate';
import { sourceOf } from '../arrive/remote';
import { count } from '../format';
import type { At1Columns, Fate, Question, TableAnswer } from '../values';
import { groupHeads } from '../data/asked';
import { csvOfRows, jsonOfRows } from '../data/writers';
import { checkStream, checkWalk } from './check';
import { contentOf } from './content';
import type { Tell } from '../tools/progress';
import { needsScan, scanned } from './at1-scan';
import type { Door, Opened } from './door';
import { WHOLE, wholeOrStart } from './start';
import { facts as words, query as queryWords } from '../words';

export const at1: Door = {
  limits: WHOLE,
  async open(bytes) {
    const table = await tableOf(bytes);
    if (table === undefined) return wholeOrUnhashed(bytes);
    try {
      return opened(bytes, table, decodeAt1(bytes, { limits: WHOLE }));
    } catch (error) {
      // A table can be queried even if a row group is broken or it is too large as a whole.
      if (!(error instanceof UnspoolError)) throw error;
      return { ...opened(bytes, table, undefined), error };
    }
  },
  check: (file, _, tell) => checkStream(file, at1Stream({ limits: WHOLE }), tell),
  async openLarge(file) {
    const source = sourceOf(file);
    const table = await tableOf(source);
    if (table === undefined) return undefined;
    return { opened: opened(source, table, undefined), head: table.bytesRead };
  },
};

/**
 * Opens a file as a whole. If only its hash is wrong, decodes it without; otherwise decodes what
 * precedes the error.
 */
async function wholeOrUnhashed(bytes: Uint8Array): Promise<Opened> {
  try {
    return await wholeOrStart(bytes, () => filesOf(bytes), () => at1Stream({ limits: WHOLE }));
  } catch (error) {
    if (!(error instanceof UnspoolError) || error.name !== 'At1Hash') throw error;
    const opened = filesOf(bytes.subarray(0, error.offset));
    return { ...opened, summary: { ...opened.summary, brokenFrom: error.offset, unhashed: true }, error };
  }
}

/** Decodes all files. The files of a bundle are shown concatenated. */
function filesOf(bytes: Uint8Array): Opened {
  const files = decodeAt1Files(bytes, { limits: WHOLE });
  const [only, ...others] = files;
  if (only !== undefined && only.name === '' && others.length === 0) return contentOf(only.bytes);
  return contentOf(joined(files.map(({ bytes }) => bytes)), [[words.files, words.filesOf(files.map(({ name }) => name))]]);
}

/** Describes the table in a file, if it can be queried. */
async function tableOf(source: Source): Promise<At1Columns | undefined> {
  try {
    const table = await describeAt1(source);
    const names = table.columns.some(({ name }) => name === undefined) ? await namesInFirstRow(source, table) : [];
    const columns = table.columns.map(({ name, type }, at) => ({ type, known: (name ?? names[at]) !== undefined, name: unquoted(name ?? names[at]) ?? queryWords.unnamed(at) }));
    return { ...table, columns };
  } catch (error) {
    // Most codecs hold no table. Errors of this one show when it is decoded.
    if (error instanceof UnspoolError) return undefined;
    throw error;
  }
}

/** Takes a first row of words as column names. */
async function namesInFirstRow(source: Source, { codec, rowCount }: At1Table): Promise<readonly string[]> {
  if (codec !== 'qcolumnar' || rowCount === 0) return [];
  const [first = []] = (await queryAt1(source, { limit: 1 })).rows;
  return first.every((field) => field !== '' && Number.isNaN(Number(field))) ? first : [];
}

function unquoted(name: string | undefined): string | undefined {
  return name !== undefined && /^".+"$/.test(name) ? name.slice(1, -1) : name;
}

function opened(source: Source, table: At1Columns, content: Uint8Array<ArrayBuffer> | undefined): Opened {
  const { codec, rowCount: rows, groupCount: groups, columns } = table;
  const query = async (question: Question): Promise<TableAnswer> => {
    const { where, eq, asked } = optionsOf(question);
    const ask = (options: Asked): Promise<At1Answer> => queryAt1(source, options);
    const answer = needsScan(question) ? await scanned(question, { where, eq }, ask) : await ask({ where, eq, ...asked });
    return { ...answer, groups: fates(table, answer) };
  };
  return {
    summary: {
      version: '',
      facts: [[words.codec, codec], [words.rows, count(rows)], [words.columns, count(columns.length)], [words.groups, count(groups)]],
      rows,
      columns: [],
      shows: 'table',
      table,
      hasChecksums: undefined,
      decoded: content?.length ?? 0,
    },
    query,
    check: (tell) => checkWalk(wholeText(source, groups, tell)),
    async *save({ kind, question }, tell) {
      if (question === undefined) {
        if (content === undefined) yield* wholeText(source, groups, tell);
        else yield content;
        return;
      }
      const { rows } = await query(question);
      const picked = question.columns.length > 0 ? question.columns.map((at) => columns[at]?.name ?? '') : columns.map(({ name }) => name);
      const names = question.ask === 'lines' ? [queryWords.line] : question.ask === 'groups' ? groupHeads(question, table) : picked;
      yield* kind === 'json' ? jsonOfRows(names, rows) : csvOfRows(names, rows);
    },
  };
}

/** Emits the text of a table that is not in memory, one row group at a time. */
async function* wholeText(source: Source, groups: number, tell: Tell): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let done = 0;
  for await (const piece of at1Text(source)) {
    yield piece as Uint8Array<ArrayBuffer>;
    await tell({ done: Math.min(++done, groups), total: groups });
  }
}

/** A query whose values are strings. */
type Asked = Omit<At1QueryOptions, 'as'>;

/** Translates a query into options of the package. */
function optionsOf({ conditions, ask, columns, column, limit }: Question): { where: NonNullable<Asked['where']>; eq: NonNullable<Asked['eq']>; asked: Asked } {
  const where = conditions
    .filter(({ test, from, to }) => test === 'between' && from.trim() + to.trim() !== '')
    .map(({ column, from, to }) => ({ column, ...(from.trim() === '' ? {} : { from: from.trim() }), ...(to.trim() === '' ? {} : { to: to.trim() }) }));
  const eq = conditions.filter(({ test }) => test === 'equals').map(({ column, from }) => ({ column, value: from }));
  // A scan answers the others.
  const asked: Partial<Record<Question['ask'], Asked>> = {
    rows: columns.length > 0 ? { select: columns, limit } : { limit },
    lines: { lines: true, limit },
    count: { count: true },
    sum: { sum: column },
    min: { min: column },
    max: { max: column },
  };
  return { where, eq, asked: asked[ask] ?? {} };
}

/**
 * Returns the fate of each row group. Groups are read in order, so unread ones before the last read
 * were ruled out.
 */
function fates({ groupCount: groups, columns, blocks }: At1Columns, { stats }: Awaited<ReturnType<typeof queryAt1>>): Fate[] {
  const fates = Array<Fate>(groups).fill(0);
  // If all blocks are compressed as one, no group can be skipped.
  if (blocks === undefined) return fates.fill(2);
  for (const { start, end } of stats.ranges) {
    // The head of the file, which may include blocks that were not requested.
    if (start === 0) continue;
    let group = groupAt(blocks.end, columns.length, start);
    for (; group < groups && (blocks.start[group * columns.length] ?? Infinity) < end; group++) fates[group] = 2;
  }
  let skipped = stats.skipped;
  for (let group = 0; group < groups && skipped > 0; group++) {
    if (fates[group] !== 0) continue;
    fates[group] = 1;
    skipped--;
  }
  return fates;
}

/** Returns the first group that ends after a byte. */
function groupAt(ends: Float64Array, columns: number, byte: number): number {
  let [low, high] = [0, ends.length / columns];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[(middle + 1) * columns - 1] ?? 0) <= byte) low = middle + 1;
    else high = middle;
  }
  return low;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
