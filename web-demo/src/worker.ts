// Reads and decodes off the page's thread. Each worker serves one file and ends with it.
import { readBlob, UnspoolError, type DecodeStream } from 'unspool';
import type { Structure } from 'unspool/inspect';
import { current, faultOf, formatOf, here, type Source } from './current';
import type { Ordered, OrderWanted } from './data/order';
import { doorOf, valuesDoorOf } from './formats';
import type { BinsWanted } from './formats/pco-bins';
import type { SumWanted } from './formats/sums';
import type { SymbolsWanted } from './formats/symbols';
import type { CodesWanted, SequencesWanted } from './formats/zstd-inside';
import type { Fault, Model, Report } from './model';
import { progressOf, telling, type Progress, type Tell } from './tools/progress';
import type { Sought } from './bytes/search';
import type { TextWanted } from './text/content';
import type { TraceWanted } from './trace/inside';
import type { CurveWanted, ExportWanted, Neighbour, OddRows, Projected, Question, TextSearch, TextsWanted, VectorsWanted } from './values';
import { dictionary as words } from './words';

/** Requests of the page. */
export type Wanted =
  | { readonly open: Source; readonly dictionary: Blob | undefined }
  /** Inspects a file that was opened without its structure, or lists its chunks. */
  | { readonly list: true }
  | { readonly rows: { column: number; start: number; end: number } }
  | { readonly texts: TextsWanted }
  | { readonly search: TextSearch }
  | { readonly bytes: { start: number; end: number } }
  /** Rows of strings, with all their bytes. */
  | { readonly strings: { start: number; end: number } }
  | { readonly order: OrderWanted }
  | { readonly find: Sought }
  | { readonly query: Question }
  | { readonly bins: BinsWanted }
  | { readonly codes: CodesWanted }
  | { readonly sequences: SequencesWanted }
  | { readonly trace: TraceWanted }
  | { readonly text: TextWanted }
  | { readonly symbols: SymbolsWanted }
  | { readonly check: true }
  /** Statistics of a column, or of a sample of it. */
  | { readonly statistics: number; readonly sample: boolean }
  /** Sums up a piece of a column, for another worker. */
  | { readonly sum: SumWanted }
  | { readonly curve: CurveWanted }
  | { readonly vectors: VectorsWanted }
  | { readonly save: ExportWanted };

/** A request, or the cancellation of one. */
export type Request = { readonly id: number } & (Wanted | { readonly cancel: true });

export type Answer =
  | { readonly id: number; readonly progress: Progress }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Fault };

/** Resolves when the file is open; earlier requests wait for it. */
let opening: Promise<unknown> = Promise.resolve();
/** Number of jobs that list chunks. They take seconds, so longer jobs wait for them. */
let listing = 0;

/** Loads what inspects files, which most files need at once. */
const inspecting = () => import('./inspecting');

/** Larger files are not read at once: formats have their own limits. */
const AT_ONCE = 2 ** 27;

async function open(source: Source, lent: Blob | undefined, post: (progress: Progress) => void): Promise<Report> {
  current.dictionary = lent && { name: lent instanceof File ? lent.name : words.file, bytes: new Uint8Array(await lent.arrayBuffer()) };
  if (!(source instanceof Blob)) return (await inspecting()).open(source, post);
  // The file is read while the code for it loads.
  const reading = source.size < AT_ONCE ? readBlob(source, { onProgress: (done, total) => post({ done, total }) }) : undefined;
  reading?.catch(() => undefined);
  const format = await formatOf(source);
  // Another file may be in gzip.
  if (format !== 'gzip') post({ done: 0, total: source.size, format });
  const door = reading !== undefined && lent === undefined ? await valuesDoorOf(format) : undefined;
  if (format === undefined || door === undefined || reading === undefined) {
    // Loads at the same time. Opening reports what fails.
    doorOf(format).catch(() => undefined);
    const { open, openWhole } = await inspecting();
    return reading === undefined ? open(source, post) : openWhole(source, await reading, post);
  }
  const bytes = await reading;
  const file = door(bytes);
  // Bytes after the end and errors are found by inspecting.
  if (file === undefined) return (await inspecting()).openWhole(source, bytes);
  Object.assign(current, { file, content: source, uninspected: bytes });
  return {
    inspected: false, isText: false, content: undefined, lent: undefined, wrapped: undefined, parts: 0, within: undefined, read: 'all', format, size: bytes.length,
    model: emptyModel(bytes.length), summary: file.summary, hasCodec: true, error: undefined, checksums: { right: 0, wrong: 0, unchecked: 0 },
  };
}

