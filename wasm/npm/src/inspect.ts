// The structure of a file: every field with its name, its bits and its value.
import { checkWhole } from './check-numbers.js';
import { UnspoolError } from './error.js';
import { familyOf, undetected } from './formats.js';
import { loadInspector } from './inspectors.js';
import { type Exports, Handle, moduleFor, type ModuleAccess, setPathFormatter } from './instance.js';
import { LABELS } from './labels.js';
import { type Limits, limitsOf } from './limits.js';
import { Pieces } from './pieces.js';
import { type Format, probe } from './probe.js';
import { type Bytes, bytesOf } from './bytes.js';
import { openSource, type Source } from './source.js';
import { pathOf } from './path.js';
import type { Checksums } from './cvc.js';
import type { Structure } from './structure.js';
import { formatArguments, type ZstdFormat } from './zstd.js';

type WasmStructure = ReturnType<Exports['inspect']>;

setPathFormatter(pathOf);

/** @internal Returns access to the inspector of a format. */
export function inspectorFor(format: Format): ModuleAccess {
  return moduleFor(`${familyOf(format)}-inspect`);
}

/** Options of {@link inspect}. */
export interface InspectOptions {
  /** Limits for this call. */
  limits?: Limits | undefined;
  /** Maximum number of nodes to keep; further nodes are only counted. 2,000,000 by default. */
  maxNodes?: number | undefined;
  /** Aborts before the walk starts. A worker can be aborted while it walks. */
  signal?: AbortSignal | undefined;
}

/** Result of {@link inspect} and {@link outline}. */
export interface Inspection {
  /** Format of the file, if known. */
  readonly format: Format | undefined;
  /** Length of the file in bytes. */
  readonly size: number;
  /** The structure of the file, up to the first error. */
  readonly structure: Structure;
  /** The error that ended the walk early. */
  readonly error: UnspoolError | undefined;
  /** Results of the checksums, one count for each outcome. */
  readonly checksums: Checksums;
}

/**
 * Detects the format, loads its inspector, and inspects a whole file. For a broken file, returns
 * all fields before the error, and the error.
 */
export async function inspect(bytes: Bytes, options: InspectOptions = {}): Promise<Inspection> {
  const { format } = probe(bytes);
  options?.signal?.throwIfAborted();
  if (format !== undefined) await loadInspector(format);
  options?.signal?.throwIfAborted();
  return inspectLoaded(bytes, options);
}

/** @internal Inspects a file whose inspector is loaded. */
export function inspectLoaded(bytes: Bytes, options: InspectOptions = {}): Inspection {
  const view = bytesOf(bytes);
  const limits = limitsOf(options, { maxNodes: true, signal: true });
  const capacity = maxNodes(options);
  const found = probe(view);
  const { format } = found;
  if (format === undefined) return { format, size: view.length, structure: EMPTY, error: undetected(found, view.length), checksums: { right: 0, wrong: 0, unchecked: 0 } };
  const { call, enter, leave } = inspectorFor(format);
  enter();
  try {
    return call((wasm) => inspection(wasm.inspect(view, capacity, limits), format, view.length));
  } finally {
    leave();
  }
}

/** The structure of a file without a format. */
const EMPTY: Structure = {
  length: 0,
  leftOut: 0,
  start: new Float64Array(),
  end: new Float64Array(),
  depth: new Uint8Array(),
  part: new Uint8Array(),
  name: new Uint16Array(),
  valueEnd: new Uint32Array(),
  values: new Uint8Array(),
  names: LABELS,
  parts: [],
};

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
  const limits = limitsOf(options, { maxNodes: true, format: true, signal: true, onProgress: true });
  const capacity = maxNodes(options);
  const [, zstdFormat] = formatArguments({ format: options.format });
  const reader = await openSource(source, options.signal);
  const { size } = reader;
  const local = typeof Blob !== 'undefined' && source instanceof Blob;
  const pieces = new Pieces(reader, local, (done) => options.onProgress?.(done, size));
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
  }
}

/** Number of bytes that identify every format. */
const PROBED = 16;

/** Default of `maxNodes`. */
const MAX_NODES = 2_000_000;

function maxNodes({ maxNodes = MAX_NODES }: InspectOptions): number {
  // Infinity keeps all.
  if (maxNodes !== Infinity) checkWhole('maxNodes', maxNodes);
  return maxNodes;
}

function inspection(found: WasmStructure, format: Format | undefined, size: number): Inspection {
  const [code, offset, need] = found.error() ?? [];
  const error = code === undefined ? undefined : new UnspoolError(code, { offset, need, part: pathOf(found.part_at(code, offset ?? 0)) });
  const start = found.starts();
  const structure: Structure = {
    length: start.length,
    leftOut: found.left_out(),
    start,
    end: found.ends(),
    depth: found.depths(),
    part: found.parts(),
    name: found.names(),
    valueEnd: found.value_ends(),
    values: found.values(),
    names: LABELS,
    parts: found.part_table().split('\n'),
  };
  const [right = 0, wrong = 0, unchecked = 0] = found.checks();
  found.free();
  return { format, size, structure, error, checksums: { right, wrong, unchecked } };
}
