// Reads the result of `inspect`, without wasm.

/**
 * The nodes of a file as flat arrays: small for a million nodes, and transferable from a worker.
 * Each node is followed by its children. Leaves tile a valid file: each bit belongs to exactly one.
 */
export interface Structure {
  /** Number of nodes. */
  readonly length: number;
  /** Number of nodes that did not fit. */
  readonly leftOut: number;
  /** First bit of each node. */
  readonly start: Float64Array;
  /** End of each node in bits, exclusive. */
  readonly end: Float64Array;
  /** Depth of each node: its number of enclosing groups. */
  readonly depth: Uint8Array;
  /** Index into {@link parts}, or 255 for a group. */
  readonly part: Uint8Array;
  /** Name number of each node, which never changes; see {@link names}. */
  readonly name: Uint16Array;
  /** End of each node's value in {@link values}. It starts at the end of the previous one. */
  readonly valueEnd: Uint32Array;
  /** The values of all nodes in UTF-8, concatenated. */
  readonly values: Uint8Array;
  /** The label of each name number. */
  readonly names: Readonly<Record<number, string>>;
  /** The names of the parts. */
  readonly parts: readonly string[];
}

/** One node of a {@link Structure}. */
export interface Node {
  /** Name number, to compare in code. */
  readonly id: number;
  /** Label of the name, for display. */
  readonly name: string;
  /** Value of a field, or number of a group among its siblings; empty if there is none. */
  readonly value: string;
  /** Part of the format that the bits belong to; `undefined` for a group. */
  readonly part: string | undefined;
  /** First bit. */
  readonly start: number;
  /** End in bits, exclusive. */
  readonly end: number;
  /** Number of enclosing groups. */
  readonly depth: number;
}

const utf8 = new TextDecoder();

/** Returns the value of a node. */
function valueAt(structure: Structure, index: number): string {
  const start = index > 0 ? (structure.valueEnd[index - 1] ?? 0) : 0;
  return utf8.decode(structure.values.subarray(start, structure.valueEnd[index] ?? start));
}

/** Returns a node as an object. */
export function nodeAt(structure: Structure, index: number): Node {
  if (!(Number.isInteger(index) && index >= 0 && index < structure.length)) {
    throw new RangeError(`node ${String(index)} is out of range: the structure has ${structure.length} nodes`);
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

/** Iterates over all nodes in order. */
export function* nodes(structure: Structure): Generator<Node> {
  for (let index = 0; index < structure.length; index++) yield nodeAt(structure, index);
}
