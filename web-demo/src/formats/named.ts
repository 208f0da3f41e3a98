import { nodeAt, type Node, type Structure } from 'unspool/structure';

/** The places of the nodes that have one of these names, in the order of the tree. */
export function* placesNamed({ length, name }: Structure, ids: readonly number[]): Generator<number> {
  const wanted = new Set(ids);
  for (let at = 0; at < length; at++) if (wanted.has(name[at] ?? 0)) yield at;
}

/** The nodes that have this name, in the order of the tree. */
export function* nodesNamed(structure: Structure, id: number): Generator<Node> {
  for (const at of placesNamed(structure, [id])) yield nodeAt(structure, at);
}
