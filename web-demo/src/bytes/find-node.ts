// Searches the tree for names and values of fields.
import { nodeAt, type Structure } from 'unspool/inspect';
import { pause } from '../tools/answer';
import type { Care } from '../client';

export interface SoughtNode {
  readonly text: string;
  /** The selected node, or -1. The search starts next to it and wraps around. */
  readonly from: number;
  readonly backwards: boolean;
}

/** Nodes per step; between steps the page can respond. */
const AT_ONCE = 5000;

/** Returns the next node whose name and value contain the text in any case, or -1. */
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
