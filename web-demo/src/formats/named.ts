import { nodeAt, type Node, type Structure } from 'unspool/structure';

/** The nodes of this name, in the order of the tree. */
export function* nodesNamed(structure: Structure, name: string): Generator<Node> {
  const wanted = structure.names.indexOf(name);
  for (let at = 0; at < structure.length; at++) if (structure.name[at] === wanted) yield nodeAt(structure, at);
}
