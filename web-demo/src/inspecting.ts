// Opens files with their structure, off the page's thread.
import { probe, readBlob, UnspoolError } from 'unspool';
import { errorTable, inspect, outline, type Inspection } from 'unspool/inspect';
import { idOf } from './arrive/dictionary';
import { PROBED, RemoteFile, sourceOf, type AnyFile } from './arrive/remote';
import { bytesIn, current, faultOf, formatOf, here, type Source } from './current';
import { doorOf } from './formats';
import type { Opened } from './formats/door';
import { endBefore, endOf, withLaterChunks, withoutEmptyEnd, withPacked, withTrailing } from './formats/structures';
import { hasCodec } from './inside/has-codec';
import { buildModel, type Fault, type Report, type Verdict } from './model';
import { partsOf } from './text/parts';
import { encodingOf, type Encoding } from './text/utf8';
import { progressOf, type Progress, type Tell } from './tools/progress';

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

export async function open(source: Source, post: (progress: Progress) => void): Promise<Report> {
  if (!(source instanceof Blob)) return openLarge(await RemoteFile.open(source), post);
  if (source.size > ((await doorOf(await formatOf(source)))?.whole ?? MOST)) return openLarge(source, post);
  return openWhole(source, await readBlob(source, { onProgress: (done, total) => post({ done, total }) }));
}

/** Opens a file that was read. Posts the format of what gzip holds. */
export async function openWhole(source: Blob, all: Uint8Array, post?: (progress: Progress) => void): Promise<Report> {
  const dictionary = current.dictionary?.bytes;
  let bytes = all;
  // The format of the file is loaded by now.
  const isGzip = probe(bytes).format === 'gzip';
  const inside = isGzip ? await (await import('./formats/gzip')).unwrap(bytes) : undefined;
  const wrapped = inside === undefined ? undefined : bytes.length;
  bytes = inside ?? bytes;
  if (isGzip) post?.({ done: 0, total: all.length, format: probe(bytes).format });
  const content = inside === undefined ? source : new Blob([inside]);
  current.content = content;
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
    current.file = await (await doorOf(found.format))?.open(bytes, found.structure, dictionary);
    met = current.file?.error;
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
  current.uninspected = undefined;
  return { ...(await report({ ...found, size, structure, error }, wrapped === undefined ? undefined : content, wrapped, 'all')), zstd };
}

/**
 * Opens a file without reading it as a whole: its outline with values on demand or, if the format
 * allows neither, its head.
 */
async function openLarge(from: AnyFile, post: (progress: Progress) => void): Promise<Report> {
  const door = await doorOf(await formatOf(from));
  const local = from instanceof Blob;
  const size = Math.min(from.size, local ? HEAD : HEAD_REMOTE);
  let read: Promise<Uint8Array> | undefined;
  const head = (): Promise<Uint8Array> => (read ??= bytesIn(from, size));
  const large = await door?.openLarge?.(from, head, current.dictionary?.bytes);
  [current.file, current.content] = [large?.opened, from];
  const chunks = large?.opened.summary.chunkEnds?.length;
  if (door?.outlined !== undefined && (chunks === undefined ? local || door.outlined.remote : chunks <= (local ? FEW : FEW_REMOTE))) {
    const found = await outline(sourceOf(from), { onProgress: progressOf(post) });
    if (found !== undefined) {
      const end = endBefore(found, new Uint8Array());
      if (end !== undefined) {
        return report({ ...found, structure: withTrailing(found.structure, end, from.size), error: current.file?.error }, undefined, undefined, door.outlined.read);
      }
      if (found.error === undefined && door.openOutlined !== undefined) current.file = await door.openOutlined(from, found.structure);
      return report({ ...found, error: found.error ?? current.file?.error }, undefined, undefined, door.outlined.read);
    }
  }
  const found = await inspected(await (large?.head === undefined ? head() : bytesIn(from, large.head)));
  // The end of the head is not an error.
  return report({ ...found, structure: withoutEmptyEnd(found.structure), size: from.size, error: current.file?.error }, undefined, undefined, large?.head === undefined ? size : 'values');
}

/** Inspects bytes within the memory limit of their format. */
async function inspected(bytes: Uint8Array): Promise<Inspection> {
  const limits = (await doorOf(probe(bytes).format))?.limits;
  return inspect(bytes, limits && { limits });
}

/**
 * Inspects a file whose values were decoded first, or outlines an open file with all its chunks.
 * Handles other requests meanwhile.
 */
export async function list(post: (progress: Progress) => void, signal: AbortSignal): Promise<Report> {
  const { uninspected } = current;
  const from = here(current.content);
  if (uninspected !== undefined && from instanceof Blob) return openWhole(from, uninspected);
  const found = await outline(sourceOf(from), { signal, onProgress: progressOf(post) });
  return report(here(found), undefined, undefined, 'values');
}

/** Decodes the whole file, and keeps nothing of it. */
export async function check(tell: Tell, signal: AbortSignal): Promise<Verdict> {
  const whole = here(current.content);
  const door = await doorOf(await formatOf(whole));
  const { error, decoded, badRows = 0 } = await (current.file?.check?.(tell) ?? here(door?.check)(whole, current.dictionary?.bytes, tell, signal));
  const end = error && endOf(error);
  return { error: end === undefined ? error && fault(error) : undefined, decoded, badRows, extra: end === undefined ? 0 : whole.size - end };
}

async function report({ format, size, structure, error, checksums }: Inspection, inside: Blob | undefined, wrapped: number | undefined, read: Report['read']): Promise<Report> {
  Object.assign(current, { format, isBroken: error !== undefined });
  // The head of a file does not have all of its parts.
  if (current.file?.summary.shows === 'bytes' && typeof read !== 'number') current.parts = partsOf(format, structure);
  const model = buildModel(withPacked(structure), size);
  const summary = current.file?.summary;
  const { file, dictionary, parts } = current;
  const lent = dictionary && { name: dictionary.name, id: idOf(dictionary.bytes) };
  // Only plain bytes may be a file themselves.
  const within = file?.summary.shows === 'bytes' ? probe(here(file.bytes)(0, PROBED)).format : undefined;
  const isText = file?.summary.shows === 'bytes' && file.summary.decoded > 0 && encodingIn(file) === 'utf-8';
  // The page asks for its lines next.
  if (isText) void Promise.all([import('./text/content'), import('./bytes/search')]).catch(() => undefined);
  return { inspected: true, isText, content: inside, lent, wrapped, parts: parts.length, within, read, format, size, model, summary, hasCodec: hasCodec(format, model.structure, summary !== undefined), error: error && fault(error), checksums };
}

/** Number of bytes that show whether content is text. */
const READ = 2 ** 12;

function encodingIn({ bytes, summary: { decoded } }: Opened): Encoding {
  return encodingOf(here(bytes)(0, Math.min(READ, decoded)), decoded > READ);
}

/** Describes an error for the page. */
export function fault(error: unknown): Fault {
  return faultOf(error, errorTable());
}
