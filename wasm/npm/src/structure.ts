// `unspool/structure`: reads what `inspect` found, and needs no wasm for it. For pages that inspect in a worker.
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
  /** The number of each node's name, which never changes: see {@link names}. */
  readonly name: Uint16Array;
  /** Where in {@link values} the value of each node ends; it starts where the one before it ends. */
  readonly valueEnd: Uint32Array;
  /** The values in UTF-8. */
  readonly values: Uint8Array;
  /** The labels of all names, by their numbers. */
  readonly names: Readonly<Record<number, string>>;
  /** What bits can be for. */
  readonly parts: readonly string[];
}

/** One node of a {@link Structure}. */
export interface Node {
  /** The number of its name: what code compares. */
  readonly id: number;
  /** The label of its name, for people. */
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

const utf8 = new TextDecoder();

/** The value of a node. */
function valueAt(structure: Structure, index: number): string {
  const start = index > 0 ? (structure.valueEnd[index - 1] ?? 0) : 0;
  return utf8.decode(structure.values.subarray(start, structure.valueEnd[index] ?? start));
}

/** A node as an object. */
export function nodeAt(structure: Structure, index: number): Node {
  if (!(Number.isInteger(index) && index >= 0 && index < structure.length)) {
    throw new RangeError(`there is no node ${String(index)} among ${structure.length}`);
  }
  const id = structure.name[index] ?? 0;
  return {
    id,
    name: structure.names[id] ?? '',
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
