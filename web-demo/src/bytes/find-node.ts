// Searches the tree for what its fields are called and hold.
import { nodeAt, type Structure } from 'unspool/structure';
import { pause } from '../tools/answer';
import type { Care } from '../client';

export interface SoughtNode {
  readonly text: string;
  /** The selected node, or -1: the search starts beside it, and goes around the end. */
  readonly from: number;
  readonly backwards: boolean;
}

/** So many nodes are looked at before the page may answer. */
const AT_ONCE = 5000;

/** The next node whose name and value contain the text, whatever its case, or -1. */
export async function findNode(structure: Structure, { text, from, backwards }: SoughtNode, { signal, tell }: Required<Care>): Promise<number> {
  const needle = text.trim().toLowerCase();
  const { length } = structure;
  const step = backwards ? length - 1 : 1;
  for (let done = 0, at = from < 0 && backwards ? 0 : from; done < length; done++) {
    at = (at + step) % length;
    const { name, value } = nodeAt(structure, at);
    if (`${name} ${value}`.toLowerCase().includes(needle)) return at;
    if (done % AT_ONCE < AT_ONCE - 1) continue;
    tell({ done, total: length });
    await pause(0, signal);
  }
  return -1;
}
