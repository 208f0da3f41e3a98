// Inspects files with an inspector that is loaded.
import { checkWhole } from './check-numbers.js';
import { UnspoolError } from './error.js';
import { familyOf, undetected } from './formats.js';
import { type Exports, moduleFor, type ModuleAccess, setPathFormatter } from './instance.js';
import { LABELS } from './labels.js';
import { type Limits, limitsOf } from './limits.js';
import { type Format, probe } from './probe.js';
import { type Bytes, bytesOf } from './bytes.js';
import { pathOf } from './path.js';
import type { Checksums } from './cvc.js';
import type { Structure } from './structure.js';

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

/** Result of `inspect` and `outline`. */
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

/** @internal Inspects a file whose inspector is loaded. */
export function inspectLoaded(bytes: Bytes, options: InspectOptions = {}): Inspection {
  const view = bytesOf(bytes);
  const limits = limitsOf(options, { limits: true, maxNodes: true, signal: true });
  const capacity = maxNodes(options);
  const found = probe(view);
  const { format } = found;
  if (format === undefined) return { format, size: view.length, structure: noStructure(), error: undetected(found, view.length), checksums: { right: 0, wrong: 0, unchecked: 0 } };
  const { call, enter, leave } = inspectorFor(format);
  enter();
  try {
    return call((wasm) => inspection(wasm.inspect(view, capacity, limits), format, view.length));
  } finally {
    leave();
  }
}

/** Returns the structure of a file without a format. Its arrays may be transferred. */
const noStructure = (): Structure => ({
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
});

/** Default of `maxNodes`. */
const MAX_NODES = 2_000_000;

/** @internal Returns the maximum number of nodes. */
export function maxNodes({ maxNodes = MAX_NODES }: InspectOptions): number {
  // Infinity keeps all.
  if (maxNodes !== Infinity) checkWhole('maxNodes', maxNodes);
  return maxNodes;
}

/** @internal Takes what the module has found. */
export function inspection(found: WasmStructure, format: Format | undefined, size: number): Inspection {
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
