// Reads and decodes off the page's thread. Each worker serves one file and ends with it.
import { probe, readBlob, UnspoolError, type DecodeStream, type Format } from 'unspool';
import { errorTable, inspect, outline, type Inspection } from 'unspool/inspect';
import { doorOf } from './formats';
import type { Opened } from './formats/door';
import type { BinsWanted } from './formats/pco-bins';
import { curveOf, summedUp } from './formats/summing';
import type { SymbolsWanted } from './formats/symbols';
import { codes, sequences, type CodesWanted, type SequencesWanted } from './formats/zstd-inside';
import { endBefore, endOf, withLaterChunks, withoutEmptyEnd, withPacked, withTrailing } from './formats/structures';
import { buildModel, type Fault, type Report, type Verdict } from './model';
import { seldom, telling, type Progress, type Tell } from './tools/progress';
import { idOf } from './arrive/dictionary';
import { RemoteFile, type Content } from './arrive/remote';
import { find, type Sought } from './bytes/search';
import type { TextWanted } from './text/content';
import type { Part } from './text/parts';
import type { TraceWanted } from './trace/inside';
import type { CurveWanted, ExportWanted, Neighbour, OddRows, Projected, Question, TextSearch, TextsWanted, VectorsWanted } from './values';
import { network, dictionary as dictionaryWords } from './words';

/** The source of a file: bytes of the visitor, or a large remote file. */
export type Source = Blob | { readonly url: string; readonly size: number };

/** Requests of the page. */
export type Wanted =
  | { readonly open: Source; readonly dictionary: Blob | undefined }
  /** Lists the chunks of a file that was opened without them. */
  | { readonly list: true }
  | { readonly rows: { column: number; start: number; end: number } }
  | { readonly texts: TextsWanted }
  | { readonly search: TextSearch }
  | { readonly bytes: { start: number; end: number } }
  /** Rows of strings, with all their bytes. */
  | { readonly strings: { start: number; end: number } }
  | { readonly find: Sought }
  | { readonly query: Question }
  | { readonly bins: BinsWanted }
  | { readonly codes: CodesWanted }
  | { readonly sequences: SequencesWanted }
  | { readonly trace: TraceWanted }
  | { readonly text: TextWanted }
  | { readonly symbols: SymbolsWanted }
  | { readonly check: true }
  | { readonly statistics: number }
  | { readonly curve: CurveWanted }
  | { readonly vectors: VectorsWanted }
  | { readonly save: ExportWanted };

/** A request, or the cancellation of one. */
export type Request = { readonly id: number } & (Wanted | { readonly cancel: true });

export type Answer =
  | { readonly id: number; readonly progress: Progress }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Fault };

/** Larger files are not read as a whole: the structure would take as much memory again. */
const MOST = 1.5e9;

/**
 * Length of the head to inspect if nothing else of a large file can be read; less for a remote one.
 */
const [HEAD, HEAD_REMOTE] = [2 ** 24, 2 ** 20];

/**
 * Maximum number of chunks listed before anything is shown. Each chunk leads to the next, so a
 * remote file needs one request for each.
 */
const [FEW, FEW_REMOTE] = [128, 16];

let file: Opened | undefined;
let content: Content | undefined;
let format: Format | undefined;
let isBroken = false;
/** The parts of the file that decode by themselves. */
let parts: readonly Part[] = [];
let dictionary: Uint8Array | undefined;
/** File name of the dictionary. */
let lentName = '';
/** Resolves when the file is open; earlier requests wait for it. */
let opening: Promise<unknown> = Promise.resolve();
/** Number of jobs that list chunks. They take seconds, so longer jobs wait for them. */
let listing = 0;

async function open(source: Source, lent: Blob | undefined, post: (progress: Progress) => void): Promise<Report> {
  dictionary = lent === undefined ? undefined : new Uint8Array(await lent.arrayBuffer());
  lentName = lent instanceof File ? lent.name : dictionaryWords.file;
  if (!(source instanceof Blob)) return openLarge(source.url, new RemoteFile(source.url, source.size), post);
  if (source.size > ((await doorOf(await formatOf(source)))?.whole ?? MOST)) return openLarge(source, source, post);
  let bytes = await readBlob(source, { onProgress: (done, total) => post({ done, total }) });
  // The format of the file is loaded by now.
  const inside = probe(bytes).format === 'gzip' ? await (await import('./formats/gzip')).unwrap(bytes) : undefined;
  const wrapped = inside === undefined ? undefined : bytes.length;
  bytes = inside ?? bytes;
  content = inside === undefined ? source : new Blob([inside]);
  const size = bytes.length;
  let found = await inspected(bytes);
  // Bytes after a complete file are not its error.
  const end = endBefore(found, bytes);
  if (end !== undefined) {
    bytes = bytes.subarray(0, end);
    found = await inspected(bytes);
  }
  let met: UnspoolError | undefined;
  try {
    file = await (await doorOf(found.format))?.open(bytes, found.structure, dictionary);
    met = file?.error;
  } catch (error) {
    if (!(error instanceof UnspoolError)) throw error;
    // Show as much of the file as can be read.
    met = error;
  }
  // `inspect` has no dictionary and fails where one is needed, even if the file does not name it.
  // Decoding has it.
  const isZstd = found.format?.startsWith('zstd') === true;
  const error = dictionary !== undefined && isZstd ? met : (found.error ?? met);
  const zstd = isZstd ? (await import('unspool/zstd/separate')).zstdFormat(bytes) : undefined;
  let { structure } = found;
  if (end !== undefined && error === undefined) structure = withTrailing(structure, end, size);
  // After a bad chunk of CVC, the others are intact.
  if (found.format === 'cvc' && found.error !== undefined && found.error.class !== 'Truncated') structure = withLaterChunks(structure, (await outline(bytes))?.structure ?? structure);
  return { ...(await report({ ...found, size, structure, error }, wrapped === undefined ? undefined : (content as Blob), wrapped, 'all')), zstd };
}

