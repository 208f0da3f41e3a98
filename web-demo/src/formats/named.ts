import { nodeAt, type Node, type Structure } from 'unspool/inspect';

/** Returns the indexes of nodes with one of these names, in order. */
export function* placesNamed({ length, name }: Structure, ids: readonly number[]): Generator<number> {
  const wanted = new Set(ids);
  for (let at = 0; at < length; at++) if (wanted.has(name[at] ?? 0)) yield at;
}

/** Returns the nodes with this name, in order. */
export function* nodesNamed(structure: Structure, id: number): Generator<Node> {
  for (const at of placesNamed(structure, [id])) yield nodeAt(structure, at);
}
