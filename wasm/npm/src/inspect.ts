// The structure of a file: every field with its name, its bits and its value.
import { UnspoolError } from './error.js';
import { call, enter, leave, type Exports } from './instance.js';
import { type Limits, limitNumbers } from './limits.js';
import { type Format, probe } from './probe.js';
import { type Bytes, bytesOf } from './source.js';

/** How {@link inspect} goes about it. */
export interface InspectOptions {
  limits?: Limits;
  /** Most nodes to keep; those that do not fit are counted. Two million if not given. */
  maxNodes?: number;
}

/**
 * The nodes of a file as flat arrays, which a worker can transfer and which stay small for a million nodes. Each node is
 * followed by what it contains. Leaves tile a valid file: each bit lies in exactly one.
 */
export interface Structure {
  /** How many nodes there are. */
  readonly length: number;
  /** How many did not fit. */
  readonly leftOut: number;
  /** First bit of each node. */
  readonly start: Float64Array;
  /** The bit behind the last one of each node. */
  readonly end: Float64Array;
  /** How many groups each node lies in. */
  readonly depth: Uint8Array;
  /** Index into {@link parts}, or 255 for a group. */
  readonly part: Uint8Array;
  /** Index into {@link names}. */
  readonly name: Uint8Array;
  /** Where in {@link values} the value of each node ends; it starts where the one before it ends. */
  readonly valueEnd: Uint32Array;
  /** The values in UTF-8. */
  readonly values: Uint8Array;
  readonly names: readonly string[];
  /** What bits can be for. */
  readonly parts: readonly string[];
}

/** One node of a {@link Structure}. */
export interface Node {
  readonly name: string;
  /** What it holds, or what tells it from its siblings; empty where the bits speak for themselves. */
  readonly value: string;
  /** What its bits are for; `undefined` for a group. */
  readonly part: string | undefined;
  /** First bit, and the bit behind the last one. */
  readonly start: number;
  readonly end: number;
  readonly depth: number;
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
  const { format } = probe(view);
  const limits = limitNumbers(options.limits);
  enter();
  try {
    return call((wasm) => walk(wasm, view, format, options.maxNodes ?? 2_000_000, limits));
  } finally {
    leave();
  }
}

function walk(wasm: Exports, view: Uint8Array, format: Format | undefined, maxNodes: number, limits: Float64Array): Inspection {
  const found = wasm.inspect(view, maxNodes, limits);
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
    names: found.name_table().split('\n'),
    parts: found.part_table().split('\n'),
  };
  const [right = 0, wrong = 0, unchecked = 0] = found.checks();
  const numbers = found.error();
  const part = found.error_part();
  found.free();
  const [code, offset, need] = numbers ?? [];
  const error = code === undefined ? undefined : new UnspoolError(code, { offset, need, part });
  return { format, size: view.length, structure, error, checksums: { right, wrong, unchecked } };
}

const utf8 = new TextDecoder();

/** The value of a node. */
export function valueAt(structure: Structure, index: number): string {
  const start = index > 0 ? (structure.valueEnd[index - 1] ?? 0) : 0;
  return utf8.decode(structure.values.subarray(start, structure.valueEnd[index] ?? start));
}

/** A node as an object. */
export function nodeAt(structure: Structure, index: number): Node {
  if (!(index >= 0 && index < structure.length)) {
    throw new RangeError(`there is no node ${index} among ${structure.length}`);
  }
  return {
    name: structure.names[structure.name[index] ?? 0] ?? '',
    value: valueAt(structure, index),
    part: structure.parts[structure.part[index] ?? 255],
    start: structure.start[index] ?? 0,
    end: structure.end[index] ?? 0,
    depth: structure.depth[index] ?? 0,
  };
}

/** All nodes, one after the other. */
export function* nodes(structure: Structure): Generator<Node> {
  for (let index = 0; index < structure.length; index++) yield nodeAt(structure, index);
}
