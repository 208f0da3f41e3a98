// The structure of a file: every field with its name, its bits and its value.
import { anySignal } from './abort.js';
import { inspection, type Inspection, inspectLoaded, type InspectOptions, inspectorFor, maxNodes } from './inspection.js';
import { loadInspector } from './inspectors.js';
import { type Exports, Handle } from './instance.js';
import { limitsOf } from './limits.js';
import { Pieces } from './pieces.js';
import { probe } from './probe.js';
import type { Bytes } from './bytes.js';
import { openSource, type Source } from './source.js';
import { formatArguments, type ZstdFormat } from './zstd.js';

/**
 * Detects the format, loads its inspector, and inspects a whole file. For a broken file, returns
 * all fields before the error, and the error of `decode`.
 */
export async function inspect(bytes: Bytes, options: InspectOptions = {}): Promise<Inspection> {
  const { format } = probe(bytes);
  options?.signal?.throwIfAborted();
  if (format !== undefined) await loadInspector(format);
  options?.signal?.throwIfAborted();
  return inspectLoaded(bytes, options);
}

/** Options of {@link outline}. */
export interface OutlineOptions extends InspectOptions {
  /** Flavour of Zstandard. Required for a draft file, whose magic number is that of RFC 8878. */
  format?: ZstdFormat | undefined;
  /** Reports progress in bytes of the file. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Returns the structure of a file too large for memory, from its headers alone:
 *
 * - Zstandard: frames and blocks; a draft file needs `format`.
 * - xz: streams and blocks, from the index at the end.
 * - OnPair: the tables.
 * - CVC: chunks and columns.
 * - Pco: chunks. A Pco file does not store their lengths, so it is read from start to end and
 *   decoded one chunk at a time.
 *
 * Returns `undefined` for other formats.
 */
export async function outline(source: Source, options: OutlineOptions = {}): Promise<Inspection | undefined> {
  const limits = limitsOf(options, { limits: true, maxNodes: true, format: true, signal: true, onProgress: true });
  const capacity = maxNodes(options);
  const [, zstdFormat] = formatArguments({ format: options.format });
  // Aborts reads ahead at the end, or after an error.
  const over = new AbortController();
  const reader = await openSource(source, { limits: options.limits, signal: anySignal(options.signal, over.signal) });
  const { size } = reader;
  const pieces = new Pieces(reader, !reader.isRemote, (done) => options.onProgress?.(done, size));
  const read = (start: number, end: number): Promise<Uint8Array> => {
    options.signal?.throwIfAborted();
    return pieces.read(start, end);
  };
  const head = await read(0, Math.min(size, PROBED));
  const { format } = probe(head);
  if (format === undefined) return undefined;
  await loadInspector(format);
  const inspector = inspectorFor(format);
  // Modules without such a walk lack the function.
  const job = inspector.call((wasm) => (wasm as Partial<Exports>).outline?.(head, size, capacity, zstdFormat, limits));
  if (job === undefined) return undefined;
  const outline = new Handle(inspector, () => job);
  try {
    for (let needs; (needs = outline.call((walk) => walk.needs())) !== undefined; ) {
      const [start = 0, end = 0] = needs;
      const bytes = await read(start, end);
      outline.call((walk) => walk.feed(bytes));
    }
    return outline.call((walk) => inspection(walk.found(), format, size));
  } finally {
    outline.free();
    over.abort();
  }
}

/** Number of bytes that identify every format. */
const PROBED = 16;