/**
 * Opens a file without reading it as a whole: its outline with values on demand or, if the format
 * allows neither, its head.
 */
async function openLarge(source: Blob | string, from: Blob | RemoteFile, post: (progress: Progress) => void): Promise<Report> {
  const door = await doorOf(await formatOf(from));
  const local = from instanceof Blob;
  const size = Math.min(from.size, local ? HEAD : HEAD_REMOTE);
  let read: Promise<Uint8Array> | undefined;
  const head = (): Promise<Uint8Array> => (read ??= bytesIn(from, size));
  const large = await door?.openLarge?.(source, head, dictionary);
  [file, content] = [large?.opened, from];
  const chunks = large?.opened.summary.chunkEnds?.length;
  if (door?.outlined !== undefined && (chunks === undefined ? local || door.outlined.remote : chunks <= (local ? FEW : FEW_REMOTE))) {
    const found = await outline(source, { onProgress: progressOf(post) });
    if (found !== undefined) {
      const end = endBefore(found, new Uint8Array());
      if (end !== undefined) {
        return report({ ...found, structure: withTrailing(found.structure, end, from.size), error: file?.error }, undefined, undefined, door.outlined.read);
      }
      if (found.error === undefined && door.openOutlined !== undefined) file = await door.openOutlined(from, found.structure);
      return report({ ...found, error: found.error ?? file?.error }, undefined, undefined, door.outlined.read);
    }
  }
  const found = await inspected(await (large?.head === undefined ? head() : bytesIn(from, large.head)));
  // The end of the head is not an error.
  return report({ ...found, structure: withoutEmptyEnd(found.structure), size: from.size, error: file?.error }, undefined, undefined, large?.head === undefined ? size : 'values');
}

/** Inspects bytes within the memory limit of their format. */
async function inspected(bytes: Uint8Array): Promise<Inspection> {
  const limits = (await doorOf(probe(bytes).format))?.limits;
  return inspect(bytes, limits && { limits });
}

async function bytesIn(content: Content, end: number): Promise<Uint8Array> {
  return new Uint8Array(await content.slice(0, end).arrayBuffer());
}

/** Wraps a progress callback for a walk over thousands of headers. */
function progressOf(post: (progress: Progress) => void): (done: number, total: number) => void {
  const tell = seldom(post);
  return (done, total) => void tell({ done, total });
}

/** Outlines an open file with all its chunks. Handles other requests meanwhile. */
async function list(from: Content, post: (progress: Progress) => void, signal: AbortSignal): Promise<Report> {
  listing++;
  try {
    const found = await outline(from instanceof RemoteFile ? from.url : (from as Blob), { signal, onProgress: progressOf(post) });
    return report(here(found), undefined, undefined, 'values');
  } finally {
    listing--;
  }
}

/** Decodes the whole file, and keeps nothing of it. */
async function check(tell: Tell, signal: AbortSignal): Promise<Verdict> {
  const whole = here(content);
  const door = await doorOf(await formatOf(whole));
  const { error, decoded, badRows = 0 } = await (file?.check?.(tell) ?? here(door?.check)(whole, dictionary, tell, signal));
  const end = error && endOf(error);
  return { error: end === undefined ? error && fault(error) : undefined, decoded, badRows, extra: end === undefined ? 0 : whole.size - end };
}

/** Number of bytes that identify every format. */
const PROBED = 16;

async function formatOf(content: Content): Promise<Format | undefined> {
  return probe(await bytesIn(content, PROBED)).format;
}

