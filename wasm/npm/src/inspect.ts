// The structure of a file: every field with its name, its bits and its value.
import { checkWhole } from './check.js';
import { UnspoolError } from './error.js';
import { call, type Exports, Held, whole } from './instance.js';
import { LABELS } from './labels.js';
import { type Limits, limitsOf } from './limits.js';
import { Pieces } from './pieces.js';
import { type Format, probe } from './probe.js';
import { type Bytes, bytesOf, openSource, type Source } from './source.js';
import { pathOf } from './path.js';
import type { Structure } from './structure.js';
import { chosen, type ZstdFormat } from './zstd.js';

type WasmStructure = ReturnType<Exports['inspect']>;

/** How {@link inspect} goes about it. */
export interface InspectOptions {
  limits?: Limits | undefined;
  /** Most nodes to keep; those that do not fit are counted. Two million if not given. */
  maxNodes?: number | undefined;
}

/** What {@link inspect} found. */
export interface Inspection {
  readonly format: Format | undefined;
  /** Length of the file in bytes. */
  readonly size: number;
  /** All of it, or as far as the file was understood. */
  readonly structure: Structure;
  /** Why the walk ended early. */
  readonly error: UnspoolError | undefined;
  /** How the checksums on the way turned out. */
  readonly checksums: { readonly right: number; readonly wrong: number; readonly unchecked: number };
}

/** Walks over a whole file. A broken file is no exception: its error comes with what was understood before it. */
export function inspect(bytes: Bytes, options: InspectOptions = {}): Inspection {
  const view = bytesOf(bytes);
  const limits = limitsOf(options, { maxNodes: true });
  const { format } = probe(view);
  const room = maxNodes(options);
  whole.enter();
  try {
    return call((wasm) => inspection(wasm.inspect(view, room, limits), format, view.length));
  } finally {
    whole.leave();
  }
}

/** How {@link outline} goes about it. */
export interface OutlineOptions extends InspectOptions {
  /** Which Zstandard it is: a draft, which shares its magic number with RFC 8878, must be announced as such. */
  format?: ZstdFormat | undefined;
  signal?: AbortSignal | undefined;
  /** Hears how far it is, in bytes of the file. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * The structure of a file that is too large to be read as a whole, from its headers alone: the frames and blocks of
 * Zstandard, of which a draft must be announced by `format`, the streams and blocks of xz, of which only the index at the end is read, the tables of OnPair, the
 * chunks and columns of CVC. What is in them is not looked at. A file of Pco says nowhere how long its chunks are: it is read from start to end, one chunk decoded after
 * the other, in the memory that one takes. Nothing for other formats.
 */
export async function outline(source: Source, options: OutlineOptions = {}): Promise<Inspection | undefined> {
  const limits = limitsOf(options, { maxNodes: true, format: true, signal: true, onProgress: true });
  const room = maxNodes(options);
  const [, zstdFormat] = chosen({ format: options.format });
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
  const job = call((wasm) => wasm.outline(head, size, room, zstdFormat, limits));
  if (job === undefined) return undefined;
  const outline = new Held(whole, () => job);
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

/** As many bytes tell every format. */
const PROBED = 16;

/** So many nodes are kept if nobody says otherwise. */
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