/** The model of a file that is not inspected: no byte belongs to a field. */
const emptyModel = (size: number): Model => ({
  structure: noStructure(), parent: new Int32Array(), after: new Uint32Array(), leaves: new Uint32Array(), totals: [8 * size], counts: [],
});

const noStructure = (): Structure => ({
  length: 0, leftOut: 0, start: new Float64Array(), end: new Float64Array(), depth: new Uint8Array(), part: new Uint8Array(), name: new Uint16Array(), valueEnd: new Uint32Array(),
  values: new Uint8Array(), names: {}, parts: [],
});

/** Inspects the file, or lists its chunks. */
async function list(post: (progress: Progress) => void, signal: AbortSignal): Promise<Report> {
  listing++;
  try {
    return await (await inspecting()).list(post, signal);
  } finally {
    listing--;
  }
}

/** Runs a request. Returns the result, and the arrays to transfer. */
async function work(wanted: Wanted, post: (progress: Progress) => void, signal: AbortSignal): Promise<[result: unknown, arrays: readonly ArrayBufferView[]]> {
  if ('open' in wanted) {
    const opened = open(wanted.open, wanted.dictionary, post);
    opening = opened.catch(() => undefined);
    return withArrays(await opened);
  }
  await opening;
  const { file } = current;
  const dictionary = current.dictionary?.bytes;
  const tell = telling(post, signal);
  if ('list' in wanted) return withArrays(await list(post, signal));
  if ('rows' in wanted) {
    const result = await here(file?.rows)(wanted.rows.column, wanted.rows.start, wanted.rows.end);
    return [result, [result.data]];
  }
  if ('texts' in wanted) return [await here(file?.texts)(wanted.texts), []];
  if ('strings' in wanted) {
    const result = await here(file?.strings)(wanted.strings.start, wanted.strings.end);
    return [result, [result.bytes, result.offsets]];
  }
  if ('order' in wanted) {
    const ordered = await orderOf(wanted.order, tell);
    return [ordered, [ordered.rows]];
  }
  if ('find' in wanted) return [await (await import('./bytes/search')).find(here(current.content), wanted.find, tell), []];
  if ('query' in wanted) return [await here(file?.query)(wanted.query), []];
  if ('bins' in wanted) return [await here(file?.bins)(wanted.bins), []];
  if ('codes' in wanted) return [await (await import('./formats/zstd-inside')).codes(here(current.content), wanted.codes), []];
  if ('sequences' in wanted) return [await (await import('./formats/zstd-inside')).sequences(here(current.content), wanted.sequences, dictionary), []];
  if ('text' in wanted) return withBytes(await textOf(wanted.text, tell));
  if ('trace' in wanted) return [await (await import('./trace/inside')).inside(here(current.content), wanted.trace, dictionary), []];
  if ('symbols' in wanted) return [await (await import('./formats/symbols')).symbols(here(current.content), wanted.symbols, { signal, onProgress: progressOf(post) }), []];
  if ('check' in wanted) return [await (await inspecting()).check(tell, signal), []];
  if ('statistics' in wanted) {
    const { sampledFrom, summedUp } = await import('./formats/summing');
    const column = here(file?.numbers)(wanted.statistics);
    return [wanted.sample ? await sampledFrom(column, tell) : await summedUp(column, telling(post, signal, () => listing > 0)), []];
  }
  if ('sum' in wanted) {
    const sum = (await import('./formats/sums')).sumOf(wanted.sum);
    return [sum, [sum.low, sum.high]];
  }
  if ('curve' in wanted) return [await (await import('./formats/summing')).curveOf(here(file?.numbers)(wanted.curve.column), wanted.curve.start, wanted.curve.end, tell), []];
  if ('vectors' in wanted) return [await aboutVectors(wanted.vectors, tell), []];
  if ('save' in wanted) return [await saved(here(file?.save)(wanted.save, tell), wanted.save.to), []];
  const result = 'search' in wanted ? await here(file?.search)(wanted.search, tell) : here(file?.bytes)(wanted.bytes.start, wanted.bytes.end);
  return [result, [result]];
}