async function report({ size, structure, error, checksums, ...found }: Inspection, inside: Blob | undefined, wrapped: number | undefined, read: Report['read']): Promise<Report> {
  [format, isBroken] = [found.format, error !== undefined];
  // The head of a file does not have all of its parts.
  if (file?.summary.shows === 'bytes' && typeof read !== 'number') parts = (await import('./text/parts')).partsOf(format, structure);
  const model = buildModel(withPacked(structure), size);
  const lent = dictionary && { name: lentName, id: idOf(dictionary) };
  // Only plain bytes may be a file themselves.
  const within = file?.summary.shows === 'bytes' ? probe(here(file.bytes)(0, PROBED)).format : undefined;
  return { content: inside, lent, wrapped, parts: parts.length, within, read, format, size, model, summary: file?.summary, error: error && fault(error), checksums };
}

/** Runs a request. Returns the result, and the arrays to transfer. */
async function work(wanted: Wanted, post: (progress: Progress) => void, signal: AbortSignal): Promise<[result: unknown, arrays: readonly ArrayBufferView[]]> {
  if ('open' in wanted) {
    const opened = open(wanted.open, wanted.dictionary, post);
    opening = opened.catch(() => undefined);
    return withArrays(await opened);
  }
  await opening;
  const tell = telling(post, signal);
  if ('list' in wanted) return withArrays(await list(here(content), post, signal));
  if ('rows' in wanted) {
    const result = await here(file?.rows)(wanted.rows.column, wanted.rows.start, wanted.rows.end);
    return [result, [result.data]];
  }
  if ('texts' in wanted) return [await here(file?.texts)(wanted.texts), []];
  if ('strings' in wanted) {
    const result = await here(file?.strings)(wanted.strings.start, wanted.strings.end);
    return [result, [result.bytes, result.offsets]];
  }
  if ('find' in wanted) return [await find(here(content), wanted.find, tell), []];
  if ('query' in wanted) return [await here(file?.query)(wanted.query), []];
  if ('bins' in wanted) return [await here(file?.bins)(wanted.bins), []];
  if ('codes' in wanted) return [await codes(here(content), wanted.codes), []];
  if ('sequences' in wanted) return [await sequences(here(content), wanted.sequences, dictionary), []];
  if ('text' in wanted) return withBytes(await textOf(wanted.text, tell));
  if ('trace' in wanted) return [await (await import('./trace/inside')).inside(here(content), wanted.trace, dictionary), []];
  if ('symbols' in wanted) return [await (await import('./formats/symbols')).symbols(here(content), wanted.symbols, { signal, onProgress: progressOf(post) }), []];
  if ('check' in wanted) return [await check(tell, signal), []];
  if ('statistics' in wanted) return [await summedUp(here(file?.numbers)(wanted.statistics), telling(post, signal, () => listing > 0)), []];
  if ('curve' in wanted) return [await curveOf(here(file?.numbers)(wanted.curve.column), wanted.curve.start, wanted.curve.end, tell), []];
  if ('vectors' in wanted) return [await aboutVectors(wanted.vectors, tell), []];
  if ('save' in wanted) return [await saved(here(file?.save)(wanted.save, tell), wanted.save.to), []];
  const result = 'search' in wanted ? await here(file?.search)(wanted.search, tell) : here(file?.bytes)(wanted.bytes.start, wanted.bytes.end);
  return [result, [result]];
}

async function textOf(wanted: TextWanted, tell: Tell): Promise<unknown> {
  const { contentOf, text } = await import('./text/content');
  const { summary: { decoded, startOnly, brokenFrom, zstd }, bytes } = here(file);
  const decoder = async (): Promise<DecodeStream> => here((await doorOf(format))?.stream)(dictionary, zstd);
  // The start of broken or large content may end anywhere.
  const isCut = startOnly === true || brokenFrom !== undefined;
  return text(wanted, { content: contentOf(decoded, here(bytes)), isCut, packed: here(content), parts, isBroken, format, decoder }, tell);
}

/** Transfers bytes rather than copying them. */
function withBytes(result: unknown): [result: unknown, arrays: readonly ArrayBufferView[]] {
  return [result, result instanceof Uint8Array ? [result] : []];
}

async function aboutVectors(wanted: VectorsWanted, tell: Tell): Promise<readonly Neighbour[] | undefined | OddRows | Projected> {
  const column = here(file?.numbers)(wanted.column);
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

/** Returns a method of this file, or throws if it has none. */
function here<T>(door: T | undefined): T {
  if (door === undefined) throw new Error(network.gone);
  return door;
}

function fault(error: unknown): Fault {
  // Browsers have various messages for a server that cannot be reached, and none of them helps.
  const unreachable = content instanceof RemoteFile && error instanceof TypeError;
  const message = unreachable ? network.unreachable : error instanceof Error ? error.message : String(error);
  if (!(error instanceof UnspoolError)) return { name: 'Error', class: 'Other', code: 0, offset: 0, need: 0, message, words: message, part: undefined };
  return { ...error.toJSON(), words: errorTable().find(({ code }) => code === error.code)?.words ?? message };
}

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
    self.postMessage({ id, error: fault(error) } satisfies Answer);
  } finally {
    going.delete(id);
  }
};
