// Aligns the structures of two files: groups by what they are called, fields by their place.
import * as Name from 'unspool/names';
import { isGroup, type Model } from '../model';

/** A node of either file, or of both. */
export interface Aligned {
  /** Node in each file, or -1. */
  readonly a: number;
  readonly b: number;
  readonly depth: number;
  /** True if one is missing, or if the nodes, or any in them, differ in value or size. */
  readonly differs: boolean;
}

/** Returns the nodes of two files, in the order of both. */
export function alignedNodes(one: Model, other: Model): Aligned[] {
  const found: Aligned[] = [];
  /** Adds nodes and all nodes in them. Returns `true` if any differ. */
  const walk = (left: readonly number[], right: readonly number[], depth: number): boolean => {
    let any = false;
    for (const [a, b] of merged(keysOf(one, left), keysOf(other, right))) {
      const at = found.length;
      const line = { a, b, depth, differs: a < 0 || b < 0 || !isSame(one, a, other, b) };
      found.push(line);
      if (walk(inside(one, a), inside(other, b), depth + 1)) found[at] = { ...line, differs: true };
      any ||= found[at]?.differs === true;
    }
    return any;
  };
  walk(nodesFrom(one, 0, one.structure.length), nodesFrom(other, 0, other.structure.length), 0);
  return found;
}

/** Merges two lists of keys: common ones at once, others where their list has them. */
export function merged(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): (readonly [a: number, b: number])[] {
  const pairs: (readonly [a: number, b: number])[] = [];
  const others = [...right];
  const places = new Map(others.map(([key], place) => [key, place]));
  let next = 0;
  /** Adds what only the right list has, before a place in it. */
  const pass = (place: number): void => {
    for (const [key, b] of others.slice(next, place)) if (!left.has(key)) pairs.push([-1, b]);
    next = Math.max(next, place);
  };
  for (const [key, a] of left) {
    pass(places.get(key) ?? 0);
    pairs.push([a, right.get(key) ?? -1]);
  }
  pass(others.length);
  return pairs;
}

/** Returns the nodes directly within another. */
function inside(model: Model, node: number): number[] {
  return node < 0 || !isGroup(model, node) ? [] : nodesFrom(model, node + 1, model.after[node] ?? 0);
}

function nodesFrom(model: Model, from: number, to: number): number[] {
  const nodes: number[] = [];
  for (let at = from; at < to; at = model.after[at] ?? to) {
    // Punctuation of JSON says nothing.
    if (model.structure.name[at] !== Name.Json) nodes.push(at);
  }
  return nodes;
}

/** Returns siblings by their names, those with the same name by their number. */
function keysOf(model: Model, nodes: readonly number[]): ReadonlyMap<string, number> {
  const seen = new Map<string, number>();
  return new Map(
    nodes.map((node) => {
      const name = `${model.structure.name[node]} ${isGroup(model, node) ? wordOf(model, node) : ''}`;
      const times = seen.get(name) ?? 0;
      seen.set(name, times + 1);
      return [`${name} ${times}`, node];
    }),
  );
}

const utf8 = new TextDecoder();

/** Returns the value of a group that is a word, such as the name of a column. */
function wordOf(model: Model, node: number): string {
  const text = utf8.decode(valueOf(model, node));
  return /^\d*$/.test(text) ? '' : text;
}

function valueOf({ structure: { values, valueEnd } }: Model, node: number): Uint8Array {
  return values.subarray(node === 0 ? 0 : (valueEnd[node - 1] ?? 0), valueEnd[node] ?? 0);
}

/** Compares the values and the sizes of two nodes. */
function isSame(one: Model, a: number, other: Model, b: number): boolean {
  const size = ({ structure: { start, end } }: Model, node: number): number => (end[node] ?? 0) - (start[node] ?? 0);
  if (size(one, a) !== size(other, b)) return false;
  const [left, right] = [valueOf(one, a), valueOf(other, b)];
  return left.length === right.length && left.every((byte, at) => byte === right[at]);
}