async function orderOf(wanted: OrderWanted, tell: Tell): Promise<Ordered> {
  const { orderOfNumbers, orderOfStrings } = await import('./data/order');
  const file = here(current.file);
  if (file.numbers !== undefined) return orderOfNumbers(file.numbers(wanted.column), wanted, tell);
  const read = here(file.strings);
  const { stringsOf } = await import('./formats/onpair');
  return orderOfStrings(file.summary.rows, wanted, stringsOf(Math.min(file.summary.rows, wanted.most), read, tell));
}

async function textOf(wanted: TextWanted, tell: Tell): Promise<unknown> {
  const { contentOf, text } = await import('./text/content');
  const { format, parts, isBroken } = current;
  const { summary: { decoded, startOnly, brokenFrom, zstd }, bytes } = here(current.file);
  const decoder = async (): Promise<DecodeStream> => here((await doorOf(format))?.stream)(current.dictionary?.bytes, zstd);
  // The start of broken or large content may end anywhere.
  const isCut = startOnly === true || brokenFrom !== undefined;
  return text(wanted, { content: contentOf(decoded, here(bytes)), isCut, packed: here(current.content), parts, isBroken, format, decoder }, tell);
}

/** Transfers bytes rather than copying them. */
function withBytes(result: unknown): [result: unknown, arrays: readonly ArrayBufferView[]] {
  return [result, result instanceof Uint8Array ? [result] : []];
}

async function aboutVectors(wanted: VectorsWanted, tell: Tell): Promise<readonly Neighbour[] | undefined | OddRows | Projected> {
  const column = here(current.file?.numbers)(wanted.column);
  const { neighboursOf, oddRowsOf, projectedOf } = await import('./formats/vectors');
  if ('near' in wanted) return neighboursOf(column, wanted.near, wanted.most, tell);
  return wanted.find === 'odd' ? oddRowsOf(column, tell) : projectedOf(column, tell);
}

function withArrays(report: Report): [report: Report, arrays: readonly ArrayBufferView[]] {
  const { structure, parent, after, leaves } = report.model;
  return [report, [...Object.values(structure).filter(ArrayBuffer.isView), parent, after, leaves]];
}

/** Writes parts to a file on disk or to a `Blob`; neither is in the worker's memory. */
async function saved(parts: Iterable<BlobPart> | AsyncIterable<BlobPart>, to: FileSystemFileHandle | undefined): Promise<Blob | undefined> {
  if (to === undefined) {
    const blobs: Blob[] = [];
    for await (const part of parts) blobs.push(new Blob([part]));
    return new Blob(blobs);
  }
  const file = await to.createWritable();
  try {
    for await (const part of parts) await file.write(part as FileSystemWriteChunkType);
    await file.close();
  } catch (error) {
    await file.abort();
    throw error;
  }
  return undefined;
}

const PLAIN = { fault: (error: unknown): Fault => faultOf(error, []) };

/** Running jobs, to be cancelled. */
const going = new Map<number, AbortController>();

self.onmessage = async ({ data: { id, ...wanted } }: MessageEvent<Request>) => {
  if ('cancel' in wanted) return going.get(id)?.abort();
  const job = new AbortController();
  going.set(id, job);
  try {
    const post = (progress: Progress): void => self.postMessage({ id, progress } satisfies Answer);
    const [result, arrays] = await work(wanted, post, job.signal);
    self.postMessage({ id, result } satisfies Answer, { transfer: arrays.map((array) => array.buffer as ArrayBuffer) });
  } catch (error) {
    // The texts of errors in files load with the first one.
    const { fault } = error instanceof UnspoolError ? await inspecting().catch(() => PLAIN) : PLAIN;
    self.postMessage({ id, error: fault(error) } satisfies Answer);
  } finally {
    going.delete(id);
  }
};
